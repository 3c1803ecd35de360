"""Machine code of the event loops: found on disk or compiled and put there, loaded, called."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

from perfmodel.queueing.simulation.compiling import ENTRY, digest, object_code, target_machine

CACHE = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
FOLDERS = tuple(
    folder
    for folder in (Path(__file__).parent / "__pycache__", Path(CACHE) / "perfmodel")
    if folder.is_absolute()
)
"""Where object files are kept: the first that holds one, or that can be written."""
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
        addresses = [list(_addresses(bundle)) for bundle in bundles]
        places = [(ctypes.c_void_p * len(each))(*each) for each in addresses]
        return lambda: bool(self._call(*places))


_LOADED: dict[Callable[..., bool], Loaded] = {}


def is_kept(function: Callable[..., bool]) -> Path | None:
    """Return the object file of `function` for this machine, or None where there is none yet."""
    name = _file_name(function)
    return next((folder / name for folder in FOLDERS if (folder / name).exists()), None)


def loaded(function: Callable[..., bool], bundles: tuple[type, ...]) -> Loaded:
    """Return `function` in machine code, compiled only if that was never done on this machine."""
    with _ONE_AT_A_TIME:
        if function not in _LOADED:
            _LOADED[function] = Loaded(_code_of(function, bundles))
        return _LOADED[function]


def is_loaded(function: Callable[..., bool]) -> bool:
    """Tell whether this process has loaded the machine code of `function` yet."""
    return function in _LOADED


def any_loaded() -> bool:
    """Tell whether this process has loaded machine code of any function yet."""
    return bool(_LOADED)


def _code_of(function: Callable[..., bool], bundles: tuple[type, ...]) -> bytes:
    path = is_kept(function)
    if path:
        return path.read_bytes()
    code = object_code(function, bundles)
    _keep(_file_name(function), code)
    return code


@cache
def _file_name(function: Callable[..., bool]) -> str:
    return f"{function.__name__}-{digest(function)}.o"


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


def _addresses(bundle: Any) -> Iterator[int]:
    for field in bundle:
        if isinstance(field, tuple):
            yield from _addresses(field)
        elif not field.flags.c_contiguous or field.itemsize != 8:
            raise ValueError(f"a field must be a contiguous array of 8-byte numbers, got {field!r}")
        else:
            yield field.ctypes.data
