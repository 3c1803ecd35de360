"""A judge who sees only some runs: a patch passes after three clean ones, and a bug may just rest.

The judge boots the patched kernel and runs the program that used to crash it, up to five times. A
crash ends it: failed. Three runs without one: passed. A run that fails for another reason (the
machine didn't come up) uses up an attempt and says nothing.

Source: A. Mathai and others, 2024, kernel_bench_evaluator.py of their repository, for the rule; the
probabilities are worked out here.
"""

from __future__ import annotations

from math import ceil, comb, log

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import Floats, whole, within

CLEAN, ATTEMPTS = 3, 5
"""Clean runs that a patch needs to pass, and runs that it gets at most."""


def pass_chance(
    crash: ArrayLike, outage: ArrayLike = 0.0, clean: int = CLEAN, attempts: int = ATTEMPTS
) -> Floats:
    """Return the chance that a patch passes.

    With c = (1 - outage)(1 - crash) it is the sum over j of C(clean - 1 + j, j) outage^j c^clean,
    where j counts the outages before the last clean run. `crash` and `outage` are the probabilities
    that a run of the patched kernel crashes (0 for a true fix) and that it says nothing.

    >>> print(pass_chance([0.1, 0.3, 0.5, 0.8]).round(3))
    [0.729 0.343 0.125 0.008]
    """
    p, u = within("crash", crash, 0, 1), within("outage", outage, 0, 1)
    needed = whole("clean", clean, 1)
    spare = whole("attempts", attempts, needed) - needed
    quiet = (1 - u) * (1 - p)
    ways = sum(comb(needed - 1 + j, j) * u**j for j in range(spare + 1))
    return np.asarray(ways * quiet**needed)


def predictive_value(
    prior: ArrayLike,
    crash: ArrayLike,
    outage: ArrayLike = 0.0,
    clean: int = CLEAN,
    attempts: int | None = None,
) -> Floats:
    """Return the share of true fixes among the patches that pass, by Bayes' rule.

    `prior` is the share of true fixes among all patches, `crash` that of a patch which is no fix.
    `attempts` is two more than `clean` if left out.

    >>> print(predictive_value(0.01, 0.3).round(4))
    0.0286
    """
    q = within("prior", prior, 0, 1)
    if not (q > 0).all():
        raise ValueError(f"prior must be above 0, got {prior!r}")
    most = clean + ATTEMPTS - CLEAN if attempts is None else attempts
    right = q * pass_chance(0.0, outage, clean, most)
    wrong = (1 - q) * pass_chance(crash, outage, clean, most)
    if not (right > 0).all():
        raise ValueError(f"outage must be below 1 for a patch to pass, got {outage!r}")
    return np.asarray(right / (right + wrong))


def clean_runs_needed(crash: float, limit: float) -> int:
    """Return the clean runs after which a patch that is no fix passes with a chance of `limit`.

    The least n with (1 - crash)^n <= limit.

    >>> clean_runs_needed(0.3, 0.01)
    13
    """
    for name, value in (("crash", crash), ("limit", limit)):
        if not 0 < value < 1:
            raise ValueError(f"{name} must be above 0 and below 1, got {value!r}")
    return ceil(log(limit) / log(1 - crash) - 1e-12)


def judge(
    crash: ArrayLike,
    outage: float,
    rng: np.random.Generator,
    clean: int = CLEAN,
    attempts: int = ATTEMPTS,
) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Run the judge's rule on patches, run by run, and return which of them passed.

    `crash` is the probability that each crashes in a run, shape (patches,).

    >>> judge([0.0, 1.0], 0.0, np.random.default_rng(0)).tolist()
    [True, False]
    """
    p = np.atleast_1d(within("crash", crash, 0, 1))
    needed, most = whole("clean", clean, 1), whole("attempts", attempts, clean)
    quiet, crashed = np.zeros(p.shape, int), np.zeros(p.shape, bool)
    for _ in range(most):
        counts = ~crashed & (quiet < needed) & (rng.random(p.shape) >= outage)
        crashes = rng.random(p.shape) < p
        quiet += counts & ~crashes
        crashed |= counts & crashes
    return quiet >= needed
