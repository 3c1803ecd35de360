"""The fewest loads of weights that any order of cells needs, by going through all of them.

What Theorem 4.1 of Sheng et al. (ICML 2023) counts: loads of a layer's weights, of which one fits.
A batch at token t, counted from 0, keeps `cache_units[t]` units of cache from its first cell to its
last; the batches in progress keep no more than `capacity` together. Activations and the caches' own
traffic are left out, as the latter is the same in every order.

A batch needs each layer again for each token, and a load serves only cells of different batches
that are in memory together. So a layer is loaded at least n times, and at least as often as the
memory's capacity requires. The diagonal order comes close to this bound if its groups fill the
memory. The zig-zag order needs n loads for a block of capacity / cache_units[-1] batches.

The ratio of the two is cache_units[-1] divided by the mean of `cache_units`. It is below 2 if
`cache_units` grows linearly, and if two more things hold. The run must be endless, so neither its
start nor its last block counts. And the capacity must hold a whole number of batches at their last
token.

Otherwise the block is rounded down, and 2 is no bound. With two layers, `cache_units` from 1 to 5
and a capacity of 9, the best order needs 4 loads a batch and the zig-zag order 10.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from perfmodel.offloading.block_schedules.orders import group_sizes
from perfmodel.validation import Floats, one_number, positive, sample, whole

MAX_STATES = 200_000
"""States that the search of a run goes through before it gives up."""

MAX_NODES = 30_000
"""States, by the layer loaded, that the linear program of a run without end may have."""


def zig_zag_loads(batches: int, layers: int, cache_units: ArrayLike, capacity: float) -> int:
    """Return the loads of the zig-zag order with the largest block that fits.

    Parameters
    ----------
    batches : int
        1 or more.
    layers : int
        2 or more.
    cache_units : array_like, shape (tokens,)
        Units of cache of a batch at each token, above 0 and not falling.
    capacity : float
        Units of cache that fit; no less than cache_units[-1].
    """
    units, room = _checked(cache_units, capacity)
    blocks = group_sizes(batches, int(room // units[-1] + 1e-9)).size
    return blocks * whole("layers", layers, 2) * units.size


def loads_bound(batches: int, layers: int, cache_units: ArrayLike, capacity: float) -> int:
    """Return a number of loads below which no order comes, from the memory that cells need.

    Parameters
    ----------
    batches, layers, cache_units, capacity
        As `zig_zag_loads` takes them.

    Examples
    --------
    >>> loads_bound(4, 3, [1, 2, 3], 6)
    12
    """
    units, room = _checked(cache_units, capacity)
    served = int(np.ceil(whole("batches", batches, 1) * units.sum() / room - 1e-9))
    return whole("layers", layers, 2) * max(units.size, served)


def fewest_loads(batches: int, layers: int, cache_units: ArrayLike, capacity: float) -> int:
    """Return the loads of the best of all orders, by breadth-first search.

    A state is how many batches have computed how many cells; all batches are identical. From each,
    each layer is loaded in turn and all states that its cells lead to are reached with one load
    more.

    Parameters
    ----------
    batches, layers, cache_units, capacity
        As `zig_zag_loads` takes them.

    Raises
    ------
    ValueError
        Where there are too many states to go through.

    Examples
    --------
    Six batches with a prompt of one token and three more; two of them fit at the last.

    >>> cache_units = [1, 2, 3]
    >>> fewest_loads(6, 2, cache_units, 6), zig_zag_loads(6, 2, cache_units, 6)
    (16, 18)
    """
    units, room = _checked(cache_units, capacity)
    count, space = whole("batches", batches, 1), _Positions(units, whole("layers", layers, 2), room)
    base = count + 1
    powers = [base**p for p in range(space.steps + 1)]
    done = count * powers[space.steps]
    seen = {count: 0}
    frontier, loads = [count], 0
    while done not in seen:
        loads += 1
        found: list[int] = []
        for layer in range(space.layers):
            inside = set(frontier)
            stack = list(frontier)
            while stack:
                state = stack.pop()
                used = space.used(state, base)
                for p in range(layer, space.steps, space.layers):
                    if state // powers[p] % base and space.fits(used, p):
                        after = state + powers[p + 1] - powers[p]
                        if after not in inside and seen.get(after, loads) == loads:
                            inside.add(after)
                            stack.append(after)
            found += [state for state in inside if state not in seen]
            seen.update(dict.fromkeys(inside - seen.keys(), loads))
        if len(seen) > MAX_STATES:
            raise ValueError(
                f"batches, layers and tokens must leave at most {MAX_STATES:,} states, got "
                f"{count}, {space.layers} and {units.size}"
            )
        frontier = found
    return loads


class _Positions:
    """How many cells a batch has computed, from 0 to `steps`, and what it keeps there."""

    def __init__(self, units: Floats, layers: int, room: float) -> None:
        self.layers, self.steps, self.room = layers, layers * units.size, room * (1 + 1e-9)
        self.kept = [0.0, *np.repeat(units, layers).tolist()]

    def used(self, state: int, base: int) -> float:
        """Return the units in use, of a state whose digits are the batches at each position."""
        total = 0.0
        for kept in self.kept[:-1]:
            state, digit = divmod(state, base)
            total += kept * digit
        return total

    def fits(self, used: float, position: int) -> bool:
        """Whether a batch there can compute one more cell."""
        return used - self.kept[position] + self.kept[position + 1] <= self.room


def _checked(cache_units: ArrayLike, capacity: float) -> tuple[Floats, float]:
    units = positive("cache_units", sample("cache_units", cache_units))
    room = one_number("capacity", capacity, positive)
    if (np.diff(units) < 0).any():
        raise ValueError(f"cache_units must not fall from token to token, got {cache_units!r}")
    if room < units[-1]:
        raise ValueError(
            f"capacity must be {units[-1]:g} or more, the last of cache_units, got {room:g}"
        )
    return units, room


def fewest_loads_per_batch(layers: int, cache_units: ArrayLike, capacity: float) -> float:
    """Return the loads for each batch of the best order without end, by a linear program.

    It is the circulation through the states of `fewest_loads`, with batches without number, that
    takes up one batch at the fewest loads: what Theorem 4.1 compares the zig-zag order with, which
    needs the layers times the tokens over the block.

    Parameters
    ----------
    layers, cache_units, capacity
        As `zig_zag_loads` takes them.

    Raises
    ------
    ValueError
        Where there are too many states to go through.

    Examples
    --------
    >>> fewest_loads_per_batch(2, [1, 2, 3], 6)
    2.0
    """
    units, room = _checked(cache_units, capacity)
    space = _Positions(units, whole("layers", layers, 2), room)
    base = int(room / units[0] + 1e-9) + 2
    powers = [base**p for p in range(space.steps)]
    numbers: dict[tuple[int, int], int] = {(0, 0): 0}
    edges: list[tuple[int, int, int, int]] = []
    stack = [(0, 0)]
    while stack:
        state, layer = node = stack.pop()
        used = space.used(state, base)
        after = [((state, other), 1, 0) for other in range(space.layers) if other != layer]
        for p in range(layer, space.steps, space.layers):
            if (p == 0 or state // powers[p] % base) and space.fits(used, p):
                gone = powers[p] if p else 0
                come = powers[p + 1] if p + 1 < space.steps else 0
                after.append(((state - gone + come, layer), 0, int(p == 0)))
        for target, load, taken_up in after:
            if target not in numbers:
                numbers[target] = len(numbers)
                stack.append(target)
            edges.append((numbers[node], numbers[target], load, taken_up))
        if len(numbers) > MAX_NODES:
            raise ValueError(
                f"layers, tokens and capacity must leave at most {MAX_NODES:,} states, got "
                f"{space.layers}, {units.size} and {room:g}"
            )
    return _cheapest_circulation(np.array(edges), len(numbers))


def _cheapest_circulation(edges: NDArray[np.int64], nodes: int) -> float:
    from scipy.optimize import linprog
    from scipy.sparse import coo_array, vstack

    come, go, load, taken_up = edges.T
    number = np.arange(len(edges))
    ones = np.ones(len(edges))
    balance = coo_array((ones, (go, number)), (nodes, len(edges))) - coo_array(
        (ones, (come, number)), (nodes, len(edges))
    )
    left = vstack([balance, coo_array(taken_up[None].astype(float))]).tocsr()
    right = np.append(np.zeros(nodes), 1.0)
    found = linprog(load, A_eq=left, b_eq=right, method="highs")
    if found.status != 0:
        raise RuntimeError(f"the best order without end was not found: {found.message}")
    return float(found.fun)
