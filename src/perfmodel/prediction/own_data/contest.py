"""A contest of families on a reader's own runs, in one call."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from perfmodel.prediction.arena.contest import Contestant
from perfmodel.prediction.arena.dataset import Dataset
from perfmodel.prediction.arena.estimators import Priced
from perfmodel.prediction.arena.model_families import family_contestants
from perfmodel.prediction.arena.splits import larger_split, shuffle_split, unseen_split
from perfmodel.prediction.arena.standings import standings_of_answers
from perfmodel.prediction.own_data.conclusions import branches, conclusions
from perfmodel.prediction.own_data.expressions import Counts
from perfmodel.prediction.own_data.report import page
from perfmodel.prediction.own_data.rounds import Task, digest, played
from perfmodel.prediction.own_data.run_table import RunTable, read_runs, require
from perfmodel.validation import whole

if TYPE_CHECKING:
    import pandas as pd

GRID = (10, 30, 100, 300, 1000)
"""Budgets that are tried if the table has twice as many rows."""
RESAMPLES = 6
"""Of training rows, for each question and budget."""
GROUPS = 10
"""Left out in turn, at most."""
OWN = ("own model", "second own model")
"""Names of the models that the reader's counts make."""
MIN_OTHER_RUNS = 10
"""Runs of other groups, without which a group isn't left out: too few to learn from."""


@dataclass(frozen=True, eq=False)
class OwnContest:
    """What came of a contest on a reader's own runs."""

    dataset: Dataset
    board: pd.DataFrame
    """As from `perfmodel.prediction.standings`, for all questions and budgets."""
    conclusions: list[str]
    """The result of each question at its largest budget, in words."""
    branches: list[list[str]]
    """Of the decision chart: what is asked, what to start with, what these runs say."""
    notes: list[str]
    """What was done to the table, and what wasn't asked."""

    @property
    def advice(self) -> list[str]:
        """What to start with for each question that was asked, and what these runs say."""
        return [
            f"For {asked}, start with {advice}. Here: {here}."
            for asked, advice, here in self.branches
        ]

    def __str__(self) -> str:
        """Return notes, results and advice as text."""
        return "\n".join([*self.notes, *self.conclusions, *self.advice])

    def _repr_html_(self) -> str:
        return page(self, whole_page=False)


def own_contest(
    source: pd.DataFrame | str | Path,
    target: str,
    group: str | None = None,
    units: Mapping[str, str] | None = None,
    budgets: Sequence[int] | None = None,
    size: str | None = None,
    counts: Sequence[str] = (),
    drop: Sequence[str] = (),
    known: Sequence[str] = (),
    drawings: int = RESAMPLES,
    report: str | Path | None = None,
    progress: bool = False,
    cores: int | None = None,
) -> OwnContest:
    """Return the `OwnContest` of all families on a table of runs.

    Parameters
    ----------
    source : pandas.DataFrame or path of a CSV file
        A row a run, with a header. A header may name a unit: `bytes [B]`.
    target : str
        Column that is predicted, above 0.
    group : str, optional
        Column that names machines or workloads, two or more. Then whole groups are also left out in
        turn, and intervals are drawn by group.
    units : mapping of str to str, optional
        Unit of a column, by its name.
    budgets : sequence of int, optional
        Numbers of training runs; those of 10, 30, 100, 300, 1000 that are at most half the rows
        if left out.
    size : str, optional
        Column that says how large a run is. Then the larger half is also predicted from the
        smaller.
    counts : sequence of str
        One or two models of the reader's own, such as `"m*n*k, m*k, 1"`: the target is a sum of
        these counts at prices of 0 or more, which are fitted. The one that is trusted most first.
    drop, known : sequence of str
        Columns to leave out; columns that may determine the target.
    drawings : int
        Of training rows for each question and budget, 2 or more.
    report : str or Path, optional
        HTML file to write. Finished rounds are kept next to it. Repeat an interrupted call, and it
        continues where it stopped.
    progress : bool
        Show a bar.
    cores : int, optional
        Processes; as many as there are cores if left out.

    Raises
    ------
    ValueError
        For a table that no contest can be held on: a missing value, fewer than 20 runs, a group
        of one value, a text column of many values, a column that isn't there. It says what to do.
    LeakError
        If a column gives the target away.
    """
    named = [name for text in _texts(counts) for name in Counts(text).names]
    settings = [*named, *([] if size is None else [size])]
    runs = read_runs(source, target, group, units, drop, known, settings)
    whole("drawings", drawings, 2)
    if size is not None:
        require("size", size, runs.dataset.features.columns)
        require("size", size, runs.dataset.numeric)
    models = _models(counts, runs.dataset)
    grid = _grid(budgets, len(runs.dataset))
    notes = [*runs.notes, *_settings(group, size, counts)]
    tasks = _tasks(runs, models, grid, size, drawings)
    mark = digest(runs.dataset, target, group, grid, size, list(counts), known, drawings, _named())
    keep = None if report is None else Path(report).with_suffix(".rounds.jsonl")
    count = whole("cores", cores, 1) if cores is not None else os.cpu_count() or 1
    given = played(runs.dataset, tasks, keep, mark, progress, count)
    board = standings_of_answers(runs.dataset, given, group)
    said = conclusions(board, runs.dataset, group)
    result = OwnContest(runs.dataset, board, said, branches(board), notes)
    if report is not None:
        Path(report).write_text(page(result), encoding="utf-8")
    return result


