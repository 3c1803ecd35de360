"""What other people's machines reached: recordings with their source, one quantity at a time.

The tables are in this folder, with commits, licences and changes in README.md.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from perfmodel.machines import shipped
from perfmodel.machines.machine import Machine
from perfmodel.measurement.gpu.recorded import h100

_FOLDER = Path(__file__).parent
BABELSTREAM = "BabelStream, github.com/UoB-HPC/performance-portability at c8553636 (MIT)"
LINPACK = "HPL, github.com/geerlingguy/top500-benchmark at be7b6781 (MIT)"
SBC_BENCH = "tinymembench in github.com/ThomasKaiser/sbc-bench at 53f79517 (BSD)"
CORE_TO_CORE = "github.com/nviennot/core-to-core-latency at 96a943ac (MIT)"


@dataclass(frozen=True)
class Recording:
    """One machine's value, in the SI unit of its quantity."""

    machine: str
    value: float
    source: str
    note: str = ""


@dataclass(frozen=True)
class RecordedQuantity:
    """A quantity that was measured on many machines, and how a reader's own file tells it."""

    label: str
    unit: str
    """The unit that is shown."""
    scale: float
    """What a value in SI units is multiplied by to be shown."""
    more_is_better: bool
    recordings: tuple[Recording, ...]
    quantity: str = ""
    """The figure of a machine measured by `perfmodel.measurement`, if it measures this."""
    pattern: str = ""
    """Finds the value in a tool's output, as its first group; the best counts."""
    pattern_scale: float = 1.0
    """From what the tool prints to SI units."""
    matrix_scale: float = 0.0
    """Above 0 where a file is a table of numbers whose median counts: from them to SI units."""
    files: str = ""
    """What a reader can give, in a sentence."""


def _rows(name: str) -> list[dict[str, str]]:
    with (_FOLDER / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _triads(kind: str) -> tuple[Recording, ...]:
    return tuple(
        Recording(row["machine"], float(row["bytes_per_second"]), BABELSTREAM, row["note"])
        for row in _rows("triad.csv")
        if row["kind"] == kind
    )


def _own(id: str, quantity: str) -> Recording:
    machine = shipped.machines()[id]
    figure = machine.figures[quantity]
    return Recording(machine.name, figure.value, figure.source, figure.note)


def _triad_cpu() -> RecordedQuantity:
    return RecordedQuantity(
        "Memory bandwidth of a triad on all cores, by STREAM's count",
        "GB/s",
        1e-9,
        True,
        (*_triads("cpu"), _own("example-2vcpu", "memory_bandwidth")),
        "memory_bandwidth",
        r"^Triad:?\s+([\d.]+)",
        1e6,
        files="your machine's file (this-machine.json), or what STREAM or BabelStream printed",
    )


def _triad_gpu() -> RecordedQuantity:
    figure = h100().figures["memory_bandwidth"]
    ours = Recording(h100().name, figure.value, figure.source, figure.note)
    return RecordedQuantity(
        "Memory bandwidth of a triad on a GPU, by STREAM's count",
        "GB/s",
        1e-9,
        True,
        (*_triads("gpu"), ours),
        "memory_bandwidth",
        r"^Triad:?\s+([\d.]+)",
        1e6,
        files="your GPU's file (this-gpu.json), or what BabelStream printed",
    )


_HPL_LINE = r"^W[RC]\w+(?:\s+[\d.]+){5}\s+([\d.]+e[+-]\d+)"


def _linpack() -> RecordedQuantity:
    return RecordedQuantity(
        "Solving a large dense system (HPL) in double precision",
        "GFLOP/s",
        1e-9,
        True,
        tuple(
            Recording(row["machine"], float(row["flop_per_second"]), LINPACK)
            for row in _rows("linpack.csv")
        ),
        pattern=_HPL_LINE,
        pattern_scale=1e9,
        files="what HPL printed",
    )


def _linpack_efficiency() -> RecordedQuantity:
    return RecordedQuantity(
        "Operations for a joule at the wall (HPL) in double precision",
        "GFLOP/J",
        1e-9,
        True,
        tuple(
            Recording(
                row["machine"],
                float(row["flop_per_second"]) / float(row["watts"]),
                LINPACK,
                f"{row['watts']} W",
            )
            for row in _rows("linpack.csv")
            if row["watts"]
        ),
    )


def _core_to_core() -> RecordedQuantity:
    return RecordedQuantity(
        "Message from one CPU to another through the caches, median over all pairs",
        "ns",
        1e9,
        False,
        tuple(
            Recording(
                row["machine"],
                float(row["median_seconds"]),
                CORE_TO_CORE,
                f"{row['cpus']} CPUs, {1e9 * float(row['shortest_seconds']):.0f} to "
                f"{1e9 * float(row['longest_seconds']):.0f} ns",
            )
            for row in _rows("core_to_core.csv")
        ),
        matrix_scale=1e-9,
        files="the table of numbers that core-to-core-latency --csv wrote",
    )


def _memory_latency() -> RecordedQuantity:
    return RecordedQuantity(
        "Random load from 64 MiB in pages of 4 KiB, beyond a load from the first cache",
        "ns",
        1e9,
        False,
        tuple(
            Recording(
                row["machine"],
                float(row["seconds"]),
                SBC_BENCH,
                f"{row['cpus']} CPUs; {row['file']}",
            )
            for row in _rows("memory_latency.csv")
        ),
        pattern=r"MADV_NOHUGEPAGE\][\s\S]*?67108864 :\s+([\d.]+) ns",
        pattern_scale=1e-9,
        files="what tinymembench or sbc-bench printed",
    )


def _bf16_products() -> RecordedQuantity:
    return RecordedQuantity(
        "Large bf16 matrix products",
        "TFLOP/s",
        1e-12,
        True,
        tuple(
            _own(id, "reached_bf16_matrix")
            for id, machine in shipped.machines().items()
            if "reached_bf16_matrix" in machine.figures
        ),
        "gemm_bf16",
        files="your GPU's file (this-gpu.json)",
    )


RECORDED: Mapping[str, Callable[[], RecordedQuantity]] = {
    "triad_cpu": _triad_cpu,
    "triad_gpu": _triad_gpu,
    "linpack": _linpack,
    "linpack_efficiency": _linpack_efficiency,
    "memory_latency": _memory_latency,
    "core_to_core": _core_to_core,
    "bf16_products": _bf16_products,
}
"""Quantities by name."""


@lru_cache
def recorded(name: str) -> RecordedQuantity:
    """Return a quantity with the recordings of many machines.

    Raises `ValueError` if there are no recordings of that name.

    >>> len(recorded("core_to_core").recordings)
    37
    """
    if name not in RECORDED:
        raise ValueError(f"name must be one of {', '.join(RECORDED)}, got {name!r}")
    return RECORDED[name]()


def value_of(machine: Machine, quantity: RecordedQuantity) -> float | None:
    """Return a machine's own measured value of the quantity in SI units, if it has one."""
    figure = machine.figures.get(quantity.quantity)
    return figure.value if figure is not None and figure.kind == "measured" else None
