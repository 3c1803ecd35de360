"""Public runs of served models, each computed from others: settings, models or cards left out."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from perfmodel.serving.calibration.shipped import dealt, held_out_ratios, points
from perfmodel.validation import Floats

Ints = NDArray[np.int64]
TWINS = "the model and its twins"
FORMAT = "the model in this number format"
LEFT_OUT = {
    "a fifth of the settings of the same model": (("card", "engine", "model"), "setting"),
    "a fifth of the settings": (("card", "engine", "kind"), "setting"),
    FORMAT: (("card", "engine", "kind"), "model"),
    TWINS: (("card", "engine", "kind"), "architecture"),
    "the whole card": (("engine", "kind"), "card"),
}
"""What is left out: the columns that runs fitted together share, and what is left out in turn."""


class HeldOut(NamedTuple):
    """Runs that were computed from others."""

    runs: Ints
    """Their indices among the public points."""
    ratio: Floats
    """Measured over computed time per token."""

    @property
    def error(self) -> float:
        """Median relative error."""
        return float(np.median(np.abs(1 / self.ratio - 1)))

    @property
    def quantiles(self) -> tuple[float, float]:
        """The 10 % and 90 % quantiles of the ratio."""
        low, high = np.quantile(self.ratio, [0.1, 0.9])
        return float(low), float(high)


@cache
def held_out(left_out: str) -> HeldOut:
    """Return all runs that can be computed with this part of `LEFT_OUT` left out."""
    together, column = LEFT_OUT[left_out]
    elsewhere = ("engine", "kind") if column in ("model", "architecture") else ()
    ratio = held_out_ratios(
        points(),
        together,
        lambda part: dealt(part.setting) if column == "setting" else getattr(part, column),
        elsewhere,
    )
    known = np.flatnonzero(np.isfinite(ratio))
    return HeldOut(known, ratio[known])


class Repeats(NamedTuple):
    """Settings that were measured several times."""

    settings: int
    median: float
    """Longest over shortest time, less 1: its median."""
    high: float
    """The same, its 90 % quantile."""


@cache
def repeats() -> Repeats:
    """Return how far runs of the same setting differ: other days, versions or machines."""
    runs = points()
    terms = [str(row) for row in runs.terms.matrix.tolist()]
    labels = list(zip(runs.card, runs.engine, runs.setting, terms, strict=True))
    members: dict[object, list[int]] = defaultdict(list)
    for i, label in enumerate(labels):
        members[label].append(i)
    times = [runs.time_per_token[same] for same in members.values() if len(same) > 1]
    spread = np.array([float(one.max() / one.min() - 1) for one in times])
    return Repeats(spread.size, float(np.median(spread)), float(np.quantile(spread, 0.9)))


def first_token_ratios() -> dict[str, Floats]:
    """Return the measured time to first token over two computed ones, for every run.

    Both read prompts at the card's peak: one prompt alone, and the prompts of all running requests.
    """
    runs = points()
    alone = runs.time_to_first_token / runs.prompt_seconds
    return {"its own prompt": alone, "all prompts": alone / runs.concurrency}