def _named() -> list[tuple[str, str]]:
    return [(item.name, repr(item.estimator)) for item in family_contestants({}, ["x"])]


def _texts(counts: Sequence[str]) -> Sequence[str]:
    if isinstance(counts, str) or len(counts) > 2:
        raise ValueError(f"counts must be a list of one or two texts, got {counts!r}")
    return counts


def _models(counts: Sequence[str], dataset: Dataset) -> dict[str, Priced]:
    models: dict[str, Priced] = {}
    for text in counts:
        one = Counts(text)
        for name in one.names:
            require("counts", name, dataset.numeric)
        with np.errstate(all="ignore"):
            counted = one(dataset.features)
        for name, values in counted.items():
            if not (np.isfinite(values).all() and (np.asarray(values) > 0).all()):
                row = int(np.argmin(np.isfinite(values) & (np.asarray(values) > 0)))
                run = ", ".join(f"{key} {dataset.features[key].iloc[row]}" for key in one.names)
                raise ValueError(
                    f"count {name!r} must be above 0 in every run, got {values[row]:g} in the run "
                    f"with {run}"
                )
        models[OWN[len(models)]] = Priced(one)
    return models


def _grid(budgets: Sequence[int] | None, rows: int) -> list[int]:
    if budgets is None:
        return [budget for budget in GRID if budget <= rows / 2]
    grid = sorted({whole("budgets", budget, 2) for budget in budgets})
    if not grid or grid[-1] > rows - 5:
        raise ValueError(
            f"budgets must be whole numbers up to {rows - 5}, which leaves 5 of the {rows} "
            f"different runs to test on, got {list(budgets)}"
        )
    return grid


def _settings(group: str | None, size: str | None, counts: Sequence[str]) -> list[str]:
    notes = [f"The {name} counts {text}." for name, text in zip(OWN, counts, strict=False)]
    if not counts:
        notes.append(
            "No counts were given, so no whitebox or graybox took part: regressions and learners "
            "alone."
        )
    if size is None:
        notes.append("No size was given, so larger runs were not asked about.")
    if group is None:
        notes.append("No group was given, so a new machine or workload was not asked about.")
    return notes


def _tasks(
    runs: RunTable,
    models: Mapping[str, Priced],
    grid: Sequence[int],
    size: str | None,
    drawings: int,
) -> list[Task]:
    dataset = runs.dataset
    entries = family_contestants(models, runs.logged, runs.plain)
    tasks: list[Task] = [
        ((budget, seed, shuffle_split(dataset, budget, seed)), entries)
        for seed in range(drawings)
        for budget in grid
    ]
    if size is not None:
        sizes = dataset.features[size].to_numpy(dtype=float)
        small = int((sizes <= np.quantile(sizes, 0.5)).sum())
        fitting = [budget for budget in grid if budget <= small - 5] or [small - 5]
        tasks += [
            ((fitting[-1], seed, larger_split(dataset, sizes, fitting[-1], seed)), entries)
            for seed in range(drawings)
        ]
    if runs.group is not None:
        tasks += _unseen(runs, models, grid[-1])
    return tasks


def _unseen(runs: RunTable, models: Mapping[str, Priced], budget: int) -> list[Task]:
    dataset, group = runs.dataset, str(runs.group)
    # Flags of groups, or a group's own number, say nothing of a group that was never seen.
    logged = [column for column in runs.logged if column != group]
    plain = [item for item in runs.plain if item not in runs.group_columns and item != group]
    entries: list[Contestant] = family_contestants(models, logged, plain)
    of = dataset.group(group)
    others = {value: len(of) - int((of == value).sum()) for value in sorted(set(of), key=str)}
    values = [value for value, count in others.items() if count >= MIN_OTHER_RUNS]
    drawn = np.random.default_rng(0).permutation(len(values))[:GROUPS]
    some = min([budget, *(others[value] for value in values)])
    return [
        ((some, index, unseen_split(dataset, group, values[value], some, index)), entries)
        for index, value in enumerate(drawn)
    ]
