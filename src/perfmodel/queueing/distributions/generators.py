"""Generators of chains of phases: signs, rates of absorption, long-run probabilities."""

from __future__ import annotations

from math import fsum

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.queueing.distributions.elimination import (
    communicating_classes,
    inverse_or_infinity,
    stationary,
)
from perfmodel.validation import Floats, finite, non_negative

_WELL_CONDITIONED = 1e4


def stationary_phases(generator: Floats) -> Floats:
    """Return the steady state of a chain from its generator, whose rows sum to 0.

    >>> print(stationary_phases(np.array([[-1.0, 1.0], [3.0, -3.0]])))
    [0.75 0.25]
    """
    rates = np.maximum(generator, 0.0)
    np.fill_diagonal(rates, 0.0)
    leaving = rates.sum(axis=1)
    equations = np.ascontiguousarray((rates - np.diag(leaving)).T) / (leaving.max() or 1.0)
    equations[-1] = 1.0
    inverse = inverse_or_infinity(equations)
    if np.abs(inverse).max() < _WELL_CONDITIONED:
        return np.asarray(np.maximum(inverse[:, -1], 0.0))
    label, closed = communicating_classes(rates)
    if closed.size > 1:
        raise ValueError(f"phases must lead to each other, got parts that don't: {label.tolist()}")
    probability, inside = np.zeros(label.size), label == closed[0]
    probability[inside] = stationary(rates[np.ix_(inside, inside)])
    return probability


def square_generator(name: str, matrix: ArrayLike) -> Floats:
    """Return a matrix of rates as an array, and refuse one with wrong signs.

    >>> print(square_generator("quiet", [[-1.0]]))
    [[-1.]]
    """
    rates = finite(name, matrix)
    if rates.ndim != 2 or rates.shape[0] != rates.shape[1] or not (rates.diagonal() < 0).all():
        raise ValueError(f"{name} must be square with a diagonal below 0, got {rates}")
    non_negative(f"the rates between phases of {name}", rates - np.diag(rates.diagonal()))
    return rates


def lacking_exits(generator: Floats) -> Floats:
    """Return what the rows lack to 0, and 0 where that may be rounding.

    >>> print(lacking_exits(np.array([[-2.0, 1.0], [1.0, -1.0]])))
    [1. 0.]
    """
    lack = np.array([-fsum(row) for row in generator.tolist()])
    rounding = len(lack) * np.finfo(float).eps * -generator.diagonal()
    return np.where(lack > rounding, lack, 0.0)


def given_exits(generator: Floats, exits: ArrayLike) -> Floats:
    """Return `exits` if they are what the rows lack to 0, and refuse others.

    >>> print(given_exits(np.array([[-2.0]]), [2.0]))
    [2.]
    """
    rates = non_negative("exits", exits)
    lack = -generator.sum(1)
    if rates.shape != lack.shape or (np.abs(rates - lack) > -1e-9 * generator.diagonal()).any():
        raise ValueError(f"exits must be what the rows of generator lack to 0, {lack}, got {rates}")
    return rates


def leads_out(generator: Floats, exits: Floats) -> bool:
    """Return whether every phase leads to one with a rate of absorption above 0.

    >>> leads_out(np.array([[-2.0, 1.0], [1.0, -1.0]]), np.array([1.0, 0.0]))
    True
    """
    seen = fresh = exits > 0
    while fresh.any():
        fresh = (generator[:, fresh] > 0).any(axis=1) & ~seen
        seen = seen | fresh
    return bool(seen.all())
