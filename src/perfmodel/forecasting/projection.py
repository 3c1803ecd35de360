"""A forecast from two sizes: a straight line in the logarithm of size, and what noise it carries.

Source: F. Kang, H. A. Just, A. K. Sahu, R. Jia, "Performance scaling via optimal transport:
enabling data selection from partially revealed sources", NeurIPS 2023, arXiv:2307.02460 (the
projection). The growth of noise follows from the weights.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import Floats, finite, positive, within

_MOST_REPLICATES = 1e12


class ProjectionWeights(NamedTuple):
    """What a value at each of two sizes counts in the projection; together they are 1."""

    small: Floats
    large: Floats


def projection_weights(small: ArrayLike, large: ArrayLike, target: ArrayLike) -> ProjectionWeights:
    """Return the weights of two pilots in the value projected to a target size.

    Parameters
    ----------
    small, large : array_like
        Sizes of the pilots in examples, above 0, the first below the second.
    target : array_like
        The size asked for, above 0.

    Returns
    -------
    ProjectionWeights
        Shapes are those of the arguments, broadcast.

    Examples
    --------
    >>> weights = projection_weights(1_000, 1_500, 10_000)
    >>> print(weights.small.round(5), weights.large.round(5))
    -4.67887 5.67887
    """
    first, second = positive("small", small), positive("large", large)
    if not (first < second).all():
        raise ValueError(f"small must be below large, got {small!r} and {large!r}")
    steps = np.log(positive("target", target) / first) / np.log(second / first)
    return ProjectionWeights(np.asarray(1 - steps), np.asarray(steps))


def projected(
    at_small: ArrayLike, at_large: ArrayLike, small: ArrayLike, large: ArrayLike, target: ArrayLike
) -> Floats:
    """Return the value at a target size, on the line through two pilots in the log of size.

    Parameters
    ----------
    at_small, at_large : array_like
        Values of the pilots, in any unit; nothing keeps the result of a share below 1.
    small, large, target : array_like
        Sizes as for `projection_weights`.

    Examples
    --------
    >>> print(projected(0.40, 0.45, 1_000, 1_500, 10_000).round(5))
    0.68394
    """
    weights = projection_weights(small, large, target)
    return np.asarray(
        weights.small * finite("at_small", at_small) + weights.large * finite("at_large", at_large)
    )


def noise_amplification(
    small: ArrayLike, large: ArrayLike, target: ArrayLike, correlation: ArrayLike = 0.0
) -> Floats:
    """Return how many times a pilot's standard error the projection's is.

    Both pilots have the same standard error. An error that they share isn't amplified: with a
    correlation of 1 the result is 1.

    Parameters
    ----------
    small, large, target : array_like
        Sizes as for `projection_weights`.
    correlation : array_like
        Of the pilots' errors, from -1 to 1.

    Examples
    --------
    >>> print(noise_amplification(1_000, 1_500, 10_000).round(3))
    7.358
    """
    one, other = projection_weights(small, large, target)
    shared = within("correlation", correlation, -1, 1)
    return np.asarray(np.sqrt(np.maximum(one**2 + other**2 + 2 * shared * one * other, 0)))


def replicates_needed(
    error: float, wanted: float, small: float, large: float, target: float
) -> int:
    """Return how often each pilot must be run so that the projection is known well enough.

    Parameters
    ----------
    error : float
        Standard error of one pilot, above 0; errors of pilots are independent.
    wanted : float
        Standard error of the projection, in the same unit, above 0.
    small, large, target : float
        Sizes as for `projection_weights`.

    Raises
    ------
    ValueError
        If more than 1e12 replicates are needed.

    Examples
    --------
    >>> replicates_needed(0.01, 0.02, 1_000, 1_500, 10_000)
    14
    """
    times = float(noise_amplification(small, large, target))
    ratio = times * float(positive("error", error)) / float(positive("wanted", wanted))
    if ratio > math.sqrt(_MOST_REPLICATES):
        raise ValueError(
            f"wanted must be larger compared with the error, it needs over {_MOST_REPLICATES:.0e} "
            f"replicates, got {wanted!r} for {error!r}"
        )
    return max(1, math.ceil(ratio**2 * (1 - 1e-12)))
