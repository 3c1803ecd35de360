"""AIO-P: a predictor of one task that is made to answer for another, from twenty examples.

A cook who knows soups is asked for stews. The method here keeps the cook (the base, frozen), adds
an apprentice who has watched a few other cuisines (an adapter), and settles the amount of salt on
twenty tastings (a line). Tasks here are devices: the same networks, timed on each.

Source: K. G. Mills, D. Niu, M. Salameh, et al., "AIO-P: Expanding Neural Performance Predictors
Beyond Image Classification", AAAI 2023, arXiv:2211.17228; the label transform from its code. The
paper's tasks (detection, segmentation, pose) and its trained adapters are not reproduced.

>>> x = np.arange(1.0, 41.0)[:, None]
>>> import pandas as pd
>>> known = Tasks(x, pd.DataFrame({"old": x[:, 0], "new": 5 + 2 * x[:, 0]}))
>>> from sklearn.linear_model import LinearRegression
>>> frozen = base(known, LinearRegression(), "old", 20)
>>> found = adapt(known, frozen, "new", LinearRegression(), shots=5, rounds=1)
>>> bool(found.set_index("approach")["mae"]["line"] < 1e-9)
True
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from perfmodel.labs.prediction.aio_p.label_scaling import (
    by_work,
    left_over,
    made_up,
    restored,
    standardised,
)
from perfmodel.ledger import Claim, Trend
from perfmodel.prediction.architectures import device_latency
from perfmodel.prediction.architectures.search_space import one_hot
from perfmodel.prediction.arena import metrics
from perfmodel.prediction.arena.contest import Estimator
from perfmodel.prediction.arena.rescaling import fitted_line, match_moments
from perfmodel.validation import Floats, finite, positive, sample, whole

if TYPE_CHECKING:
    import pandas as pd

SOURCE = "1080ti_1"
"""The device that the base knows."""
TARGETS = ("1080ti_256", "titan_rtx_256", "gold_6226", "pixel2", "samsung_s7", "fpga", "eyeriss")
"""The last two are sums of a table of operators, not timings; see
`perfmodel.prediction.architectures.device_latency`.
"""
OTHERS = ("silver_4114", "pixel3", "essential_ph_1")
"""Further devices for the adapter, a server's processor and two phones; none is a target."""
LEARNED = 2_000
"""Networks from the first on that the base learns from."""


@dataclass(frozen=True, eq=False)
class Tasks:
    """Networks with their latency on every device."""

    features: Floats
    """What is known of each, shape (n, p)."""
    seconds: pd.DataFrame
    """A row for each network, a column for each device."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "features", finite("features", self.features))
        if self.features.ndim != 2 or len(self.features) != len(self.seconds):
            raise ValueError(
                f"features must have shape ({len(self.seconds)}, p), got {self.features.shape}"
            )

    def on(self, device: str) -> Floats:
        """Return the latencies on one device in seconds, shape (n,)."""
        if device not in self.seconds.columns:
            raise ValueError(
                f"device must be one of {', '.join(self.seconds.columns)}, got {device!r}"
            )
        return np.asarray(self.seconds[device], dtype=float)


def joined(known: Tasks, device: str, seconds: ArrayLike, start: int = LEARNED) -> Tasks:
    """Return tasks with one more device, on which only the networks from `start` on were timed.

    Parameters
    ----------
    known : Tasks
    device : str
        A name of its own for the new device.
    seconds : array_like, shape (k,)
        Latencies of the networks start to start + k - 1.
    start : int

    Returns
    -------
    Tasks
        The first start + k networks. The new device has no latencies (not a number) before
        `start`, so no base can learn it.
    """
    added = positive("seconds", sample("seconds", seconds))
    rows = whole("start", start) + added.size
    if rows > len(known.seconds):
        raise ValueError(f"seconds must be at most {len(known.seconds) - start}, got {added.size}")
    column = np.concatenate([np.full(start, np.nan), added])
    return Tasks(known.features[:rows], known.seconds.iloc[:rows].assign(**{device: column}))


def tasks(folder: str | Path | None = None) -> Tasks:
    """Return the first 4,000 cells of NAS-Bench-201 on 27 devices, edges and operations one-hot.

    Parameters
    ----------
    folder : path, optional
        Where the data set help lies; see `perfmodel.data.fetch`.

    Raises
    ------
    perfmodel.data.DataUnavailable
        If the data set help is not there; says how to get it.
    """
    found = device_latency.latencies("nb201", folder)
    rows = 2 * LEARNED
    hot = one_hot(found.choices[:rows])
    return Tasks(hot.to_numpy(dtype=float), found.seconds.iloc[:rows])


@dataclass(frozen=True, eq=False)
class Base:
    """What a frozen predictor of the source says of every network."""

    predicted: Floats
    """Shape (n,), in seconds on the source."""
    learned: int
    """Networks, from the first on, that it learned from; it may know these by heart."""


def base(known: Tasks, learner: Estimator, device: str = SOURCE, learned: int = LEARNED) -> Base:
    """Learn a source device from its first networks, once.

    Parameters
    ----------
    known : Tasks
    learner : estimator
    device : str
    learned : int
        Networks, from the first on; the others are for targets.
    """
    labels = known.on(device)[: whole("learned", learned, 2)]
    fitted = clone(learner).fit(known.features[:learned], labels)
    return Base(np.asarray(fitted.predict(known.features), dtype=float), learned)


def adapt(
    known: Tasks,
    frozen: Base,
    device: str,
    learner: Estimator,
    others: Sequence[str] = (),
    shots: int = 20,
    rounds: int = 20,
) -> pd.DataFrame:
    """Score ways to predict a target device from a frozen base and a few networks timed on it.

    Parameters
    ----------
    known : Tasks
    frozen : Base
        Of the same networks.
    device : str
        The target.
    learner : estimator
        Learns the target alone, and what a line through the base leaves: a ridge.
    others : sequence of str
        Further devices on which the base's networks were timed: what a ridge makes of each of
        them is the adapter's input beside the base. None leaves the adapter out.
    shots : int
        Networks timed on the target, from those that the base did not learn from.
    rounds : int
        Draws of these, seeds 0 to rounds - 1; each is tested on the rest.

    Returns
    -------
    pandas.DataFrame
        A row for each seed and approach: `seed`, `approach`, `mae` (over the range of the target
        from its 1st to its 99th percentile), `spearman`.
    """
    import pandas as pd

    truth, start = known.on(device), frozen.learned
    if frozen.predicted.shape != truth.shape:
        raise ValueError(
            f"frozen must predict the {truth.size} networks, got {frozen.predicted.size}"
        )
    rest = np.arange(start, truth.size)
    if whole("shots", shots, 3) > rest.size - 10:
        raise ValueError(f"shots must leave 10 of {rest.size} to be tested, got {shots}")
    span = float(np.diff(np.percentile(truth[rest], [1, 99]))[0])
    views = _views(known, frozen, others)
    rows = []
    for seed in range(whole("rounds", rounds, 1)):
        order = np.random.default_rng(seed).permutation(rest)
        few, asked = order[:shots], order[shots:]
        guesses = _guesses(known.features, truth, frozen, views, learner, few, asked)
        for approach, guess in guesses.items():
            mae = float(np.mean(np.abs(guess - truth[asked]))) / span
            order_kept = metrics.spearman(truth[asked], guess)
            scores = {"mae": mae, "spearman": order_kept}
            rows.append({"seed": seed, "approach": approach, **scores})
    return pd.DataFrame(rows)


def _views(known: Tasks, frozen: Base, others: Sequence[str]) -> Floats | None:
    """Return what the base and the further devices' ridges say, each at scale 1, shape (n, q)."""
    if not others:
        return None
    from sklearn.linear_model import Ridge

    learned = frozen.learned
    said = [frozen.predicted] + [
        Ridge(1.0).fit(known.features[:learned], known.on(one)[:learned]).predict(known.features)
        for one in others
    ]
    return np.column_stack([(one - one.mean()) / one.std() for one in said])


