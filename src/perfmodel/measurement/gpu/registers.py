r"""Multiply-adds that stay in a GPU's registers: the peak of its vector units, and nothing else.

As on a CPU (`perfmodel.measurement.cpu.peak`), each chain :math:`a_k \leftarrow a_k x + y` depends
only on itself, and enough threads run to hide the latency of the units. The kernel is written in
PTX, the GPU's portable assembly, which the driver translates: no compiler is needed. Matrix units
have no such loop here: what a matrix product reaches is a rate and never called a peak.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

from perfmodel.measurement.errors import Unavailable
from perfmodel.validation import one_of, whole

DRIVER = "libcuda.so.1"
THREADS = 1024
"""Of a block; one of them has threads enough to hide the latency of a multiprocessor's units."""
BLOCKS = 2
"""For each multiprocessor, at once or one after the other."""
CHAINS = 8
UNROLL = 32
"""Links of every chain in one turn of the loop, so that counting turns costs less than 2 %."""


@dataclass(frozen=True)
class Arithmetic:
    """How a precision is written in PTX."""

    register: str
    move: str
    from_count: str
    """Instruction that makes a start from a whole number, a different one for each chain: chains
    with the same start might be computed only once."""
    multiply_add: str
    lanes: int
    """Numbers in a register."""
    half: str
    """The number 0.5 in every lane."""
    target: str
    """Oldest architecture that has it."""


PRECISIONS = {
    "fp64": Arithmetic(
        ".f64", "mov.f64", "cvt.rn.f64.u32", "fma.rn.f64", 1, "0d3FE0000000000000", "sm_70"
    ),
    "fp32": Arithmetic(".f32", "mov.f32", "cvt.rn.f32.u32", "fma.rn.f32", 1, "0f3F000000", "sm_70"),
    "fp16": Arithmetic(".b32", "mov.b32", "mov.b32", "fma.rn.f16x2", 2, "0x38003800", "sm_70"),
    "bf16": Arithmetic(".b32", "mov.b32", "mov.b32", "fma.rn.bf16x2", 2, "0x3F003F00", "sm_80"),
}


def text(precision: str) -> str:
    """Return the kernel's PTX for a `precision`, one of `PRECISIONS`.

    Its arguments are where it would write, turns, and a number that says whether to write: never,
    but the translator can't know that, and so can't drop the loop.

    >>> text("fp32").count("fma.rn.f32")
    256
    """
    how = _arithmetic(precision)
    chains = range(CHAINS)
    links = "\n".join(
        f"    {how.multiply_add} %a{k}, %a{k}, %x, %y;" for _ in range(UNROLL) for k in chains
    )
    start = "\n".join(
        f"    add.u32 %start, %start, 1;\n    {how.from_count} %a{k}, %start;" for k in chains
    )
    store = "\n".join(f"    st.global{how.register} [%out+{8 * k}], %a{k};" for k in chains)
    return f""".version 7.0
.target {how.target}
.address_size 64
.visible .entry multiply_adds(.param .u64 place, .param .u32 turns, .param .u32 write)
{{
    .reg {how.register} %a<{CHAINS}>, %x, %y;
    .reg .u64 %out;
    .reg .u32 %turn, %turns, %write, %start;
    .reg .pred %again, %never;
    ld.param.u64 %out, [place];
    ld.param.u32 %turns, [turns];
    ld.param.u32 %write, [write];
    {how.move} %x, {how.half};
    {how.move} %y, {how.half};
    mov.u32 %start, %tid.x;
{start}
    mov.u32 %turn, 0;
loop:
{links}
    add.u32 %turn, %turn, 1;
    setp.lt.u32 %again, %turn, %turns;
    @%again bra loop;
    setp.eq.u32 %never, %write, 0;
    @%never bra done;
{store}
done:
    ret;
}}
"""


def flop(precision: str, turns: int, multiprocessors: int) -> int:
    """Return the operations of a launch of `turns` in `precision`, a multiply-add being two.

    A launch fills a GPU of this many `multiprocessors`.

    >>> flop("fp32", 1, 1) == 2 * CHAINS * UNROLL * THREADS * BLOCKS
    True
    """
    lanes = _arithmetic(precision).lanes
    return 2 * CHAINS * UNROLL * lanes * THREADS * BLOCKS * turns * multiprocessors


class Loop:
    """The kernel of one precision on all multiprocessors, translated by the driver for this GPU.

    The library must have begun to use the GPU before. Unavailable if the driver can't be loaded or
    refuses the kernel, for example because the GPU is too old for the precision.
    """

    def __init__(self, precision: str, multiprocessors: int, driver: Any = None) -> None:
        source = text(precision)
        self.precision = precision
        self.multiprocessors = whole("multiprocessors", multiprocessors, 1)
        self._driver = _loaded() if driver is None else driver
        module, self._function = ctypes.c_void_p(), ctypes.c_void_p()
        self._call("cuModuleLoadData", ctypes.byref(module), source.encode("ascii"))
        self._call("cuModuleGetFunction", ctypes.byref(self._function), module, b"multiply_adds")

    def launch(self, turns: int, stream: int) -> int:
        """Launch `turns` turns of the loop on a stream; return how many FLOP they are."""
        output = ctypes.c_uint64(0)
        count, write = ctypes.c_uint32(whole("turns", turns, 1)), ctypes.c_uint32(0)
        values = [
            ctypes.cast(ctypes.byref(item), ctypes.c_void_p) for item in (output, count, write)
        ]
        arguments = (ctypes.c_void_p * len(values))(*values)
        grid, block = (BLOCKS * self.multiprocessors, 1, 1), (THREADS, 1, 1)
        self._call(
            "cuLaunchKernel",
            self._function,
            *grid,
            *block,
            0,
            ctypes.c_void_p(stream),
            arguments,
            None,
        )
        return flop(self.precision, turns, self.multiprocessors)

    def _call(self, name: str, *arguments: Any) -> None:
        status = getattr(self._driver, name)(*arguments)
        if status:
            raise Unavailable(
                f"the peak of {self.precision}",
                f"{name} of the GPU's driver says error {status}",
                "measure another precision, or update the driver",
            )


def _loaded() -> Any:
    try:
        return ctypes.CDLL(DRIVER)
    except OSError as error:
        raise Unavailable(
            "the GPU's driver", f"{DRIVER} can't be loaded: {error}", "install NVIDIA's driver"
        ) from error


def _arithmetic(precision: str) -> Arithmetic:
    one_of("precision", precision, PRECISIONS)
    return PRECISIONS[precision]
