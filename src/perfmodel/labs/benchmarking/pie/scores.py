"""The three scores of the paper, of one sample a program or of the best of several.

Source: A. Shypula and others, ICLR 2024, section 4: %OPT, SPEEDUP, %CORRECT and Best@k.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.labs.benchmarking.pie.inputs import THRESHOLD
from perfmodel.validation import Floats, positive


@dataclass(frozen=True)
class EditScore:
    """Shares of programs between 0 and 1, and a mean of ratios that is 1 or more."""

    optimized: float
    speedup: float
    correct: float


def edit_score(old: ArrayLike, new: ArrayLike, correct: ArrayLike) -> EditScore:
    """Score edits: of each program the quickest correct sample counts, or the old one.

    `old` are seconds, shape (programs,); `new` and `correct` have the shape (programs, samples).

    >>> edit_score([4.0, 1.0], [[2.0, 1.0], [0.1, 3.0]], [[True, False], [False, True]])
    EditScore(optimized=0.5, speedup=1.5, correct=1.0)
    """
    before, after, passed = positive("old", old), positive("new", new), np.asarray(correct)
    if after.ndim != 2 or before.shape != after.shape[:1]:
        raise ValueError(f"new must have a row for each of old, {before.size}, got {after.shape}")
    if passed.dtype != bool or passed.shape != after.shape:
        raise ValueError(f"correct must hold a truth value for each of new, got {passed.shape}")
    ratio = before / _quickest(after, passed)
    return EditScore(
        optimized=float(np.mean(ratio >= THRESHOLD)),
        speedup=float(np.mean(np.maximum(ratio, 1.0))),
        correct=float(np.mean(passed.any(axis=1))),
    )


def _quickest(times: Floats, passed: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> Floats:
    """Return the least time of a correct sample of each program, or infinity."""
    return np.asarray(np.where(passed, times, np.inf).min(axis=1))


def null_score(programs: int, samples: int, noise: float, rng: np.random.Generator) -> EditScore:
    """Score a "model" that hands every program back as it is, timed with log-normal noise.

    `noise` is the standard deviation of the logarithm of one timing.

    >>> null_score(100, 1, 0.0, np.random.default_rng(0))
    EditScore(optimized=0.0, speedup=1.0, correct=1.0)
    """
    old = np.exp(noise * rng.standard_normal(programs))
    new = np.exp(noise * rng.standard_normal((programs, samples)))
    return edit_score(old, new, np.ones((programs, samples), bool))
