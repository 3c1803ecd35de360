"""Arrays as bare pointers for compiled code: one address each, nothing to count, nothing to wrap.

An index below zero counts from the end of a list or an array; to allow for that, compiled code
tests every index it uses, which took half of the event core's time. A pointer has no end.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np


class Pointer:
    """The address of a contiguous array, which it keeps alive."""

    __slots__ = ("address", "array")

    def __init__(self, array: np.ndarray) -> None:
        """Point to the first element of `array`."""
        self.array = np.ascontiguousarray(array)
        self.address = self.array.ctypes.data


def as_pointers(bundle: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a bundle of arrays, nested or not, with pointers in their place."""
    register()
    made: list[Any] = [as_pointers(f) if isinstance(f, tuple) else Pointer(f) for f in bundle]
    return type(bundle)(*made)


@cache
def register() -> None:
    """Tell numba what a `Pointer` is: a pointer to the array's type of number."""
    import numba.extending
    from numba import from_dtype

    types: Any = numba.types
    extending: Any = numba.extending

    def type_of(pointer: Pointer, _context: Any) -> Any:
        return types.CPointer(from_dtype(pointer.array.dtype))

    def native(kind: Any, pointer: Any, c: Any) -> Any:
        number = c.pyapi.object_getattr_string(pointer, "address")
        address = c.pyapi.long_as_voidptr(number)
        c.pyapi.decref(number)
        return extending.NativeValue(c.builder.bitcast(address, c.context.get_value_type(kind)))

    extending.typeof_impl.register(Pointer)(type_of)
    extending.unbox(types.CPointer)(native)
