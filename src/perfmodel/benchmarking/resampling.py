"""How sure a benchmark's number is: the stratified bootstrap over tasks and runs, and of ranks.

Two questions, two resamplings. *Would the same tasks, run again, give the same number?* draws the
runs of each task again, with replacement, every task for itself (a stratum). *Would other tasks of
this kind give it?* draws the tasks as well. Systems that were judged on the same tasks keep them:
each resample draws one set of tasks for all.

Source: R. Agarwal, M. Schwarzer, P. S. Castro, A. Courville, M. G. Bellemare, "Deep reinforcement
learning at the edge of the statistical precipice", NeurIPS 2021, section 4.1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from perfmodel.benchmarking.influence import Statistic
from perfmodel.measurement.statistics.intervals import check_level
from perfmodel.validation import Floats, finite, whole

_BATCH = 1 << 17
"""Scores drawn at once: what fits a second-level cache is drawn fastest."""
_KEPT = 1 << 24
"""Bytes. Once an array of this size was freed, glibc keeps what smaller ones give back; otherwise
each batch gets fresh pages from the system, which takes longer than to draw it."""


@dataclass(frozen=True, eq=False)
class Resampled:
    """A statistic, and the values that it takes on resampled scores."""

    value: Floats
    """On the scores themselves, shape (...)."""
    samples: Floats
    """On the resamples, shape (resamples, ...)."""

    def interval(self, confidence: float = 0.95) -> tuple[Floats, Floats]:
        """Return the ends of the percentile interval, each of the shape of `value`."""
        tail = (1 - check_level(confidence)) / 2
        low, high = np.quantile(self.samples, [tail, 1 - tail], axis=0)
        return low, high

    @property
    def standard_error(self) -> Floats:
        """Standard deviation of the samples, of the shape of `value`."""
        return np.asarray(self.samples.std(axis=0, ddof=1))


class RankStability(NamedTuple):
    """How often each of S systems gets each rank, and wins against each other."""

    rank_fractions: Floats
    """Share of the resamples in which system i has rank j, counted from 0; shape (S, S)."""
    win_fractions: Floats
    """Share in which system i is better than j, a tie being half a win; shape (S, S)."""


def stratified_bootstrap(
    scores: ArrayLike,
    statistic: Statistic,
    *,
    tasks: bool = True,
    resamples: int = 10_000,
    seed: int = 0,
) -> Resampled:
    """Resample the runs of each task, and the tasks: a statistic becomes a `Resampled`.

    Parameters
    ----------
    scores : array_like, shape (..., tasks, runs)
        Scores of one system, or of several on the same tasks. With one run a task only tasks can
        be resampled.
    statistic : callable
        Takes an array of shape (..., tasks, runs) and reduces the last two axes to a number, or to
        several in a last axis of its own.
    tasks : bool
        Whether tasks are drawn too: the interval is then for other tasks of the same kind.
    resamples : int
        2 or more.
    seed : int
        Of the random numbers, 0 or more.

    Examples
    --------
    >>> def mean(scores):
    ...     return scores.mean(axis=(-2, -1))
    >>> found = stratified_bootstrap([[1.0, 2.0], [5.0, 6.0]], mean, tasks=False)
    >>> print(found.value, *found.interval())
    3.5 3.0 4.0
    """
    table = _table(scores, tasks)
    value = np.asarray(statistic(table), dtype=np.float64)
    draws = _draws(table, tasks, whole("resamples", resamples, 2), whole("seed", seed))
    samples = [_checked(statistic(drawn), (len(drawn), *value.shape)) for drawn in draws]
    return Resampled(value, np.concatenate(samples))


def rank_stability(
    scores: ArrayLike,
    statistic: Statistic,
    *,
    larger_is_better: bool = True,
    tasks: bool = True,
    resamples: int = 10_000,
    seed: int = 0,
) -> RankStability:
    """Return how often systems keep their ranks when tasks and runs are resampled.

    Two systems or more have `scores` on the same tasks, shape (systems, tasks, runs). Systems that
    tie share the best of their ranks, which is of the largest `statistic` if `larger_is_better`.
    The `statistic` of the last two axes, `tasks`, `resamples` and `seed` are as for
    `stratified_bootstrap`. The result is a `RankStability`.

    Examples
    --------
    >>> def mean(scores):
    ...     return scores.mean(axis=(-2, -1))
    >>> near = rank_stability([[[1.0], [2.0], [9.0]], [[2.0], [3.0], [6.0]]], mean)
    >>> print(near.win_fractions[0, 1].round(1))
    0.7
    """
    table = _table(scores, tasks)
    if table.ndim != 3 or len(table) < 2:
        raise ValueError(f"scores must have shape (systems, tasks, runs), got {table.shape}")
    result = stratified_bootstrap(table, statistic, tasks=tasks, resamples=resamples, seed=seed)
    good = result.samples if larger_is_better else -result.samples
    better = good[:, :, None] > good[:, None, :]
    ranks = better.sum(axis=1)
    fractions = (ranks[:, :, None] == np.arange(len(table))).mean(axis=0)
    equal = (good[:, :, None] == good[:, None, :]).mean(axis=0)
    return RankStability(fractions, better.mean(axis=0) + equal / 2)


def _table(scores: ArrayLike, tasks: bool) -> Floats:
    table = finite("scores", scores)
    if table.ndim < 2 or 0 in table.shape:
        raise ValueError(f"scores must have shape (..., tasks, runs), got {table.shape}")
    if table.shape[-1] == 1 and not tasks:
        raise ValueError("tasks must be True where scores have one run a task")
    return table


def _checked(found: ArrayLike, shape: tuple[int, ...]) -> Floats:
    values = np.asarray(found, dtype=np.float64)
    if values.shape != shape:
        raise ValueError(
            f"statistic must reduce the last two axes alone, to shape {shape}, got {values.shape}"
        )
    return values


def _draws(table: Floats, tasks: bool, resamples: int, seed: int) -> Iterator[Floats]:
    """Yield batches of resampled tables, each of shape (batch, ..., tasks, runs).

    In memory tasks are the innermost axis, which is the longer one: twice as fast.
    """
    rng = np.random.Generator(np.random.SFC64(seed))
    count, runs = table.shape[-2:]
    systems = table.size // (count * runs)
    first = runs * count * np.arange(systems)[:, None, None]
    chosen, size = runs * np.arange(count), max(1, _BATCH // table.size)
    np.empty(_KEPT, dtype=np.uint8)
    for done in range(0, resamples, size):
        batch = min(size, resamples - done)
        if tasks:
            chosen = runs * rng.integers(count, size=(batch, 1, 1, count))
        shape = (batch, systems, runs, count)
        drawn = _run_numbers(rng, runs, prod(shape)).reshape(shape)
        scores = table.ravel().take(first + chosen + drawn if systems > 1 else chosen + drawn)
        yield scores.swapaxes(-1, -2).reshape(batch, *table.shape[:-2], count, runs)


def _run_numbers(rng: np.random.Generator, runs: int, size: int) -> NDArray[np.integer]:
    """Return `size` numbers below `runs`, all equally likely, from 16 random bits each.

    The upper half of bits times `runs` is the number; what the lower half would favour is drawn
    again. Source: D. Lemire, "Fast random integer generation in an interval", ACM Transactions on
    Modeling and Computer Simulation 29 (1), 2019.
    """
    if runs >= 1 << 16:
        return rng.integers(runs, size=size)
    words = rng.integers(0, 1 << 64, size=-(-size // 4), dtype=np.uint64)
    products = words.view(np.uint16)[:size].astype(np.uint32)
    products *= np.uint32(runs)
    again = np.flatnonzero(products.astype(np.uint16) < (1 << 16) % runs)
    products >>= np.uint32(16)
    products[again] = rng.integers(runs, size=again.size)
    return products
