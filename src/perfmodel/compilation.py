"""Loops over arrays as plain Python that numba compiles where a run is long enough.

A short run takes the function as it is, which saves the import of numba; a long one takes it
compiled; the first compilation is kept on disk. `perfmodel.engine` has what event simulations need,
whose loops call functions and work on many fields.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])
WORTH_COMPILING = 100_000
"""Fewest steps of an inner loop, about 0.2 s of plain Python, for which numba is loaded."""


def compiled_if_long(function: F, work: float) -> F:
    """Return `function` as it is, or compiled where `work` steps make that faster.

    `function`: a loop in the part of Python that numba compiles, of a module and not made by a
    call. `work`: steps of its inner loop, 0 or more.

    >>> def total(values):
    ...     found = 0.0
    ...     for value in values:
    ...         found += value
    ...     return found
    >>> compiled_if_long(total, work=100) is total
    True
    """
    return function if work < WORTH_COMPILING else _compiled(function)


@cache
def _compiled(function: F) -> F:
    import numba

    return cast(F, numba.njit(cache=True, error_model="numpy")(function))
