"""One source for two ways of running: plain Python for short runs, numba for long ones.

A short run ends before numba is even imported. The compiled core is kept on disk under a name that
holds a digest of all its sources, so that it is compiled once and never out of date.
"""

from __future__ import annotations

import dis
import hashlib
import inspect
import sys
from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any

RARE = {"block", "displace", "level_down", "level_up", "lose", "note", "split", "take_batch"}
RARE |= {"unblock", "wait"}
"""Functions that are called too seldom to be compiled into each of their callers."""

HOME = __name__.rpartition(".")[0]


@cache
def compiled(function: FunctionType) -> Callable[..., Any]:
    """Return `function` compiled by numba together with those of this package that it calls.

    Raises
    ------
    TypeError
        Never for a function of the event core; numba's own error for one it cannot compile.
    """
    import numba

    name = f"{function.__name__}_{_digest(function)}"
    code = function.__code__.replace(co_name=name, co_qualname=name)
    made: Callable[..., Any] = numba.njit(cache=True, nogil=True, error_model="numpy")(
        _bound(function, code)
    )
    return made


@cache
def _inlined(function: FunctionType) -> Callable[..., Any]:
    import numba

    made = _bound(function, function.__code__)
    inline = function.__name__ not in RARE
    return numba.njit(nogil=True, forceinline=inline, error_model="numpy")(made)


def _bound(function: FunctionType, code: Any) -> FunctionType:
    """Return the function of `code` whose calls go to compiled versions."""
    names = {**function.__globals__, **{f.__name__: _inlined(f) for f in _called(function)}}
    made = FunctionType(code, names, code.co_name, function.__defaults__)
    made.__annotations__ = {}
    return made


@cache
def _called(function: FunctionType) -> list[FunctionType]:
    names = {i.argval for i in dis.get_instructions(function) if i.opname == "LOAD_GLOBAL"}
    found = [function.__globals__.get(name) for name in sorted(names)]
    return [f for f in found if isinstance(f, FunctionType) and f.__module__.startswith(HOME)]


def _modules(function: FunctionType) -> set[str]:
    return {function.__module__}.union(*(_modules(f) for f in _called(function)))


def _digest(function: FunctionType) -> str:
    names = sorted(_modules(function) | {__name__, f"{HOME}.state"})
    text = "".join(inspect.getsource(sys.modules[name]) for name in names)
    return hashlib.sha256(text.encode()).hexdigest()[:12]
