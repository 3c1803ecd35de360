"""From a loop in Python to an object file: numba compiles it with all functions that it calls."""

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

from perfmodel.engine.fields import Ints, Reals

ENTRY = "entry"
"""The name of the only function that an object file shows."""
Loop = Callable[[Any, Any], bool]
"""Takes two bundles, named in its annotations; compiled with all that it calls of this package. It
must not raise."""


def object_code(loop: Loop) -> bytes:
    """Return an object file whose `entry` takes the address of each bundle's fields.

    It is for this machine's processor, with no reference to anything outside.
    """
    import llvmlite.binding as llvm
    import numba

    types: Any = numba.types
    inner = _compiled(_plain(loop))

    def entry(first: Any, second: Any) -> Any:
        return inner(first[0], second[0])

    pointers = [types.CPointer(_type_of(bundle)) for bundle in _bundles(loop)]
    made = numba.cfunc(types.boolean(*pointers), error_model="numpy")(entry)
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


def digest(loop: Loop) -> str:
    """Return 16 letters that change with the sources, the compilers and the processor."""
    import llvmlite.binding as llvm

    names = sorted(_modules(_plain(loop)).union({__name__}, *map(_homes, _bundles(loop))))
    text = "".join(inspect.getsource(sys.modules[name]) for name in names)
    text += f"{version('numba')} {version('llvmlite')} {platform.python_version()}"
    text += f"{llvm.get_process_triple()} {llvm.get_host_cpu_name()}"
    text += _features()
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _plain(loop: Loop) -> FunctionType:
    if not isinstance(loop, FunctionType):
        raise TypeError(f"loop must be written in Python, got {loop!r}")
    return loop


def _bundles(loop: Loop) -> list[type]:
    """Return the types of a loop's arguments."""
    hints = get_type_hints(loop)
    return [hints[name] for name in hints if name != "return"]


def _homes(bundle: type) -> set[str]:
    """Return the modules that define a bundle and those in it."""
    inner = [kind for kind in get_type_hints(bundle).values() if hasattr(kind, "_fields")]
    return {bundle.__module__}.union(*map(_homes, inner))


def _type_of(bundle: type) -> Any:
    """Return numba's type of a bundle of bare pointers.

    An index below zero counts from the end of a list or an array; to allow for that, compiled code
    tests every index it uses, which took half of the event loop's time. A pointer has no end, so
    that an index too large is not found out.
    """
    import numba

    types: Any = numba.types
    kinds: dict[Any, Any] = {int: types.int64, float: types.float64}
    kinds |= {Ints: types.CPointer(types.int64), Reals: types.CPointer(types.float64)}
    fields = get_type_hints(bundle).values()
    return types.NamedTuple([kinds.get(f) or _type_of(f) for f in fields], bundle)


@cache
def _compiled(function: FunctionType) -> Callable[..., Any]:
    import numba

    names = {**function.__globals__, **{f.__name__: _compiled(f) for f in _called(function)}}
    copy = FunctionType(function.__code__, names, function.__name__, function.__defaults__)
    copy.__annotations__ = {}
    inline = "outlined" not in function.__dict__
    return numba.njit(nogil=True, forceinline=inline, error_model="numpy")(copy)


@cache
def _called(function: FunctionType) -> list[FunctionType]:
    names = {i.argval for i in dis.get_instructions(function) if i.opname == "LOAD_GLOBAL"}
    named = [function.__globals__.get(name) for name in sorted(names)]
    return [f for f in named if isinstance(f, FunctionType) and f.__module__ != "builtins"]


def _modules(function: FunctionType) -> set[str]:
    return {function.__module__}.union(*(_modules(f) for f in _called(function)))
