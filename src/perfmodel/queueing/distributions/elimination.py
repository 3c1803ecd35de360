"""Markov chains by elimination without subtraction: rare events keep all their digits.

A state is taken out by sending what enters it on to where it goes. The rate at which it is left is
the sum of the rates to the states that remain, never a difference, so that no digit is lost however
far apart the rates are. States that lead far in few moves make a matrix full; those of a queue only
lead to neighbours, and a band of the matrix does.

Sources: W. Grassmann, M. Taksar, D. Heyman, Operations Research 33(5), 1985; C. A. O'Cinneide,
Numerische Mathematik 65, 1993 (the error, which rates far apart don't increase); E. Cuthill, J.
McKee, ACM National Conference, 1969 (the order in which the band is narrow).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import reverse_cuthill_mckee

from perfmodel.validation import Floats

_BLOCK = 24
"""States that are taken out before the others hear of it, by one product of matrices."""
_MOST_WORK, _MOST_HELD = 1e11, 5e7
_FEW_MOVES = 1e4
_LEAST = float(np.finfo(float).tiny)
"""Below, numbers have fewer digits."""
_TOO_FAR = "rates must be closer together, got products that no floating-point number can hold"


def is_affordable(rates: sparse.csr_array) -> bool:
    """Tell whether elimination takes less than about a minute and half a gigabyte.

    >>> is_affordable(sparse.eye_array(100_000, k=1, format="csr"))
    True
    """
    size, width = rates.shape[0], _narrowed(rates)[1]
    return bool(size * width**2 <= _MOST_WORK and size * width <= _MOST_HELD)


def stationary(rates: sparse.csr_array | Floats) -> Floats:
    """Return the long-run probabilities of a chain of which each state leads to every other.

    Parameters
    ----------
    rates : sparse or dense array, shape (states, states)
        From row to column; the diagonal is not looked at.

    Returns
    -------
    ndarray, shape (states,)

    Raises
    ------
    ValueError
        If the rates are too far apart for floating-point numbers.

    Examples
    --------
    >>> print(stationary(np.array([[0.0, 1e-30], [3e-30, 0.0]])))
    [0.75 0.25]
    """
    order, width = _narrowed(rates)
    moves, size = _scaled(_ordered(rates, order), np.zeros(0))[0], rates.shape[0]
    nothing = np.zeros((size, 1))
    with np.errstate(over="ignore", invalid="ignore"):
        blocks = [(first, into) for first, into, _, _ in _reduced(moves, nothing, width)]
        share, power = _shares(blocks, size, wide=False)
    if not (share.min() > _LEAST and share.max() < 1 / _LEAST):
        share, power = _shares(blocks, size, wide=True)
    result = np.empty(size)
    result[order] = np.ldexp(share, power - power.max())
    return np.asarray(result / result.sum())


def _shares(blocks: list[tuple[int, Floats]], size: int, wide: bool) -> tuple[Floats, np.ndarray]:
    """Return the probabilities over the last state's, as factors of powers of two.

    The powers are 0 unless the probabilities are so `wide` apart that no number could hold them.
    """
    share, power = np.ones(size), np.zeros(size, dtype=np.int64)
    for first, into in reversed(blocks):
        for n in range(min(_BLOCK, size - 1 - first) - 1, -1, -1):
            weight, after = into[n + 1 :, n], slice(first + n + 1, first + len(into))
            if not wide:
                share[first + n] = weight @ share[after]
                continue
            factor, exponent = np.frexp(weight)
            exponent = np.where(weight > 0, exponent + power[after], -(2**40))
            if not _LEAST < weight.max() < np.inf:
                raise ValueError(_TOO_FAR)
            total, more = np.frexp(factor @ np.ldexp(share[after], exponent - exponent.max()))
            share[first + n], power[first + n] = total, exponent.max() + more
    return share, power


def collected(rates: sparse.csr_array | Floats, exits: Floats, costs: Floats) -> Floats:
    """Return what a chain collects until it is absorbed, from each of its states, in the mean.

    Parameters
    ----------
    rates : sparse or dense array, shape (states, states)
        From row to column; the diagonal is not looked at.
    exits : ndarray, shape (states,)
        Rates of absorption. Each state leads to one with a rate above 0.
    costs : ndarray, shape (states,) or (states, kinds)
        What is collected in each state in a unit of time, 0 or more; 1 for the time itself.

    Returns
    -------
    ndarray, of the shape of `costs`

    Raises
    ------
    ValueError
        If the rates are too far apart for floating-point numbers.

    Examples
    --------
    >>> print(collected(np.array([[0.0, 1.0], [1e20, 0.0]]), np.array([0.0, 2.0]), np.ones(2)))
    [5.e+19 5.e+19]
    """
    order, width = _narrowed(rates)
    moves, unit = _scaled(_ordered(rates, order), exits)
    carried = np.column_stack([exits / unit, costs])[order]
    result = np.zeros((exits.size, carried.shape[1] - 1))
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        blocks = [(first, out, left) for first, _, out, left in _reduced(moves, carried, width)]
        for first, out, left in reversed(blocks):
            for n in range(len(out) - 1, -1, -1):
                after = slice(first + n + 1, first + out.shape[1])
                own = carried[first + n, 1:] + out[n, n + 1 :] @ result[after]
                result[first + n] = own / left[n]
        placed = np.empty_like(result)
        placed[order] = result / unit
    return _finite(placed).reshape(np.shape(costs))


def fundamental_matrix(generator: Floats, exits: Floats) -> Floats:
    """Return the mean time in each phase (column) until absorption, from each phase.

    The diagonal of the generator is not looked at. A chain that is absorbed after few moves has
    well-conditioned equations, and inverting their matrix loses no digits.

    >>> print(fundamental_matrix(np.array([[-2.0, 1.0], [0.0, -1.0]]), np.ones(2)))
    [[0.5 0.5]
     [0.  1. ]]
    """
    size = exits.size
    equations = -np.asarray(generator, np.float64)
    diagonal = equations.ravel()[:: size + 1]
    diagonal[:] = 0.0
    leaving = exits - equations.sum(axis=1)
    diagonal[:] = leaving
    try:
        inverse = np.linalg.inv(equations)
    except np.linalg.LinAlgError:
        inverse = np.full((1, 1), np.inf)
    if (np.abs(inverse.sum(axis=1)) * leaving).max() < _FEW_MOVES:
        return np.asarray(inverse)
    return collected(generator, exits, np.eye(size))


def _reduced(
    rates: sparse.csr_array | Floats, carried: Floats, width: int
) -> Iterator[tuple[int, Floats, Floats, Floats]]:
    """Take the states out block by block, and bring what each carries to those that remain.

    Yields a block's first state; what of a state's rate each later one sends into the block, as
    shares; the rates from the block to later states; and the rate at which each is left. The first
    column of `carried` is the rate of absorption.
    """
    size, end = rates.shape[0], 0
    window = np.zeros((0, 0))
    for first in range(0, size, _BLOCK):
        count, last = min(_BLOCK, size - first), min(size, first + _BLOCK + width)
        if last > end:
            wider = np.zeros((last - first, last - first))
            wider[: end - first, : end - first] = window
            wider[end - first :] = _dense(rates[end:last, first:last])
            wider[: end - first, end - first :] = _dense(rates[first:end, end:last])
            window, end = wider, last
        held, left = carried[first:end], np.zeros(count)
        for n in range(count):
            left[n] = window[n, n + 1 :].sum() + held[n, 0]
            if first + n == size - 1 and not held[n, 0]:
                break
            if not left[n] > _LEAST:
                raise ValueError(_TOO_FAR)
            share = window[n + 1 :, n]
            share /= left[n]
            inside = share[: count - n - 1, None]
            held[n + 1 : count] += inside * held[n]
            window[n + 1 : count, n + 1 :] += inside * window[n, n + 1 :]
            if len(window) > count:
                below = share[count - n - 1 :, None]
                window[count:, n + 1 : count] += below * window[n, n + 1 : count]
        into, out = window[:, :count], window[:count]
        held[count:] += into[count:] @ held[:count]
        yield first, into.copy(), out.copy(), left
        window[count:, count:] += into[count:] @ out[:, count:]
        window = window[count:, count:]


def _dense(part: Any) -> Floats:
    return np.asarray(part.toarray() if sparse.issparse(part) else part)


def _narrowed(rates: sparse.csr_array | Floats) -> tuple[Any, int]:
    """Return an order of the states in which few lie between two that lead to each other."""
    size = rates.shape[0]
    if not sparse.issparse(rates):
        return slice(None), size
    order = reverse_cuthill_mckee(sparse.csr_array(rates + rates.T), symmetric_mode=True)
    place = np.empty(size, dtype=np.int64)
    place[order] = np.arange(size)
    row, column = rates.nonzero()
    given = int(np.abs(row - column).max(initial=0))
    made = int(np.abs(place[row] - place[column]).max(initial=0))
    return (order, made) if made < given else (np.arange(size), given)


def _ordered(rates: sparse.csr_array | Floats, order: Any) -> sparse.csr_array | Floats:
    return rates[order][:, order]


def _scaled(
    rates: sparse.csr_array | Floats, exits: Floats
) -> tuple[sparse.csr_array | Floats, float]:
    """Return the rates in units of the geometric middle of the largest and the least, and that."""
    moves: Any = rates.data if sparse.issparse(rates) else rates
    above = np.append(moves[moves > 0], exits[exits > 0])
    unit = float(np.sqrt(above.max()) * np.sqrt(above.min())) if above.size else 1.0
    return rates / unit, unit


def _finite(values: Floats) -> Floats:
    if not np.isfinite(values).all():
        raise ValueError("rates must give values below 1.8e308, got a larger one")
    return values
