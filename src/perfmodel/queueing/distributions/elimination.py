"""Markov chains by elimination without subtraction: rare events keep all their digits.

Eliminating a state redirects the moves into it to the states that follow it. The rate at which a
state is left is the sum of the rates to the remaining states, never a difference. So no digit is
lost, however far apart the rates are. The states of a queue lead to their neighbours only; then a
band of the matrix is enough.

Sources: W. Grassmann, M. Taksar, D. Heyman, Operations Research 33(5), 1985; C. A. O'Cinneide,
Numerische Mathematik 65, 1993 (the error, which rates far apart don't increase); E. Cuthill, J.
McKee, ACM National Conference, 1969 (the order in which the band is narrow).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from perfmodel.validation import Floats

if TYPE_CHECKING:  # SciPy takes a third of a second to load, and few networks need it.
    from scipy import sparse

SMALL = 400
"""States up to which the full matrix is always eliminated."""
_BLOCK = 24
"""States that are eliminated before the later ones are updated, by one product of matrices."""
_MOST_OPERATIONS, _MOST_ENTRIES = 1e11, 5e7
_FEW_MOVES = 1e4
"""Moves before absorption, in the mean, up to which an inverse keeps its digits."""
_SMALLEST = float(np.finfo(float).tiny)
"""The smallest number that has all its digits."""
_TOO_FAR = "rates must be closer together, got products that no floating-point number can hold"


def is_affordable(rates: sparse.csr_array) -> bool:
    """Return whether elimination takes less than about a minute and half a gigabyte.

    >>> from scipy import sparse
    >>> is_affordable(sparse.eye_array(100_000, k=1, format="csr"))
    True
    """
    size, width = rates.shape[0], _narrowed(rates)[1]
    return bool(size * width**2 <= _MOST_OPERATIONS and size * width <= _MOST_ENTRIES)


def communicating_classes(rates: sparse.csr_array | Floats) -> tuple[np.ndarray, np.ndarray]:
    """Return the communicating class of each state, and the classes that are never left.

    >>> print(*communicating_classes(np.array([[0.0, 1.0], [0.0, 0.0]])))
    [1 0] [0]
    """
    from scipy.sparse.csgraph import connected_components

    count, label = connected_components(rates, directed=True, connection="strong")
    row, column = rates.nonzero()
    departed = label[row][label[row] != label[column]]
    return label, np.setdiff1d(np.arange(count), departed)


def stationary(rates: sparse.csr_array | Floats) -> Floats:
    """Return the long-run probabilities of a chain of which each state leads to every other.

    `rates` go from row to column, of shape (states, states), the diagonal ignored. Rates too far
    apart for floating-point numbers are refused.

    >>> print(stationary(np.array([[0.0, 1e-30], [3e-30, 0.0]])))
    [0.75 0.25]
    """
    size = rates.shape[0]
    elimination = _eliminated(rates, np.zeros(size), np.zeros((size, 0)))
    with np.errstate(over="ignore", invalid="ignore"):
        blocks = [(first, inflow) for first, inflow, _, _ in elimination.blocks]
        weight, power = _weights(blocks, size, wide=False)
    if not (weight.min() > _SMALLEST and weight.max() < 1 / _SMALLEST):
        weight, power = _weights(blocks, size, wide=True)
    result = np.empty(size)
    result[elimination.order] = np.ldexp(weight, power - power.max())
    return np.asarray(result / result.sum())


def _weights(blocks: list[tuple[int, Floats]], size: int, wide: bool) -> tuple[Floats, np.ndarray]:
    """Return each probability over the probability of the last state, times a power of two.

    The powers are 0 unless the probabilities are so `wide` apart that no number could hold them.
    """
    weight, power = np.ones(size), np.zeros(size, dtype=np.int64)
    for first, inflow in reversed(blocks):
        for n in range(min(_BLOCK, size - 1 - first) - 1, -1, -1):
            entering, later = inflow[n + 1 :, n], slice(first + n + 1, first + len(inflow))
            if not wide:
                weight[first + n] = entering @ weight[later]
                continue
            factor, exponent = np.frexp(entering)
            exponent = np.where(entering > 0, exponent + power[later], -(2**40))
            if not _SMALLEST < entering.max() < np.inf:
                raise ValueError(_TOO_FAR)
            total, more = np.frexp(factor @ np.ldexp(weight[later], exponent - exponent.max()))
            weight[first + n], power[first + n] = total, exponent.max() + more
    return weight, power


def cost_until_absorption(rates: sparse.csr_array | Floats, exits: Floats, costs: Floats) -> Floats:
    """Return the mean cost until a chain is absorbed, from each state, of the shape of `costs`.

    `rates` go from row to column, the diagonal ignored; `exits` are the rates of absorption, to
    which each state leads; `costs` are those of a unit of time, shape (states,) or (states,
    kinds), 0 or more, 1 for the time itself. A mean cost above 1.8e308 is refused.

    >>> rates, exits = np.array([[0.0, 1.0], [1e20, 0.0]]), np.array([0.0, 2.0])
    >>> print(cost_until_absorption(rates, exits, np.ones(2)))
    [5.e+19 5.e+19]
    """
    elimination = _eliminated(rates, exits, costs)
    carried = elimination.carried
    result = np.zeros((exits.size, carried.shape[1] - 1))
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        blocks = [(first, outflow, leaving) for first, _, outflow, leaving in elimination.blocks]
        for first, outflow, leaving in reversed(blocks):
            for n in range(len(outflow) - 1, -1, -1):
                later = slice(first + n + 1, first + outflow.shape[1])
                own = carried[first + n, 1:] + outflow[n, n + 1 :] @ result[later]
                result[first + n] = own / leaving[n]
        placed = np.empty_like(result)
        placed[elimination.order] = result / elimination.unit
    if not np.isfinite(placed).all():
        raise ValueError("rates must give values below 1.8e308, got a larger one")
    return placed.reshape(np.shape(costs))


def fundamental_matrix(generator: Floats, exits: Floats) -> Floats:
    """Return the mean time in each phase (column) until absorption, from each phase.

    The diagonal of the generator is ignored. A chain that is absorbed after few moves has
    well-conditioned equations, and inverting their matrix loses no digits.

    >>> print(fundamental_matrix(np.array([[-2.0, 1.0], [0.0, -1.0]]), np.ones(2)))
    [[0.5 0.5]
     [0.  1. ]]
    """
    equations = -np.asarray(generator, np.float64)
    np.fill_diagonal(equations, 0.0)
    leaving = exits - equations.sum(axis=1)
    np.fill_diagonal(equations, leaving)
    inverse = inverse_or_infinity(equations)
    if (np.abs(inverse.sum(axis=1)) * leaving).max() < _FEW_MOVES:
        return inverse
    return cost_until_absorption(generator, exits, np.eye(exits.size))


def inverse_or_infinity(matrix: Floats) -> Floats:
    """Return the inverse of a matrix, or infinities where it is singular.

    >>> inverse_or_infinity(np.zeros((1, 1)))
    array([[inf]])
    """
    try:
        return np.asarray(np.linalg.inv(matrix))
    except np.linalg.LinAlgError:
        return np.full(matrix.shape, np.inf)


class _Elimination(NamedTuple):
    order: Any
    """Of the states, an index."""
    unit: float
    """1/s; the rates below are in this unit."""
    carried: Floats
    """Rate of absorption and costs of each state in this order; the blocks change them."""
    blocks: Iterator[tuple[int, Floats, Floats, Floats]]


def _eliminated(rates: sparse.csr_array | Floats, exits: Floats, costs: Floats) -> _Elimination:
    """Start to eliminate states in an order with a narrow band.

    The unit is the geometric mean of the largest and the smallest rate.
    """
    order, width = _narrowed(rates)
    moves: Any = rates if isinstance(rates, np.ndarray) else rates.data
    above = np.append(moves[moves > 0], exits[exits > 0])
    unit = float(np.sqrt(above.max()) * np.sqrt(above.min())) if above.size else 1.0
    carried = np.column_stack([exits / unit, costs])[order]
    blocks = _reduced(rates[order][:, order] / unit, carried, width)
    return _Elimination(order, unit, carried, blocks)


def _reduced(
    rates: sparse.csr_array | Floats, carried: Floats, width: int
) -> Iterator[tuple[int, Floats, Floats, Floats]]:
    """Eliminate the states block by block, and add what each carries to the later ones.

    Yields a block's first state; the rates from each later state into the block, as fractions of
    the rates at which the block's states are left; the rates from the block to later states; and
    the rate at which each is left. The first column of `carried` is the rate of absorption.
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
        own, leaving = carried[first:end], np.zeros(count)
        for n in range(count):
            leaving[n] = window[n, n + 1 :].sum() + own[n, 0]
            if first + n == size - 1 and not own[n, 0]:
                break
            if not leaving[n] > _SMALLEST:
                raise ValueError(_TOO_FAR)
            entering = window[n + 1 :, n]
            entering /= leaving[n]
            inside = entering[: count - n - 1, None]
            own[n + 1 : count] += inside * own[n]
            window[n + 1 : count, n + 1 :] += inside * window[n, n + 1 :]
            if len(window) > count:
                below = entering[count - n - 1 :, None]
                window[count:, n + 1 : count] += below * window[n, n + 1 : count]
        inflow, outflow = window[:, :count], window[:count]
        own[count:] += inflow[count:] @ own[:count]
        yield first, inflow.copy(), outflow.copy(), leaving
        window[count:, count:] += inflow[count:] @ outflow[:, count:]
        window = window[count:, count:]


def _dense(part: Any) -> Floats:
    return np.asarray(part if isinstance(part, np.ndarray) else part.toarray())


def _narrowed(rates: sparse.csr_array | Floats) -> tuple[Any, int]:
    """Return an order of the states with a narrow band, and the band's width."""
    size = rates.shape[0]
    if isinstance(rates, np.ndarray):
        return slice(None), size
    from scipy import sparse
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    order = reverse_cuthill_mckee(sparse.csr_array(rates + rates.T), symmetric_mode=True)
    position = np.empty(size, dtype=np.int64)
    position[order] = np.arange(size)
    row, column = rates.nonzero()
    given = int(np.abs(row - column).max(initial=0))
    narrow = int(np.abs(position[row] - position[column]).max(initial=0))
    return (order, narrow) if narrow < given else (np.arange(size), given)
