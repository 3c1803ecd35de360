"""One source for two ways of running: plain Python for short runs, machine code for long ones.

numba compiles each event loop once, into an object file under a name that holds a digest of all its
sources and of the processor. From then on llvmlite loads that file in a tenth of a second, and
numba, which takes most of a second to import, is never needed.
"""

from __future__ import annotations

import dis
import hashlib
import inspect
import platform
import sys
from collections.abc import Callable
from functools import cache
from importlib.metadata import version
from types import FunctionType
from typing import Any, get_type_hints

from perfmodel.queueing.simulation.state import Ints, Reals

RARE = {"block", "choose", "displace", "level_down", "level_up", "lose", "note", "split"}
RARE |= {"take_batch", "unblock", "wait"}
"""Functions that are called too seldom to be compiled into each of their callers."""

HOME = __name__.rpartition(".")[0]
ENTRY = "entry"
"""The name of the only function that an object file shows."""


def object_code(function: Callable[..., bool], bundles: tuple[type, ...]) -> bytes:
    """Return an object file whose `entry` takes the address of each bundle's fields.

    Parameters
    ----------
    function : function
        Returns a boolean; compiled with all that it calls of this package. It must not raise.
    bundles : tuple of NamedTuple types
        Of its two arguments; the fields are Ints, Reals or bundles.

    Returns
    -------
    bytes
        For this machine's processor, with no reference to anything outside.
    """
    import llvmlite.binding as llvm
    import numba

    types: Any = numba.types
    inner = _inlined(_plain(function))

    def entry(first: Any, second: Any) -> Any:
        return inner(first[0], second[0])

    places = [types.CPointer(_type_of(bundle)) for bundle in bundles]
    made = numba.cfunc(types.boolean(*places), error_model="numpy")(entry)
    module = llvm.parse_assembly(made.inspect_llvm())
    for member in (*module.functions, *module.global_variables):
        if member.name == made.native_name:
            member.name = ENTRY
        elif not member.is_declaration:
            member.linkage = "internal"
    machine = target_machine()
    passes = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=2))
    passes.getModulePassManager().run(module, passes)
    return bytes(machine.emit_object(module))


def target_machine() -> Any:
    """Return llvmlite's description of this processor."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=_features(),
        opt=3,
        codemodel="jitdefault",
    )


def _features() -> str:
    """Return the processor's instruction sets, or nothing where LLVM cannot tell."""
    import llvmlite.binding as llvm

    try:
        return str(llvm.get_host_cpu_features().flatten())
    except RuntimeError:
        return ""


def digest(function: Callable[..., bool]) -> str:
    """Return 16 letters that change with the sources, the compilers and the processor."""
    import llvmlite.binding as llvm

    names = sorted(_modules(_plain(function)) | {__name__, f"{HOME}.state"})
    text = "".join(inspect.getsource(sys.modules[name]) for name in names)
    text += f"{version('numba')} {version('llvmlite')} {platform.python_version()}"
    text += f"{llvm.get_process_triple()} {llvm.get_host_cpu_name()}"
    text += _features()
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _plain(function: Callable[..., bool]) -> FunctionType:
    if not isinstance(function, FunctionType):
        raise TypeError(f"function must be written in Python, got {function!r}")
    return function


def _type_of(bundle: type) -> Any:
    """Return numba's type of a bundle of bare pointers.

    An index below zero counts from the end of a list or an array; to allow for that, compiled code
    tests every index it uses, which took half of the event loop's time. A pointer has no end.
    """
    import numba

    types: Any = numba.types
    kinds = {Ints: types.CPointer(types.int64), Reals: types.CPointer(types.float64)}
    fields = get_type_hints(bundle).values()
    return types.NamedTuple([kinds.get(f) or _type_of(f) for f in fields], bundle)


@cache
def _inlined(function: FunctionType) -> Callable[..., Any]:
    import numba

    names = {**function.__globals__, **{f.__name__: _inlined(f) for f in _called(function)}}
    made = FunctionType(function.__code__, names, function.__name__, function.__defaults__)
    made.__annotations__ = {}
    inline = function.__name__ not in RARE
    return numba.njit(nogil=True, forceinline=inline, error_model="numpy")(made)


@cache
def _called(function: FunctionType) -> list[FunctionType]:
    names = {i.argval for i in dis.get_instructions(function) if i.opname == "LOAD_GLOBAL"}
    named = [function.__globals__.get(name) for name in sorted(names)]
    return [f for f in named if isinstance(f, FunctionType) and f.__module__.startswith(HOME)]


def _modules(function: FunctionType) -> set[str]:
    return {function.__module__}.union(*(_modules(f) for f in _called(function)))
