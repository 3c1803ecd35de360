r"""Peak floating-point rate: FLOP/s of independent multiply-adds whose data stays in registers.

"Peak" here is that and nothing else: the most that the arithmetic units do when nothing is loaded,
stored or waited for. Each chain :math:`a_k \leftarrow a_k x + y` depends only on itself, and there
are enough chains to hide the latency of the unit. A multiply-add counts as two operations. The rate
of a matrix product (`blas`) is a share of it and never called a peak.

It is measured at the clock of the moment: a core may run slower with wide vectors, with more cores
at work, or when hot, so one core's peak times the number of cores is more than all cores reach.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from perfmodel.measurement.cpu import kernels, llvm
from perfmodel.measurement.cpu.pinned_threads import PinnedThreads
from perfmodel.measurement.runs import RUNS, Runs
from perfmodel.validation import positive

SECONDS = 1e-3
"""Length of one run on one core."""

TYPES: dict[str, tuple[int, Any]] = {"fp32": (32, ctypes.c_float), "fp64": (64, ctypes.c_double)}


@dataclass(frozen=True)
class Variant:
    """One way to multiply and add: the precision, the width of the registers, fused or not."""

    precision: str
    """`fp32` or `fp64`."""
    vector_bits: int
    """0 for scalar instructions."""
    fused: bool
    """One instruction for both, or one for each."""

    @property
    def lanes(self) -> int:
        """Numbers in a register that an instruction works on."""
        return max(1, self.vector_bits // TYPES[self.precision][0])

    @property
    def name(self) -> str:
        """Words for a table.

        >>> Variant("fp32", 256, True).name, Variant("fp64", 0, False).name
        ('fp32, 8 lanes, FMA', 'fp64, scalar, multiply and add')
        """
        width = f"{self.lanes} lanes" if self.vector_bits else "scalar"
        return f"{self.precision}, {width}, {'FMA' if self.fused else 'multiply and add'}"


def variants(precisions: Sequence[str] = ("fp32", "fp64")) -> list[Variant]:
    """Return the variants that this processor has, the slowest of each of `precisions` first.

    Raises `Unavailable` if llvmlite is missing or the processor is of an unknown kind. Raises
    `ValueError` if a precision is neither fp32 nor fp64.
    """
    here = llvm.isa()
    for precision in precisions:
        if precision not in TYPES:
            raise ValueError(f"precisions must be among fp32, fp64, got {precision!r}")
    return [
        Variant(precision, bits, fused)
        for precision in precisions
        for fused in ((False, True) if here.fma else (False,))
        for bits in here.vector_bits
    ]


def widest(precision: str) -> Variant:
    """Return the variant that sets the peak of `precision`, fp32 or fp64.

    The widest registers, and fused where there is a fused multiply-add.
    """
    return variants([precision])[-1]


class MultiplyAdds:
    """The compiled multiply-adds of one variant; `kernel(n, x, y)` runs n turns of its loop."""

    def __init__(self, variant: Variant) -> None:
        bits, number = TYPES[variant.precision]
        # Half as many chains as registers would stall on wide units; two registers hold x and y.
        self.accumulators = 24 if llvm.isa().registers == 32 else 12
        self.variant = variant
        self.text = kernels.multiply_add(
            bits, variant.vector_bits, self.accumulators, variant.fused
        )
        arguments = (ctypes.c_uint64, number, number)
        self._function = llvm.assembled(self.text, "kernel", number, arguments)

    @property
    def flops_per_turn(self) -> int:
        """Floating-point operations of one turn: 2 x accumulators x lanes."""
        return 2 * self.accumulators * self.variant.lanes

    def __call__(self, turns: int, x: float = 0.5, y: float = 0.5) -> float:
        """Run and return the sum of all chains; with x = y = 0.5 they settle at 1."""
        return float(self._function(turns, x, y))


def measure_peak(
    variant: Variant, threads: PinnedThreads, runs: int = RUNS, seconds: float = SECONDS
) -> Runs:
    """Measure one `variant` on all threads of a `threads` at once: `Runs` in FLOP over all threads.

    The best of `runs` runs is the peak. A run lasts about `seconds` seconds, four times that with
    several threads, which do not begin at quite the same moment. Raises `Unavailable` if llvmlite
    is missing or the processor is of an unknown kind.
    """
    kernel = MultiplyAdds(variant)
    length = float(positive("seconds", seconds)) * (4 if len(threads) > 1 else 1)
    turns, lengths = threads.short_runs(lambda _, n: kernel(n), length, runs)
    note = "" if variant.fused else "multiply and add as two instructions"
    work = float(turns) * kernel.flops_per_turn * len(threads)
    return Runs(variant.name, work, "FLOP", lengths, len(threads), threads.pinned, note)
