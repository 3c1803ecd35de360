"""The search for a fast tile: by a cost model, by a learner, by both, or by chance.

A search tries tiles of a recorded table one after the other, each once, and sees the times of the
tiles that it has tried. It ends when a tile reaches 95 % of the best tile's speed. Its score is the
number of tiles tried. The learner is a Gaussian process over the logarithms of the three sizes. It
tries the tile with the highest expected improvement. With the model inside, it learns the model's
error instead of the time itself; all else is the same.

The module also times tiles on the reader's machine, and writes the contest's conclusion.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from perfmodel.benchmarking.search.gaussian_process import expected_improvement
from perfmodel.labs.prediction.models_in_learners.tiled_product import (
    Shape,
    TileTimes,
    measure,
    recorded,
    tile_cost,
)
from perfmodel.measurement import geometric_mean_interval
from perfmodel.validation import Floats, whole

FIRST = 4
"""Tiles that a learner without a model tries at random."""
SEEDS = 10
_LENGTHS = (1.0, 2.0, 4.0)
"""Length scales of the kernel, in steps of a factor of two; the likeliest is used."""
_NOISE = 0.02
"""Standard deviation of a time's logarithm."""
MODEL, CHANCE = "model's order", "by chance"
LEARNER, BOTH = "learner", "learner with the model"
OTHERS = "trees taught by the other shapes"
WAYS = (MODEL, BOTH, LEARNER, CHANCE, OTHERS)

Order = NDArray[np.int64]


def evaluations(times: TileTimes, order: Order) -> int:
    """Return how many tiles of an order are tried until one reaches 95 % of the best speed."""
    hits = np.flatnonzero(times.good[order])
    if not hits.size:
        raise ValueError(f"order must hold a tile within 5 % of the best, got {order.size} others")
    return int(hits[0]) + 1


def by_model(times: TileTimes) -> Order:
    """Return all tiles by the model's time, the shortest first."""
    return np.argsort(tile_cost(times.shape, times.tiles), kind="stable")


def by_chance(times: TileTimes) -> float:
    """Return the mean evaluations of all random orders: (tiles + 1) / (good tiles + 1)."""
    return float((len(times.tiles) + 1) / (times.good.sum() + 1))


def by_learner(times: TileTimes, seed: int, with_model: bool) -> Order:
    """Return the tiles that a Gaussian process tries, up to the first that is good enough.

    The seed is that of the tiles tried at random to begin with. With the model, the model's time is
    its mean, and it begins with the model's best tile.
    """
    positions = np.log2(times.tiles)
    apart = ((positions[:, None] - positions[None]) ** 2).sum(axis=2)
    seconds = np.log(times.seconds)
    prior = np.log(tile_cost(times.shape, times.tiles)) if with_model else np.zeros(len(seconds))
    rng = np.random.default_rng(whole("seed", seed))
    if with_model:
        tried = [int(np.argmin(prior))]
    else:
        tried = [int(index) for index in rng.permutation(len(seconds))[:FIRST]]
    while not times.good[tried].any():
        mean, deviation = posterior(apart, (seconds - prior)[tried], np.array(tried))
        gain = expected_improvement(mean + prior, deviation, seconds[tried].min())
        gain[tried] = -np.inf
        tried.append(int(np.argmax(gain)))
    return np.array(tried)


def posterior(squared_distances: Floats, observed: Floats, tried: Order) -> tuple[Floats, Floats]:
    """Return mean and deviation of a Gaussian process at all tiles.

    `squared_distances` are squared distances, shape (tiles, tiles); `observed` are the values at
    the n tiles tried, of which the mean is taken off and whose standard deviation is the scale.
    """
    middle = observed.mean()
    scale = max(float(observed.std()), 0.1)
    best = (-np.inf, np.zeros(len(squared_distances)), np.ones(len(squared_distances)))
    for length in _LENGTHS:
        kernel = scale**2 * np.exp(-squared_distances[tried] / (2 * length**2))
        lower = np.linalg.cholesky(kernel[:, tried] + _NOISE**2 * np.eye(len(tried)))
        half = np.linalg.solve(lower, np.column_stack([observed - middle, kernel]))
        likelihood = -float(half[:, 0] @ half[:, 0]) / 2 - float(np.log(np.diag(lower)).sum())
        if likelihood > best[0]:
            variance = np.maximum(scale**2 - (half[:, 1:] ** 2).sum(axis=0), 1e-12)
            best = (likelihood, middle + half[:, 1:].T @ half[:, 0], np.sqrt(variance))
    return best[1], best[2]


