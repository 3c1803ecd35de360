"""Several answers to each task: pass@k, best@k, efficient@k.

With n samples of a task, any k of them could have been the k that were drawn. The estimators here
are averages over all of these choices, which makes them unbiased; 1 - (1 - c/n)^k isn't.

Source: M. Chen and others, "Evaluating large language models trained on code", 2021,
arXiv:2107.03374, equation 1, for pass@k; Y. Peng and others, "COFFE: a code efficiency benchmark
for code generation", 2025, for efficient@k.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import (
    Floats,
    at_least,
    finite,
    non_negative,
    positive,
    whole,
)


def pass_at_k(samples: ArrayLike, correct: ArrayLike, k: int) -> Floats:
    """Return the probability that at least one of `k` samples, drawn from a task's, is correct.

    Of n `samples` c are `correct`: it is 1 - C(n - c, k) / C(n, k), unbiased for the probability
    with k fresh samples. The mean over tasks is the pass@k of a suite.

    Examples
    --------
    >>> print(pass_at_k(10, [0, 2, 6], 5).round(4))
    [0.     0.7778 1.    ]
    """
    drawn = whole("k", k, 1)
    n = whole_counts("samples", samples, drawn)[..., None]
    c = whole_counts("correct", correct)[..., None]
    if not (c <= n).all():
        raise ValueError(f"correct must be at most samples, got {correct!r} of {samples!r}")
    before = np.arange(drawn)
    return np.asarray(1 - np.prod(np.maximum(n - c - before, 0) / (n - before), axis=-1))


def best_at_k(scores: ArrayLike, k: int) -> Floats:
    """Return the mean of the highest score among k samples, drawn from those of a task.

    The i-th lowest of n scores is the highest of k in C(i - 1, k - 1) of C(n, k) choices. Of times,
    where the lowest is best, take ``-best_at_k(-times, k)``. It is unbiased for the mean of the
    best of k fresh samples.

    Parameters
    ----------
    scores : array_like, shape (..., n)
        Of any unit. A failed sample gets the score of its substitute: a speed-up of 1, if the
        original program is kept.
    k : int
        Samples drawn without replacement, 1 to n.

    Examples
    --------
    >>> print(best_at_k([1.0, 1.0, 4.0], 1), best_at_k([1.0, 1.0, 4.0], 2))
    2.0 3.0
    """
    ordered = np.sort(np.atleast_1d(finite("scores", scores)), axis=-1)
    count = ordered.shape[-1]
    drawn = whole("k", k, 1)
    if drawn > count:
        raise ValueError(f"k must be at most the number of scores, {count}, got {k!r}")
    # Chance that the highest of the k is among the i lowest; its steps are the weights.
    among = 1 - pass_at_k(count, count - np.arange(count + 1), drawn)
    return np.asarray(ordered @ np.diff(among))


def efficient_at_k(costs: ArrayLike, correct: ArrayLike, reference: ArrayLike, k: int) -> Floats:
    """Return the chance that one of k samples is correct and costs less than the best one known.

    It is pass@k with "correct" made stricter, so never above it.

    Parameters
    ----------
    costs : array_like, shape (..., n)
        Time (s) or count of instructions of each sample, 0 or more.
    correct : array_like of bool, shape (..., n)
        Whether it passed all tests.
    reference : array_like, shape (...)
        Cost of the best known solution of the task, in the unit of `costs`, above 0.
    k : int
        Samples drawn without replacement, 1 to n.

    Examples
    --------
    >>> print(efficient_at_k([5.0, 8.0, 20.0, 30.0], [False, True, True, True], 10.0, k=1))
    0.25
    """
    cost = np.atleast_1d(non_negative("costs", costs))
    passed = np.asarray(correct)
    if passed.dtype != bool or passed.shape != cost.shape:
        raise ValueError(
            f"correct must hold a truth value for each of costs, shape {cost.shape}, "
            f"got {passed.dtype} of shape {passed.shape}"
        )
    better = passed & (cost < positive("reference", reference)[..., None])
    return pass_at_k(cost.shape[-1], better.sum(axis=-1), k)


def whole_counts(name: str, value: ArrayLike, low: int = 0) -> Floats:
    """Return whole numbers of `low` or more, or refuse the argument."""
    array = at_least(name, value, low)
    if not (array == np.floor(array)).all():
        raise ValueError(f"{name} must hold whole numbers, got {value!r}")
    return array