def _guesses(
    features: Floats,
    truth: Floats,
    frozen: Base,
    views: Floats | None,
    learner: Estimator,
    few: Floats,
    asked: Floats,
) -> dict[str, Floats]:
    y, said = truth[few], frozen.predicted

    def learned(inputs: Floats, labels: Floats) -> Floats:
        return np.asarray(clone(learner).fit(inputs[few], labels).predict(inputs[asked]))

    line = partial(fitted_line, known=said[few], target=y)
    guesses = {
        "constant": np.full(asked.size, y.mean()),
        "source": said[asked],
        "matched": match_moments(said[asked], said[few], y),
        "line": line(said[asked]),
        "target only": learned(features, y),
        "line + residual": line(said[asked]) + learned(features, y - line(said[few])),
    }
    return guesses if views is None else guesses | {"adapter": learned(views, y)}


def claims() -> list[Claim]:
    """Return the ledger entries: the label transform by hand, and where it helps and harms."""
    made = partial(Claim, "aio_p", derived=True)
    hand = "worked out by hand from the transform in the published code"
    values: tuple[tuple[str, float, Callable[[], float], float], ...] = (
        ("score 0.76 by 1e9 - 1 FLOP", 0.076, lambda: float(by_work(0.76, 1e9 - 1)), 0.0),
        ("score 0.76 by 3e8 FLOP", 0.08019, lambda: float(by_work(0.76, 3e8)), 0.000005),
        (
            "label of score 0.70, 6e8 FLOP, mean 0.070, deviation 0.004",
            0.397,
            lambda: float(standardised(0.70, 6e8, 0.070, 0.004)),
            0.0005,
        ),
        (
            "score of label -0.5, 1e9 - 1 FLOP, mean 0.070, deviation 0.004",
            0.68,
            lambda: float(restored(-0.5, 1e9 - 1, 0.070, 0.004)),
            0.0,
        ),
    )
    by_hand = [
        made(quantity, "recomputed", value, "1", hand, compute, absolute=within)
        for quantity, value, compute, within in values
    ]
    said = "the transform helps where scores grow with log FLOPs, and harms where they do not"
    control = made(
        "share left unexplained on made-up networks, without and with the transform",
        "trend",
        said,
        "",
        "follows from the transform; networks, law and noise are this course's own",
        _control,
    )
    return [*by_hand, control]


def _control() -> Trend:
    (plain, by), (plain_flat, by_flat) = (left_over(*made_up(grows)) for grows in (1, 0))
    return Trend(
        by < 0.5 * plain and by_flat > 2 * plain_flat,
        f"growing {plain:.2f} and {by:.2f}, not growing {plain_flat:.2f} and {by_flat:.2f}",
    )
