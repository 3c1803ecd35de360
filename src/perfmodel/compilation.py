"""Loops as plain Python that numba compiles where a run is long enough to be worth it.

A short run takes the function as it is, which saves the import of numba; a long one takes it
compiled, and kept on disk from the first time on. A loop over arrays is compiled by itself
(`compiled_if_long`), one over bundles of them with all that it calls (`compiled_entry`).
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Collection, Mapping, MutableSequence, Sequence
from functools import cache
from types import FunctionType
from typing import Any, TypeVar, cast, get_type_hints

Ints = MutableSequence[int]
"""A field of whole numbers in a bundle: a list in plain Python, an int64 array to be compiled."""
Reals = MutableSequence[float]
"""A field of numbers: a list, or a float64 array."""
F = TypeVar("F", bound=Callable[..., Any])
WORTH_COMPILING = 100_000
"""Steps of an inner loop, about 0.2 s of plain Python, from which on numba is loaded."""


def compiled_if_long(function: F, work: float) -> F:
    """Return `function` as it is, or compiled where `work` steps make that faster.

    Parameters
    ----------
    function : callable
        A loop in the part of Python that numba compiles, of a module and not made by a call.
    work : float
        Steps of its inner loop, 0 or more.

    Examples
    --------
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


def compiled_entry(
    entry: Callable[..., Any],
    called: Sequence[Callable[..., Any]],
    names: Mapping[str, Any],
    bundles: Sequence[type],
    *,
    answers: bool = False,
    inlined: Collection[str] | None = None,
) -> Callable[..., Any]:
    """Return `entry` in machine code, for bundles that are handed over as bare pointers.

    Pointers make it several times as fast as arrays, whose every index is tested for being below
    zero; they have no end, so that an index too large is not found out.

    Parameters
    ----------
    entry : function
        Takes a pointer to each bundle, whose first element is the bundle. numba keeps its machine
        code on disk until its file changes, or what its closure holds.
    called : sequence of functions
        All that is called, each after those that it calls itself.
    names : mapping
        What the functions refer to.
    bundles : sequence of NamedTuple classes
        Whose fields are `Ints` and `Reals`.
    answers : bool
        Whether `entry` returns a whole number; otherwise nothing.
    inlined : collection of str, optional
        Names of functions to inline; all unless said.

    Returns
    -------
    callable
        Takes the bundles; a ValueError says if a field is no contiguous array of 8-byte numbers.
    """
    import numba

    types: Any = numba.types
    kinds = {Ints: types.CPointer(types.int64), Reals: types.CPointer(types.float64)}
    pointers = [
        types.CPointer(
            types.NamedTuple([kinds[kind] for kind in get_type_hints(bundle).values()], bundle)
        )
        for bundle in bundles
    ]
    known = dict(names)
    for function in cast(Sequence[FunctionType], called):
        name = function.__name__
        copy = FunctionType(function.__code__, known, name)
        inline = inlined is None or name in inlined
        known[name] = numba.njit(error_model="numpy", forceinline=inline)(copy)
    signature = (types.int64 if answers else types.void)(*pointers)
    outer = cast(FunctionType, entry)
    copy = FunctionType(outer.__code__, known, outer.__name__, None, outer.__closure__)
    made = numba.cfunc(signature, cache=True, error_model="numpy")(copy)

    def call(*given: Any) -> Any:
        return made.ctypes(*map(_addresses, given))

    return call


def _addresses(bundle: Sequence[Any]) -> ctypes.c_void_p:
    if any(field.itemsize != 8 or not field.flags.c_contiguous for field in bundle):
        raise ValueError("a field must be a contiguous array of 8-byte numbers")
    places = (ctypes.c_void_p * len(bundle))(*(field.ctypes.data for field in bundle))
    return ctypes.cast(places, ctypes.c_void_p)
