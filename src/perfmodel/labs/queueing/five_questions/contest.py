"""A contest of families: logs of a server at low loads, asked for the mean wait at high ones.

Two formulas read what came and was asked for, and no wait; the others are fitted to the waits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.labs.queueing.five_questions.server_logs import ServerLog
from perfmodel.queueing.station.ggc import allen_cunneen
from perfmodel.queueing.station.mg1 import mg1
from perfmodel.validation import Floats, sample

WIDTHS, SMOOTHINGS = (0.1, 0.2, 0.4, 0.8), (1e-4, 1e-3, 1e-2, 1e-1)
"""What the smoother may choose from; loads have no unit."""


def pollaczek_khinchine(log: ServerLog, loads: Floats) -> Floats:
    """Return the wait by M/G/1 from the sizes of a log; its waits are not looked at."""
    return np.asarray(
        mg1(arrival_rate=loads, mean_service=log.mean_size, scv=log.size_scv).waiting_time
    )


def kingman(log: ServerLog, loads: Floats) -> Floats:
    """Return the wait by Kingman's formula from gaps and sizes of a log; not from its waits."""
    known = loads, log.mean_size, log.gap_scv, log.size_scv
    return np.asarray(allen_cunneen(*known).waiting_time)


def calibrated(log: ServerLog, loads: Floats) -> Floats:
    """Return k load / (1 - load) with k fitted to the waits of a log (mean of logarithms)."""
    factor = np.exp(np.mean(np.log(log.waiting * (1 - log.loads) / log.loads)))
    return np.asarray(factor * loads / (1 - loads))


def parabola(log: ServerLog, loads: Floats) -> Floats:
    """Return a parabola through the logarithms of the waits of a log."""
    return np.asarray(np.exp(np.polyval(np.polyfit(log.loads, np.log(log.waiting), 2), loads)))


def smoother(log: ServerLog, loads: Floats) -> Floats:
    """Return a Gaussian kernel's ridge regression of the logarithms of the waits.

    Width and smoothing are those of `WIDTHS` and `SMOOTHINGS` that predict best each point of the
    log from its others.
    """
    return np.asarray(np.exp(_smoothed(log.loads, np.log(log.waiting), loads)))


def smoothed_pole(log: ServerLog, loads: Floats) -> Floats:
    """Return k load / (1 - load) with a k that a smoother follows over the loads of a log."""
    factor = _smoothed(log.loads, np.log(log.waiting * (1 - log.loads) / log.loads), loads)
    return np.asarray(np.exp(factor) * loads / (1 - loads))


FAMILIES: dict[str, Callable[[ServerLog, Floats], Floats]] = {
    "Pollaczek-Khinchine": pollaczek_khinchine,
    "Kingman": kingman,
    "calibrated": calibrated,
    "parabola": parabola,
    "smoother": smoother,
    "smoother with pole": smoothed_pole,
}


@dataclass(frozen=True)
class Standing:
    """How one family did over repeated contests: errors in per cent, shape (repeats,)."""

    errors: Floats
    nearest: int
    """In how many of the repeats its error was the smallest."""

    @property
    def median(self) -> float:
        """Per cent."""
        return float(np.median(self.errors))


def standings(logs: Sequence[ServerLog], loads: ArrayLike, truth: ArrayLike) -> dict[str, Standing]:
    """Return the standings of `FAMILIES`, each scored on the same logs, one contest for each log.

    An error is the mean over the utilizations `loads` of |predicted / true - 1|, with exact mean
    waits of `truth` seconds.
    """
    targets, true = sample("loads", loads), sample("truth", truth)
    if not logs or targets.shape != true.shape:
        raise ValueError(
            f"logs must be one or more, and truth of the shape {targets.shape} of loads, "
            f"got {len(logs)} and {true.shape}"
        )
    errors = {
        name: np.array([100 * np.mean(abs(model(log, targets) / true - 1)) for log in logs])
        for name, model in FAMILIES.items()
    }
    first = np.argmin(list(errors.values()), axis=0)
    return {
        name: Standing(errors[name], int((first == index).sum()))
        for index, name in enumerate(FAMILIES)
    }


def outcome(arrivals: str, scores: dict[str, Standing]) -> str:
    """Return which family has the smallest errors in one contest, and in how many logs."""
    repeats = sum(score.nearest for score in scores.values())
    best = min(scores, key=lambda name: scores[name].median)
    often = max(scores, key=lambda name: scores[name].nearest)
    said = (
        f"Arrivals {arrivals}: {best} has the smallest median error, {scores[best].median:.0f} %. "
        f"It had the smallest error in {scores[best].nearest} of {repeats} logs."
    )
    if scores[often].nearest > scores[best].nearest:
        name = often[0].upper() + often[1:]
        said += f" {name} had it more often, in {scores[often].nearest} logs."
    return said


def fitting_pays(board: dict[str, dict[str, Standing]]) -> str:
    """Return whether fitting the shape's constant to waits beats Kingman's, which needs none.

    `board` has the scores of `standings` by kind of arrivals.
    """
    better = [
        kind
        for kind, scores in board.items()
        if scores["calibrated"].median < scores["Kingman"].median
    ]
    fitting = "Fitting the constant of Kingman's formula to the waits"
    if not better:
        return f"{fitting} never lowers the median error."
    where = "all arrivals" if len(better) == len(board) else f"arrivals {' and '.join(better)}"
    return f"{fitting} lowers the median error for {where}. The table shows the errors."


def _smoothed(known: Floats, target: Floats, targets: Floats) -> Floats:
    def kernel(width: float, smoothing: float) -> Floats:
        return _gaussian(known, known, width) + smoothing * np.eye(known.size)

    def left_out(choice: tuple[float, float]) -> float:
        inverse = np.linalg.inv(kernel(*choice))
        return float(np.sum((inverse @ centred / inverse.diagonal()) ** 2))

    centred = target - target.mean()
    choice = min(((w, v) for w in WIDTHS for v in SMOOTHINGS), key=left_out)
    weights = np.linalg.solve(kernel(*choice), centred)
    return np.asarray(_gaussian(targets, known, choice[0]) @ weights + target.mean())


def _gaussian(at: Floats, around: Floats, width: float) -> Floats:
    return np.asarray(np.exp(-(((at[:, None] - around) / width) ** 2)))
