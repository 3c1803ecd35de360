"""What a request holds while it is served: lengths seen by requests, by tokens and by the cache.

A long answer is in the batch for many steps, so a look at the batch finds long answers more often
than a look at the list of requests does: the paradox of the bus stop, in tokens.

>>> float(mean_length_in_batch(200, 1.0))
400.0
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import Floats, at_least, non_negative


def mean_length_in_batch(output: ArrayLike, scv: ArrayLike = 0.0) -> Floats:
    """Return the mean length, when complete, of the answers found in a batch: E[n^2]/E[n].

    Parameters
    ----------
    output : array_like
        Mean tokens of an answer, E[n], 1 or more.
    scv : array_like
        Squared coefficient of variation of the length of answers, 0 or more.

    Returns
    -------
    ndarray
        Tokens; above `output` unless all answers are equally long.
    """
    mean, squared_cv = at_least("output", output, 1), non_negative("scv", scv)
    return np.asarray(mean * (1 + squared_cv))


def mean_context(prompt: ArrayLike, output: ArrayLike, scv: ArrayLike = 0.0) -> Floats:
    """Return the tokens that a sequence has in the cache on average over the steps it takes.

    A sequence holds p tokens in its first step, p + 1 in its second and p + n - 1 in its last, and
    long answers take more steps: p + (E[n^2]/E[n] - 1)/2, with a prompt that says nothing about
    the answer's length.

    Parameters
    ----------
    prompt : array_like
        Mean tokens p of a prompt, 0 or more.
    output : array_like
        Mean tokens of an answer, E[n], 1 or more.
    scv : array_like
        Squared coefficient of variation of the length of answers, 0 or more.

    Examples
    --------
    >>> print(mean_context(100, 201, [0, 1]))
    [200.  300.5]
    """
    start = non_negative("prompt", prompt)
    return np.asarray(start + (mean_length_in_batch(output, scv) - 1) / 2)
