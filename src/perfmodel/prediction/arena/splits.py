"""Which rows a predictor learns from and which it is tested on: the question a score answers.

Every split draws `budget` training rows; what changes is where the test rows come from.

| split | asks |
| --- | --- |
| `shuffle_split` | another run of the kind that was measured |
| `larger_split` | a run beyond the largest that was measured |
| `unseen_split` | a machine or workload of which nothing was measured |
| `few_shot_split` | one of which a few runs were measured, and much of others |
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from perfmodel.prediction.arena.dataset import Dataset, LeakError, Rows, complete
from perfmodel.validation import sample, whole, within


@dataclass(frozen=True, eq=False)
class Split:
    """Rows to learn from, and one or more named sets of rows to be tested on."""

    name: str
    train: Rows
    tests: dict[str, Rows]
    folds: Sequence[tuple[Rows, Rows]] = ()
    """Positions among the training rows to learn from and to be tested on, for a predictor that
    tunes itself for the question of the test; none if any folds are suitable."""

    def check(self, dataset: Dataset) -> None:
        """Refuse a split that shows test rows of `dataset` to the predictor.

        Raises `LeakError` if a test row is a training row, or has the features of one: then it is a
        repeat of the same run, and a predictor that remembers would look like one that understands.
        """
        seen, rows = set(_keys(dataset, self.train)), set(self.train.tolist())
        for name, test in self.tests.items():
            keys = _keys(dataset, test)
            both = [
                row
                for row, key in zip(test.tolist(), keys, strict=True)
                if row in rows or key in seen
            ]
            if both:
                raise LeakError(
                    f"split {self.name!r} of {dataset.name} tests ({name}) on {len(both)} row(s) "
                    f"that it learns from or that repeat one, first row {both[0]}"
                )


def _keys(dataset: Dataset, rows: Rows) -> list[tuple[object, ...]]:
    return list(dataset.features.iloc[rows].itertuples(index=False, name=None))


def shuffle_split(dataset: Dataset, budget: int, seed: int, test: int = 200) -> Split:
    """Draw `budget` training and at most `test` test rows from all of `dataset`, by `seed`."""
    order = np.random.default_rng(seed).permutation(len(dataset))
    _enough(budget, len(dataset) - 1)
    # The test rows come first, so that budgets of one seed are tested on the same rows.
    tested = min(whole("test", test, 1), len(dataset) - budget)
    return Split("random", order[tested:][:budget], {"inside": order[:tested]})


def larger_split(
    dataset: Dataset,
    size: ArrayLike,
    budget: int,
    seed: int,
    small_fraction: float = 0.5,
    test: int = 200,
) -> Split:
    """Learn from small runs and be tested on small and on large ones.

    Raises `ValueError` if a size is missing, or none is large; if the small ones don't suffice for
    `budget`.

    Parameters
    ----------
    dataset : Dataset
    size : array_like, shape (n,)
        What makes a run large: its operations, its bytes.
    budget : int
        Training rows, all of them small.
    seed : int
    small_fraction : float
        Share of the rows that count as small, above 0 and below 1.
    test : int
        Rows at most of each test set: `inside`, small ones that were not trained on, and `beyond`.
    """
    whole("test", test, 1)
    import pandas as pd

    complete("size", pd.Series(np.ravel(size)))
    sizes = sample("size", size)
    if sizes.size != len(dataset):
        raise ValueError(
            f"size must have a value for each of the {len(dataset)} rows of {dataset.name}, "
            f"got {sizes.size}"
        )
    cut = float(np.quantile(sizes, within("small_fraction", small_fraction, 0.01, 0.99)))
    order = np.random.default_rng(seed).permutation(len(dataset))
    small, large = order[sizes[order] <= cut], order[sizes[order] > cut]
    if large.size == 0:
        raise ValueError(
            f"size must have values above {cut:g}, up to which a run counts as small, got none"
        )
    _enough(budget, small.size - 1)
    inside, train = small[budget:][:test], small[:budget]
    tests = {"inside": inside, "beyond": large[:test]}
    return Split("larger", train, tests, _largest_third(sizes[train]))


def unseen_split(dataset: Dataset, group: str, value: object, budget: int, seed: int) -> Split:
    """Learn from `budget` rows of other groups and be tested on all rows of one of `dataset`.

    The `group` says what is unseen (`machine`, `workload`), the `value` which one; the `seed`
    draws.
    """
    return few_shot_split(dataset, group, value, 0, budget, seed)


def few_shot_split(
    dataset: Dataset, group: str, value: object, shots: int, budget: int, seed: int
) -> Split:
    """Learn from the other groups and a few rows of one, and be tested on the rest of that one.

    `shots` training rows are of the group that is tested, `budget` of the others, or all there are;
    `dataset`, `group`, `value` and `seed` are as for `unseen_split`.
    """
    of = dataset.group(group)
    order = np.random.default_rng(seed).permutation(len(dataset))
    own, others = order[of[order] == value], order[of[order] != value]
    if own.size == 0:
        raise ValueError(f"value must be a {group} of {dataset.name}, got {value!r}")
    taken = whole("shots", shots)
    if taken >= own.size:
        raise ValueError(f"shots must be below the {own.size} rows of {value!r}, got {shots}")
    train = np.concatenate([own[:taken], others[: whole("budget", budget)]])
    if train.size == 0:
        raise ValueError("shots and budget must not both be 0")
    name = f"unseen {group}" if taken == 0 else f"{taken} of a new {group}"
    folds = _few_shot_folds(of[train], value, taken) if taken else _group_folds(of[train])
    return Split(name, train, {"beyond": own[taken:]}, folds)


def _largest_third(sizes: ArrayLike) -> list[tuple[Rows, Rows]]:
    order = np.argsort(sizes, kind="stable")
    known = order.size - order.size // 3
    return [(order[:known], order[known:])] if known < order.size else []


def _group_folds(groups: NDArray[np.object_]) -> list[tuple[Rows, Rows]]:
    values = sorted(set(groups), key=str)
    if len(values) < 2:
        return []
    # Folds of whole groups, three at most, so that every fold judges on groups it has not seen.
    fold = {value: index % 3 for index, value in enumerate(values)}
    of = np.array([fold[value] for value in groups])
    return [(np.flatnonzero(of != part), np.flatnonzero(of == part)) for part in np.unique(of)]


def _few_shot_folds(
    groups: NDArray[np.object_], tested: object, shots: int
) -> list[tuple[Rows, Rows]]:
    """Ask of other groups what is asked of the tested one: a few rows known, the rest not."""
    folds = []
    for value in sorted(set(groups) - {tested}, key=str)[:3]:
        asked = np.flatnonzero(groups == value)[shots:]
        if asked.size:
            folds.append((np.setdiff1d(np.arange(groups.size), asked), asked))
    return folds


def _enough(budget: int, most: int) -> None:
    if whole("budget", budget, 1) > most:
        raise ValueError(f"budget must be at most {most} rows here, got {budget}")
