"""Speculative decoding: a small model guesses ahead, the large one verifies all guesses at once.

A round drafts gamma tokens and verifies them in one step of the large model, which gives one token
of its own besides. A token is accepted with chance alpha, independently, and the first refusal ends
the round. Verifying is nearly free while reading the weights takes longer than computing: the
roofline sets the batch at which that ends.

After Leviathan, Kalman and Matias, "Fast inference from transformers via speculative decoding"
(ICML 2023).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import (
    Floats,
    at_least,
    non_negative,
    positive,
    whole,
    whole_numbers,
    within,
)

LONGEST_DRAFT = 64
"""Longest draft that is tried."""


def acceptance_rate(target: ArrayLike, draft: ArrayLike) -> Floats:
    r"""Return the chance that a drafted token is accepted: :math:`\sum_x \min(p_x, q_x)`.

    Parameters
    ----------
    target, draft : array_like, shape (..., words)
        Probabilities that the large and the small model give each word; each sums to 1.

    Returns
    -------
    ndarray
        Shape (...): Corollary 3.6, one less the distance in total variation.

    Raises
    ------
    ValueError
        If probabilities are negative or don't sum to 1.

    Examples
    --------
    >>> float(acceptance_rate([0.7, 0.3], [0.5, 0.5]))
    0.8
    """
    p, q = _probabilities("target", target), _probabilities("draft", draft)
    return np.asarray(np.minimum(p, q).sum(axis=-1))


def tokens_per_round(acceptance: ArrayLike, draft_length: ArrayLike) -> Floats:
    r"""Return the mean tokens that a round yields (equation 1).

    .. math:: \frac{1 - \alpha^{\gamma + 1}}{1 - \alpha}

    Parameters
    ----------
    acceptance : array_like
        alpha, 0 to 1; at 1 every draft is accepted.
    draft_length : array_like
        gamma, whole numbers, 0 or more.

    Returns
    -------
    ndarray
        1 to gamma + 1.

    Examples
    --------
    >>> tokens_per_round([0.6, 0.8, 1.0], [2, 5, 3]).round(2)
    array([1.96, 3.69, 4.  ])
    """
    rate = within("acceptance", acceptance, 0, 1)
    length = whole_numbers("draft_length", draft_length, 0)
    apart = np.where(rate < 1, 1 - rate, 1.0)
    return np.asarray(np.where(rate < 1, (1 - rate ** (length + 1)) / apart, length + 1))


def speculation_speedup(
    acceptance: ArrayLike,
    draft_length: ArrayLike,
    draft_cost: ArrayLike = 0.0,
    verify_cost: ArrayLike = 1.0,
) -> Floats:
    r"""Return the speedup relative to one token a step (Theorem 3.8, with a price for verifying).

    .. math:: \frac{1 - \alpha^{\gamma + 1}}{(1 - \alpha)(\gamma c + v)}

    Parameters
    ----------
    acceptance : array_like
        alpha, 0 to 1.
    draft_length : array_like
        gamma, whole, 0 or more.
    draft_cost : array_like
        c: time of a step of the small model divided by a step of the large model, 0 or more.
    verify_cost : array_like
        v: time of verifying gamma + 1 tokens over that of one, above 0; 1 where it is free.

    Examples
    --------
    >>> float(speculation_speedup(0.8, 5, 0.05).round(2))
    2.95
    """
    price = whole_numbers("draft_length", draft_length, 0) * non_negative("draft_cost", draft_cost)
    price = price + positive("verify_cost", verify_cost)
    return np.asarray(tokens_per_round(acceptance, draft_length) / price)


def extra_operations(
    acceptance: ArrayLike, draft_length: ArrayLike, draft_operations: ArrayLike = 0.0
) -> Floats:
    r"""Return the operations of a token over those without speculation (Theorem 3.11).

    Parameters
    ----------
    acceptance : array_like
        alpha, 0 to 1.
    draft_length : array_like
        gamma, whole, 0 or more.
    draft_operations : array_like
        Operations of the small model for a token over those of the large one, 0 or more.

    Examples
    --------
    What was refused was computed for nothing:

    >>> float(extra_operations(0.6, 2).round(2))
    1.53
    """
    length = whole_numbers("draft_length", draft_length, 0)
    work = length * non_negative("draft_operations", draft_operations) + length + 1
    return np.asarray(work / tokens_per_round(acceptance, length))


def verification_cost(batch: ArrayLike, draft_length: ArrayLike, saturation: ArrayLike) -> Floats:
    """Return the time of a step that verifies, over that of a plain one, on a roofline.

    A step reads the weights once and computes for each token. Up to `saturation` tokens reading
    takes longer, and further tokens are free; beyond, time grows with them.

    Parameters
    ----------
    batch : array_like
        Sequences advanced together, 1 or more.
    draft_length : array_like
        gamma: each sequence brings gamma + 1 tokens.
    saturation : array_like
        Tokens at which both take equally long (`perfmodel.roofline.saturation_batch`), above 0.

    Returns
    -------
    ndarray
        1 while verifying is free, gamma + 1 where computing binds anyway.

    Examples
    --------
    >>> verification_cost([1, 32, 128, 512], 3, 256.0)
    array([1., 1., 2., 4.])
    """
    size, most = at_least("batch", batch, 1), positive("saturation", saturation)
    many = size * (whole_numbers("draft_length", draft_length, 0) + 1)
    return np.asarray(np.maximum(many / most, 1) / np.maximum(size / most, 1))


def best_draft_length(
    acceptance: float,
    draft_cost: float = 0.0,
    *,
    batch: float = 1,
    saturation: float = np.inf,
    longest: int = LONGEST_DRAFT,
) -> tuple[int, float]:
    """Return how many tokens to draft for the largest speedup, and that speedup.

    Parameters
    ----------
    acceptance : float
        alpha, 0 to 1.
    draft_cost : float
        c, 0 or more, the same at every batch.
    batch, saturation : float
        As of `verification_cost`; without them verifying is free.
    longest : int
        Longest draft tried, 0 or more. 0 drafts are no speculation, at a speedup of 1.

    Examples
    --------
    >>> length, speedup = best_draft_length(0.8, 0.05)
    >>> length, round(speedup, 2)
    (8, 3.09)
    >>> best_draft_length(0.8, 0.05, batch=512, saturation=256.0)
    (0, 1.0)
    """
    lengths = np.arange(whole("longest", longest) + 1)
    size = at_least("batch", batch, 1)
    verify = 1.0 if np.isinf(saturation) else verification_cost(size, lengths, saturation)
    speedups = speculation_speedup(acceptance, lengths, draft_cost, verify)
    best = int(np.argmax(speedups))
    return best, float(speedups[best])


def _probabilities(name: str, value: ArrayLike) -> Floats:
    shares = within(name, value, 0, 1)
    if not shares.ndim or not np.allclose(shares.sum(axis=-1), 1):
        raise ValueError(f"{name} must sum to 1 over words, got {value!r}")
    return shares
