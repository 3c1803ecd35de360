"""The core in machine code: numba compiles it once and keeps it on disk.

Bundles are handed over as bare pointers, which have no end: an array's index is tested for being
below zero at each use.
"""

from __future__ import annotations

import ctypes
import hashlib
import inspect
from collections.abc import Callable
from functools import cache
from types import CellType, FunctionType
from typing import Any, cast, get_type_hints

from perfmodel.serving.batching import core, sequences, state
from perfmodel.serving.batching.core import play
from perfmodel.serving.batching.state import CorePlan, CoreState, Ints, Reals

CALLED = (
    *(sequences.meld, sequences.enqueue, sequences.dequeue, sequences.unlink, sequences.held),
    *(sequences.due_at, sequences.admit, sequences.grow, sequences.stop_growing, sequences.leave),
    *(sequences.evict, core.cell, core.step_seconds, core.begin_iteration, core.end_iteration),
    *(core.advance, core.play),
)
"""What is compiled, each function after those that it calls itself."""
INLINED = {"held", "due_at", "cell", "step_seconds"}
"""To inline all makes iterations a fifth faster and takes the compiler three times as long."""


def _with(digest: int) -> Callable[[Any, Any], int]:
    def entry(plan: Any, state: Any) -> int:
        return digest if play(plan[0], state[0]) else 0

    return entry


@cache
def compiled() -> Callable[[CorePlan, CoreState], bool]:
    """Return `core.play` in machine code, for bundles of contiguous arrays.

    numba tells by the time of this file alone whether what it kept still holds; a digest of the
    other files, which the compiled function holds, makes it look at those too.
    """
    import numba

    types: Any = numba.types

    def pointers(bundle: type) -> Any:
        kinds = {Ints: types.CPointer(types.int64), Reals: types.CPointer(types.float64)}
        fields = [kinds[kind] for kind in get_type_hints(bundle).values()]
        return types.CPointer(types.NamedTuple(fields, bundle))

    names: dict[str, Any] = {**vars(state), **vars(sequences), **vars(core)}
    for function in CALLED:
        copy = FunctionType(function.__code__, names, function.__name__)
        inline = function.__name__ in INLINED
        names[function.__name__] = numba.njit(error_model="numpy", forceinline=inline)(copy)
    text = "".join(inspect.getsource(module) for module in (state, sequences, core))
    digest = 1 + int(hashlib.sha256(text.encode()).hexdigest()[:15], 16)
    made = numba.cfunc(
        types.int64(pointers(CorePlan), pointers(CoreState)), cache=True, error_model="numpy"
    )(FunctionType(_with(digest).__code__, names, "entry", None, (CellType(digest),)))

    def call(plan: CorePlan, state: CoreState) -> bool:
        return bool(made.ctypes(_addresses(plan), _addresses(state)))

    return call


def _addresses(bundle: CorePlan | CoreState) -> ctypes.c_void_p:
    fields = [cast(Any, field) for field in bundle]
    if any(field.itemsize != 8 or not field.flags.c_contiguous for field in fields):
        raise ValueError("a field must be a contiguous array of 8-byte numbers")
    places = (ctypes.c_void_p * len(fields))(*(field.ctypes.data for field in fields))
    return ctypes.cast(places, ctypes.c_void_p)
