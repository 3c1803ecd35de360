"""Machine code without a compiler: LLVM assembly text becomes a function that can be timed.

A measuring kernel must run the instructions that it names and no others. An optimising compiler
may drop, merge or reorder them, so these kernels are written in LLVM's assembly language and
translated without its optimiser; llvmlite, which numba brings along, does it in milliseconds.
The functions are called through ctypes, which releases the interpreter's lock.
"""

from __future__ import annotations

import ctypes
import platform
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from perfmodel.measurement.errors import Unavailable

X86 = ("x86_64", "amd64")
ARM = ("aarch64", "arm64")


@dataclass(frozen=True)
class Isa:
    """What this processor's vector instructions can do."""

    name: str
    """The widest extension that the kernels use: `AVX-512`, `AVX2`, `AVX`, `SSE2`, `NEON`."""
    vector_bits: tuple[int, ...]
    """Register widths in bits, narrowest first; 0 stands for scalar instructions."""
    registers: int
    """Vector registers that the instruction set names."""
    fma: bool
    """Whether there is a fused multiply-add instruction."""


def isa() -> Isa:
    """Return the vector extension of this x86-64 or 64-bit ARM processor."""
    machine = platform.machine().lower()
    if machine in ARM:
        return Isa("NEON", (0, 128), 32, True)
    if machine not in X86:
        raise Unavailable(
            "a kernel in machine code",
            f"there is none for processors of type {machine!r}",
            "use an x86-64 or 64-bit ARM machine",
        )
    return x86_isa(host_features())


def x86_isa(features: dict[str, bool]) -> Isa:
    """Return the vector extension that a table of x86 features amounts to.

    >>> x86_isa({"avx": True, "avx2": True, "fma": True}).vector_bits
    (0, 128, 256)
    >>> x86_isa({}).fma
    False
    """
    fma = bool(features.get("fma"))
    if features.get("avx512f"):
        return Isa("AVX-512", (0, 128, 256, 512), 32, fma)
    if features.get("avx"):
        return Isa("AVX2" if features.get("avx2") else "AVX", (0, 128, 256), 16, fma)
    return Isa("SSE2", (0, 128), 16, fma)


def host_features() -> dict[str, bool]:
    """Return LLVM's table of the processor's features; empty where it cannot tell."""
    llvm = binding()
    try:
        return dict(llvm.get_host_cpu_features())
    except RuntimeError:
        return {}


@cache
def binding() -> Any:
    """Return llvmlite's binding, ready to produce code for this machine."""
    try:
        import llvmlite.binding as llvm
    except ImportError as missing:
        raise Unavailable(
            "a kernel in machine code", "llvmlite is not installed", "run `pip install llvmlite`"
        ) from missing
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm


@cache
def target_machine() -> Any:
    """Return LLVM's code generator for exactly this processor."""
    llvm = binding()
    try:
        features = llvm.get_host_cpu_features().flatten()
    except RuntimeError:
        features = ""
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=features, opt=3, jit=True
    )


@cache
def assembled(
    text: str, name: str, result: type[Any], arguments: tuple[type[Any], ...]
) -> Callable[..., Any]:
    """Return the function `name` of the LLVM assembly `text`, callable from Python, not optimised.

    >>> add = "define i64 @add(i64 %a, i64 %b) { %c = add i64 %a, %b  ret i64 %c }"
    >>> assembled(add, "add", ctypes.c_int64, (ctypes.c_int64, ctypes.c_int64))(40, 2)
    42
    """
    llvm = binding()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(text), target_machine())
    engine.finalize_object()
    function = ctypes.CFUNCTYPE(result, *arguments)(engine.get_function_address(name))
    function.engine = engine  # type: ignore[attr-defined]  # the code lives as long as this
    return function


def disassembly(text: str) -> str:
    """Return the processor's instructions for the LLVM assembly `text`, to read what is timed."""
    return str(target_machine().emit_assembly(binding().parse_assembly(text)))
