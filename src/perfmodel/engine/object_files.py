"""Machine code of event loops: found on disk or compiled and put there, loaded, called.

An object file has a name that holds a digest of all its sources and of the processor. Once it is
there, llvmlite loads it in a tenth of a second, and numba, which takes most of a second to import,
is never needed.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from perfmodel.engine.machine_code import ENTRY, Loop, digest, object_code, target_machine

CACHE = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
FOLDERS = tuple(
    folder
    for folder in (Path(__file__).parent / "__pycache__", Path(CACHE) / "perfmodel")
    if folder.is_absolute()
)
"""Where object files are kept: the first that holds one, or that can be written."""
WORTH_LOADING = 5000
"""Steps above which a run loads its loop where that is on disk."""
WORTH_CALLING = 500
"""The same once it has been loaded in this process."""
_ONE_AT_A_TIME = Lock()


class Loaded:
    """A function in machine code; callable with bundles of arrays, other threads going on."""

    def __init__(self, code: bytes) -> None:
        """Link an object file."""
        import llvmlite.binding as llvm

        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), target_machine())
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        self._engine.finalize_object()
        kind = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_void_p)
        self._call = kind(self._engine.get_function_address(ENTRY))

    def __call__(self, *bundles: Any) -> bool:
        """Run on bundles of contiguous arrays, which the function changes in place."""
        return self.bound(*bundles)()

    def bound(self, *bundles: Any) -> Callable[[], bool]:
        """Return what runs on these bundles each time it is called; keep them alive meanwhile."""
        words = [list(_words(bundle)) for bundle in bundles]
        arguments = [(ctypes.c_int64 * len(fields))(*fields) for fields in words]
        return lambda: bool(self._call(*arguments))


_LOADED: dict[Loop, Loaded] = {}


def is_kept(loop: Loop) -> Path | None:
    """Return the object file of `loop` for this machine, or None where there is none yet."""
    name = _file_name(loop)
    return next((folder / name for folder in FOLDERS if (folder / name).exists()), None)


def loaded(loop: Loop) -> Loaded:
    """Return `loop` in machine code, compiled only if that was never done on this machine."""
    with _ONE_AT_A_TIME:
        if loop not in _LOADED:
            _LOADED[loop] = Loaded(_code_of(loop))
        return _LOADED[loop]


def is_loaded(loop: Loop) -> bool:
    """Tell whether this process has loaded the machine code of `loop` yet."""
    return loop in _LOADED


def is_worth_compiling(loop: Loop, steps: float, least: float) -> bool:
    """Tell whether machine code is quicker for this many steps of a loop.

    If it must be compiled first, that takes more than `least` steps, fewer if it is only to be
    loaded from disk or called.
    """
    if is_loaded(loop):
        return steps > WORTH_CALLING
    return steps > least or (steps > WORTH_LOADING and bool(is_kept(loop)))


def any_loaded() -> bool:
    """Tell whether this process has loaded machine code of any loop yet."""
    return bool(_LOADED)


def _code_of(loop: Loop) -> bytes:
    path = is_kept(loop)
    if path:
        return path.read_bytes()
    code = object_code(loop)
    _keep(_file_name(loop), code)
    return code


@cache
def _file_name(loop: Loop) -> str:
    return f"{loop.__name__}-{digest(loop)}.o"


def _keep(name: str, code: bytes) -> None:
    """Write `code` to the first folder that takes it, whole or not at all; a cache may be full."""
    for folder in FOLDERS:
        part = folder / f"{name}.{os.getpid()}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            part.write_bytes(code)
            part.replace(folder / name)
        except OSError:
            continue
        return


def _words(bundle: Any) -> Iterator[int]:
    """Yield the 8 bytes of each field as a whole number: an array's address, or a number itself."""
    for field in bundle:
        if isinstance(field, np.ndarray):
            if not field.flags.c_contiguous or field.itemsize != 8:
                raise ValueError(
                    f"a field must be a contiguous array of 8-byte numbers, got {field!r}"
                )
            yield field.ctypes.data
        elif isinstance(field, tuple):
            yield from _words(field)
        elif isinstance(field, float):
            yield int.from_bytes(struct.pack("=d", field), sys.byteorder, signed=True)
        else:
            yield field
