"""Rounds of a challenge, whose splits are named for what they ask.

| name of a split | what holds of its rows |
| --- | --- |
| `random`, `random within the X` | training and test rows are drawn alike, from the same groups |
| `larger` | every row of the test set `beyond` is larger than every training row |
| `unseen X` | no training row has the group X of any test row |
| `k of a new X` | just k training rows have the group X of the test rows |
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import GroupKFold

from perfmodel.prediction.arena.dataset import Dataset
from perfmodel.prediction.arena.splits import Split, few_shot_split, larger_split, shuffle_split
from perfmodel.prediction.arena.tuning import FOLDS

Rounds = list[tuple[int, int, Split]]
"""Budget, seed and rows of each."""
SEEDS = tuple(range(16))
TESTED = 200
"""Test rows of a test set, at most."""


def at_random(data: Dataset, budgets: Iterable[int], seeds: Sequence[int]) -> Rounds:
    """Return rounds that ask for more rows of the kind that was measured."""
    return [(n, seed, shuffle_split(data, n, seed, TESTED)) for n in budgets for seed in seeds]


def larger(
    data: Dataset,
    size: ArrayLike,
    budgets: Iterable[int],
    seeds: Sequence[int],
    small_fraction: float = 0.5,
) -> Rounds:
    """Return rounds that learn from small rows and ask for large ones.

    The fraction `small_fraction` of the rows with the least `size`, shape (n,), counts as small.
    """
    return [
        (n, seed, larger_split(data, size, n, seed, small_fraction, TESTED))
        for n in budgets
        for seed in seeds
    ]


def unseen(
    data: Dataset,
    group: str,
    budgets: Iterable[int],
    seeds: Sequence[int],
    held_out_fraction: float = 0.25,
) -> Rounds:
    """Return rounds that ask for values of a group of which nothing was measured.

    The fraction `held_out_fraction` of the group's values is held out, one at least; seeds take
    turns, so that each value is held out about equally often. Where a budget is more, all remaining
    rows are learned from.
    """
    return [
        (n, seed, _unseen_split(data, group, n, seed, held_out_fraction))
        for n in budgets
        for seed in seeds
    ]


def _unseen_split(data: Dataset, group: str, budget: int, seed: int, share: float) -> Split:
    of = data.group(group).astype(str)
    values = np.random.default_rng(0).permutation(np.unique(of))
    count = max(1, round(share * values.size))
    held_out = np.roll(values, -seed * count)[:count]
    order = np.random.default_rng(seed).permutation(of.size)
    out = np.isin(of[order], held_out)
    train, test = order[~out][:budget], order[out][:TESTED]
    return Split(f"unseen {group}", train, {"beyond": test}, group_folds(of[train]))


def group_folds(of: NDArray[np.str_]) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Return folds that keep groups whole, three at most; none where there is one group."""
    parts = min(FOLDS, np.unique(of).size)
    return [] if parts < 2 else list(GroupKFold(parts).split(of, groups=of))


def few_shot_rounds(
    data: Dataset, group: str, shots: Iterable[int], seeds: Sequence[int]
) -> Rounds:
    """Return rounds that learn from all other values of a group and a few rows of the tested one.

    Seeds take the values in turn; the budget of a round is the number of rows, `shots`.
    """
    values = sorted(set(data.group(group)))
    return [
        (
            few,
            seed,
            few_shot_split(data, group, values[seed % len(values)], few, len(data), seed),
        )
        for few in shots
        for seed in seeds
    ]


def renamed(rounds: Rounds, name: str) -> Rounds:
    """Return rounds whose splits have another name."""
    return [(points, seed, replace(split, name=name)) for points, seed, split in rounds]
