"""A job for one core in which some steps need the one before, and the others don't.

All steps are of one kind and cost the same, so that the serial fraction is a ratio of counts.
"""

from __future__ import annotations

from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

LARGEST = 2**64 - 1
"""The largest state."""


@overload
def step(state: int) -> int: ...
@overload
def step(state: NDArray[np.uint64]) -> NDArray[np.uint64]: ...
def step(state: Any) -> Any:
    """Return what follows `state`, an int or an array of them, in an xorshift generator.

    States are from 0 to `LARGEST` (G. Marsaglia, "Xorshift RNGs", J. Statistical Software 8(14),
    2003).

    >>> step(1), step(np.array([1, 2], np.uint64))
    (1082269761, array([1082269761, 2164539522], dtype=uint64))
    """
    state = state ^ ((state << 13) & LARGEST)
    state = state ^ (state >> 7)
    return state ^ ((state << 17) & LARGEST)


def checksum(chained: int, free: int) -> int:
    """Return the exclusive or of a chain's last state and of what follows each free state.

    Each of the `chained` steps needs the one before; the `free` ones, from the states LARGEST,
    LARGEST - 1, ..., need none.

    >>> checksum(1, 0) == step(LARGEST - 1)
    True
    """
    state = 1
    for i in range(chained):
        state = step(LARGEST - state) ^ i
    for i in range(free):
        state ^= step(LARGEST - i)
    return state
