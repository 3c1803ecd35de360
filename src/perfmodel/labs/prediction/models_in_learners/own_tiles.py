"""Tiles on the reader's machine, and what a contest of searches comes to in a sentence."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from perfmodel.labs.prediction.models_in_learners.tile_product import Shape
from perfmodel.labs.prediction.models_in_learners.tile_search import (
    BOTH,
    CHANCE,
    LEARNER,
    MODEL,
    OTHERS,
    by_chance,
    by_learner,
    by_model,
    evaluations,
    ratio,
)
from perfmodel.labs.prediction.models_in_learners.tile_times import TileTimes, measure
from perfmodel.validation import Floats

HERE = Shape(128, 128, 128)
NOISY = 0.05
"""Noise floor from which 5 % can't be told."""


class OwnSearch(NamedTuple):
    """The tiles of a shape timed here, and the evaluations of each way to search."""

    times: TileTimes
    counts: dict[str, float]


def search_here(shape: Shape = HERE, rounds: int = 2) -> OwnSearch:
    """Time all tiles of a shape on this machine and search them."""
    times = measure(shape, rounds)
    return OwnSearch(times, counts(times))


def counts(times: TileTimes) -> dict[str, float]:
    """Return the evaluations of each way that needs no other shape."""
    alone = [len(by_learner(times, seed, False)) for seed in range(5)]
    return {
        MODEL: float(evaluations(times, by_model(times))),
        BOTH: float(len(by_learner(times, 0, True))),
        LEARNER: float(np.exp(np.mean(np.log(alone)))),
        CHANCE: by_chance(times),
    }


def verdict(found: OwnSearch) -> str:
    """Say whether the model's order was of use on this machine."""
    if found.times.noise > NOISY:
        return (
            f"The second round is {100 * found.times.noise:.0f} % off the best, more than the 5 % "
            "that are to be told apart: repeat it on a quiet machine."
        )
    mine, chance = found.counts[MODEL], found.counts[CHANCE]
    if mine < chance:
        return (
            f"The model's order, with another machine's caches, has a good tile at place "
            f"{mine:.0f}, chance on average at {chance:.0f}."
        )
    return (
        f"The model's order has a good tile at place {mine:.0f}, no sooner than chance at "
        f"{chance:.0f}: its caches aren't this machine's."
    )


def told(found: dict[str, Floats]) -> str:
    """Say what is lost without the model, from the evaluations of `tile_search.contest` by way."""
    parts = []
    for with_model, without, name in (
        (MODEL, CHANCE, "Chance needs"),
        (BOTH, LEARNER, "The learner without the model needs"),
        (MODEL, OTHERS, "The trees that know the other shapes need"),
    ):
        middle, low, high = ratio(found[with_model], found[without])
        span = f"(95 % interval {low:.2g} to {high:.2g})"
        if low > 1:
            parts.append(f"{name} {middle:.2g} times as many evaluations {span}.")
        elif high < 1:
            parts.append(f"{name} only {middle:.2g} times as many evaluations {span}.")
        else:
            parts.append(f"{name} {middle:.2g} times as many, no difference shown {span}.")
    return " ".join(parts)
