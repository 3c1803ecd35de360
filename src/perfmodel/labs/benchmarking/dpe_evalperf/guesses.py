"""Scores that were hidden, guessed from those that were not, by four simple models."""

from __future__ import annotations

import numpy as np

from perfmodel.validation import Floats, within


def hidden_errors(scores: Floats, share: float = 0.1, seed: int = 0) -> dict[str, Floats]:
    """Return how far four guesses are off on scores that they were not shown.

    `scores` has the shape (models, tasks), NaN where there is none; `share` (at most 0.5) of the
    known ones is hidden. The guesses: the model's own mean, the task's mean over the other models,
    the sum of a model's and a task's part (regression), and the model that was most similar on
    other tasks.

    >>> errors = hidden_errors(np.add.outer(np.arange(6.0), np.arange(9.0)))
    >>> [name for name, off in errors.items()]
    ['own mean', 'task mean', 'regression', 'nearest model']
    """
    part = float(within("share", share, 1e-3, 0.5))
    known = np.argwhere(np.isfinite(scores))
    rng = np.random.default_rng(seed)
    hidden = known[rng.random(len(known)) < part]
    shown = scores.copy()
    shown[tuple(hidden.T)] = np.nan
    own, fitted = np.nanmean(shown, axis=1), _two_way(shown)
    guesses = {
        "own mean": own[hidden[:, 0]],
        "task mean": np.nanmean(shown, axis=0)[hidden[:, 1]],
        "regression": fitted[tuple(hidden.T)],
        "nearest model": np.array([_nearest(shown, *place) for place in hidden]),
    }
    truth = scores[tuple(hidden.T)]
    return {name: np.abs(guess - truth) for name, guess in guesses.items()}


def _two_way(shown: Floats) -> Floats:
    """Return every score as a model's part and a task's, by least squares on those shown."""
    rows, columns = np.nonzero(np.isfinite(shown))
    m, n = shown.shape
    design = np.zeros((rows.size, m + n))
    design[np.arange(rows.size), rows] = design[np.arange(rows.size), m + columns] = 1
    found = np.linalg.lstsq(design, shown[rows, columns], rcond=None)[0]
    return np.asarray(found[:m, None] + found[m:])


def _nearest(shown: Floats, row: int, column: int) -> float:
    """Return the score there of the model with the least mean square difference elsewhere."""
    able = np.isfinite(shown[:, column])
    both = np.isfinite(shown[able]) & np.isfinite(shown[row])
    off = np.where(both, shown[able] - np.where(np.isfinite(shown[row]), shown[row], 0), 0)
    distance = (off**2).sum(axis=1) / np.maximum(both.sum(axis=1), 1)
    return float(shown[able, column][distance.argmin()])