def by_other_shapes(tables: tuple[TileTimes, ...], held_out: int) -> Order:
    """Return a shape's tiles by the forecast of trees that learned from all tiles of the others."""
    from sklearn.ensemble import ExtraTreesRegressor

    known = [times for index, times in enumerate(tables) if index != held_out]
    target = np.concatenate([np.log(times.seconds / times.shape.flops) for times in known])
    trees = ExtraTreesRegressor(100, random_state=0)
    trees.fit(np.vstack([_numbers(times) for times in known]), target)
    return np.argsort(trees.predict(_numbers(tables[held_out])), kind="stable")


@cache
def contest(seeds: int = SEEDS) -> dict[str, Floats]:
    """Return the evaluations that each of `WAYS` takes on the recorded shapes, shape (shapes,).

    Of the learner without a model, the geometric mean over seeds counts.
    """
    tables = recorded()
    one_number: dict[str, Callable[[TileTimes], float]] = {
        MODEL: lambda times: evaluations(times, by_model(times)),
        BOTH: lambda times: len(by_learner(times, 0, True)),
        LEARNER: lambda times: _mean([len(by_learner(times, s, False)) for s in range(seeds)]),
        CHANCE: by_chance,
    }
    by_way = {
        way: np.array([count(table) for table in tables]) for way, count in one_number.items()
    }
    by_way[OTHERS] = np.array(
        [evaluations(table, by_other_shapes(tables, index)) for index, table in enumerate(tables)]
    )
    return by_way


def _mean(counts: list[int]) -> float:
    return float(np.exp(np.mean(np.log(counts))))


def _numbers(times: TileTimes) -> Floats:
    sides = np.log2(np.array(times.shape, float))
    sizes = np.log2(times.tiles)
    return np.hstack(
        [sizes, np.tile(sides, (len(sizes), 1)), np.log2(times.tiles.prod(axis=1))[:, None]]
    )


def ratio(with_model: Floats, without: Floats) -> tuple[float, float, float]:
    """Return how many times as many evaluations are needed without, with a 95 % interval.

    Geometric mean, lower and upper end, by Student's t over shapes.
    """
    return geometric_mean_interval(without / with_model)


def factor(with_model: str, without: str) -> tuple[float, float, float]:
    """Return `ratio` for two of `WAYS` on the recorded shapes."""
    by_way = contest()
    return ratio(by_way[with_model], by_way[without])


HERE = Shape(128, 128, 128)
NOISY = 0.05
"""Noise floor above which a difference of 5 % can't be seen."""


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
    return {
        MODEL: float(evaluations(times, by_model(times))),
        BOTH: float(len(by_learner(times, 0, True))),
        LEARNER: _mean([len(by_learner(times, seed, False)) for seed in range(5)]),
        CHANCE: by_chance(times),
    }


def own_machine_conclusion(search: OwnSearch) -> str:
    """Say whether the model's order was of use on this machine."""
    if search.times.noise > NOISY:
        return (
            "The searches can't be compared here: the two rounds differ by "
            f"{100 * search.times.noise:.0f} %, and the goal is 5 %. Repeat the cell on a quiet "
            "machine."
        )
    model_count, chance = search.counts[MODEL], search.counts[CHANCE]
    if model_count < chance:
        return (
            "The model's order is useful even with another machine's caches: it reaches a good "
            f"tile at position {model_count:.0f}, and chance on average at {chance:.0f}."
        )
    return (
        "The model's order reaches a good tile no earlier than chance, at position "
        f"{model_count:.0f} instead of {chance:.0f}. Its caches aren't this machine's caches."
    )


def search_conclusion(by_way: dict[str, Floats]) -> str:
    """Say what is lost without the model, from the evaluations of `contest` by search."""
    parts = []
    for with_model, without, name in (
        (MODEL, CHANCE, "A random search needs"),
        (BOTH, LEARNER, "The learner without the model needs"),
        (MODEL, OTHERS, "The trees that know the other shapes need"),
    ):
        middle, low, high = ratio(by_way[with_model], by_way[without])
        span = f"(95 % interval {low:.2g} to {high:.2g})"
        if low > 1:
            parts.append(f"{name} {middle:.2g} times as many evaluations {span}.")
        elif high < 1:
            parts.append(f"{name} only {middle:.2g} times as many evaluations {span}.")
        else:
            parts.append(f"{name} {middle:.2g} times as many, no difference shown {span}.")
    return " ".join(parts)
