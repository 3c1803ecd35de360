"""EvalPerf's leaderboard from its models' scores on tasks, of which each solves other ones.

Source: evalplus, `results/evalperf`, as the README next to this file names it.

>>> table = task_scores()
>>> table.scores.shape, int(table.common().sum())
((34, 118), 59)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from perfmodel.measurement.statistics.least_squares import two_way_fit
from perfmodel.shipped_data import shipped_table
from perfmodel.validation import Floats, non_negative, one_of, within


@dataclass(frozen=True, eq=False)
class TaskScores:
    """Scores of models on tasks, NaN where a task is not scored."""

    models: tuple[str, ...]
    tasks: tuple[str, ...]
    scores: Floats
    """Shape (models, tasks), 0 to 100."""

    def own_means(self) -> Floats:
        """Return each model's mean over its own scored tasks."""
        return np.asarray(np.nanmean(self.scores, axis=1))

    def common(self, least: int | None = None) -> NDArray[np.bool_]:
        """Return which tasks are scored for at least this many models, for all if not given."""
        counts = np.isfinite(self.scores).sum(axis=0)
        return np.asarray(counts >= (len(self.models) if least is None else least))

    def task_win_rates(self, tie: float = 0.0) -> Floats:
        """Return the share of comparisons on one task that each model wins, a tie being half.

        Compared is with every other model on every task scored for both. Scores that differ by at
        most `tie` are level. With 0, as in the published rates, two means of the same samples that
        differ by rounding are a win and a loss.
        """
        wins, rounds = _duels(self.scores, float(non_negative("tie", tie)))
        return np.asarray(wins.sum(axis=1) / rounds.sum(axis=1))

    def model_win_rates(self) -> Floats:
        """Return the share of other models whose mean is lower on the tasks of both."""
        own, other = _pair_means(self.scores)
        off = ~np.eye(len(self.models), dtype=bool)
        return np.asarray(((own > other) & off).sum(axis=1) / (len(self.models) - 1))

    def row(self, model: str) -> Floats:
        """Return one model's scores."""
        one_of("model", model, self.models)
        return np.asarray(self.scores[self.models.index(model)])


def _duels(scores: Floats, tie: float) -> tuple[Floats, Floats]:
    """Return wins (ties half) and rounds of each model against each other, shape (m, m)."""
    lead = scores[:, None, :] - scores[None, :, :]
    both = np.isfinite(lead) & ~np.eye(len(scores), dtype=bool)[:, :, None]
    wins = np.where(both, (lead > tie) + 0.5 * (np.abs(lead) <= tie), 0.0)
    return wins.sum(axis=2), both.sum(axis=2).astype(float)


def _pair_means(scores: Floats) -> tuple[Floats, Floats]:
    """Return the means of the row's and of the column's model over the tasks of both."""
    known = np.isfinite(scores).astype(float)
    filled = np.where(known > 0, scores, 0.0)
    rounds = known @ known.T
    own = filled @ known.T / rounds
    return own, own.T


@cache
def task_scores() -> TaskScores:
    """Return the scores of the table beside this file, to their last digit."""
    table = shipped_table(__package__, "scores.csv", index_col="task", dtype=str).astype(float)
    return TaskScores(tuple(table.columns), tuple(table.index), table.to_numpy(dtype=float).T)


@cache
def printed() -> pd.DataFrame:
    """Return what the project prints of each model, as texts, by the model's name."""
    return shipped_table(__package__, "leaderboard.csv", index_col="model", dtype=str)


def hidden_errors(scores: Floats, fraction: float = 0.1, seed: int = 0) -> dict[str, Floats]:
    """Return how far four guesses are off on scores that they were not shown.

    `scores` has the shape (models, tasks), NaN where there is none; `fraction` (at most 0.5) of the
    known ones is hidden. The guesses: the model's own mean, the task's mean over the other models,
    the sum of a model's and a task's part (regression), and the model that was most similar on
    other tasks.

    >>> errors = hidden_errors(np.add.outer(np.arange(6.0), np.arange(9.0)))
    >>> [name for name, off in errors.items()]
    ['own mean', 'task mean', 'regression', 'nearest model']
    """
    part = float(within("fraction", fraction, 1e-3, 0.5))
    known = np.argwhere(np.isfinite(scores))
    rng = np.random.default_rng(seed)
    hidden = known[rng.random(len(known)) < part]
    shown = scores.copy()
    shown[tuple(hidden.T)] = np.nan
    own, fitted = np.nanmean(shown, axis=1), two_way_fit(shown)
    guesses = {
        "own mean": own[hidden[:, 0]],
        "task mean": np.nanmean(shown, axis=0)[hidden[:, 1]],
        "regression": fitted[tuple(hidden.T)],
        "nearest model": np.array([_nearest(shown, *index) for index in hidden]),
    }
    truth = scores[tuple(hidden.T)]
    return {name: np.abs(guess - truth) for name, guess in guesses.items()}


def _nearest(shown: Floats, row: int, column: int) -> float:
    """Return the score there of the model with the least mean square difference elsewhere."""
    able = np.isfinite(shown[:, column])
    both = np.isfinite(shown[able]) & np.isfinite(shown[row])
    off = np.where(both, shown[able] - np.where(np.isfinite(shown[row]), shown[row], 0), 0)
    distance = (off**2).sum(axis=1) / np.maximum(both.sum(axis=1), 1)
    return float(shown[able, column][distance.argmin()])
