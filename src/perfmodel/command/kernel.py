"""`perfmodel kernel`: where a kernel stands under a machine's roofline."""

from __future__ import annotations

import re
from pathlib import Path

import click

from perfmodel.command.answer import Answer, Assumption, Cell, Quantity
from perfmodel.command.options import Assumable, Assumed, answers
from perfmodel.machines.machine import Machine
from perfmodel.machines.registry import get
from perfmodel.readers.counter_file import CounterFile, KernelCounters
from perfmodel.readers.counters import read_counters
from perfmodel.readers.refusal import UnreadableFileError
from perfmodel.units import percent, prefixed

_ASSUMED = (
    Assumable("seconds", "time of the kernel, where the file has none", None, "s", above=0.0),
    Assumable("bytes", "bytes of main memory, where the file has none", None, "bytes", above=0.0),
    Assumable("flop", "operations, where the file has none", None, "FLOP", above=0.0),
    Assumable("peak", "of the machine, instead of its catalogue's", None, "FLOP/s", above=0.0),
    Assumable(
        "bandwidth", "of the machine, instead of its catalogue's", None, "bytes/s", above=0.0
    ),
)
_OVER = 1.05
"""Fraction of a roof above which a number must be wrong."""
_FREE = 0.6
"""Fraction of a roof below which something else than the roof is what binds."""

_ABOVE = "It is above the roof: another machine or clock was measured, or a counter is off."


@answers(assume=_ASSUMED)
@click.argument("counters", type=click.Path(path_type=Path))
@click.option("--machine", "id", required=True, metavar="ID", help="As `perfmodel machine list`.")
@click.option("--kernel", "name", default="", help="Part of its name; default: the longest.")
def kernel(assumed: Assumed, counters: Path, id: str, name: str) -> Answer:
    """What bounds a kernel? COUNTERS is the output of likwid-perfctr, perf stat or ncu.

    \b
      perfmodel kernel likwid.csv --machine epyc-7763
      perfmodel kernel profile.csv --machine a100-sxm4-80gb --kernel gemm

    The kernel's operations, bytes and time are set against the machine's peak and bandwidth. What
    the file doesn't hold is said, or given by --assume.
    """  # noqa: D301
    read = read_counters(counters)
    one = _chosen(counters, read, name)
    machine = get(id)
    if machine.kind in (("cpu",) if read.format == "ncu CSV" else ("gpu", "tpu", "accelerator")):
        side = "a GPU" if read.format == "ncu CSV" else "a CPU"
        raise click.UsageError(
            f"--machine must be {side}, on which {read.format} counts; {id} is a {machine.kind}"
        )
    return _answer(read, one, machine, assumed)


_CPU_COUNTS = {
    "seconds": "count duration_time",
    "flop": "count MEM_DP of likwid-perfctr, or fp_arith_inst_retired",
    "bytes": "count MEM_DP of likwid-perfctr, or cas_count",
}
_NCU_COUNTS = {
    "seconds": "profile with --metrics gpu__time_duration.sum",
    "flop": "profile with --metrics "
    "'regex:smsp__sass_thread_inst_executed_op_[dfh](add|mul|fma)_pred_on.sum$'",
    "bytes": "profile with --metrics dram__bytes.sum",
}
"""What to count where a file lacks one of the three."""


def _chosen(path: Path, read: CounterFile, name: str) -> KernelCounters:
    there = [one for one in read.kernels if name.lower() in one.name.lower()]
    if not there:
        cure = f"it has {', '.join(one.name for one in read.kernels[:8])}"
        raise UnreadableFileError(path, None, f"no kernel is called {name!r}", cure)
    return max(there, key=lambda one: one.seconds or 0.0)


def _answer(read: CounterFile, one: KernelCounters, machine: Machine, assumed: Assumed) -> Answer:
    seconds = assumed["seconds"] or one.seconds
    flops = assumed["flop"] or one.flops
    moved = assumed["bytes"] or one.moved
    # The counters leave the operations of matrix units out.
    vector = machine.peak_quantity(one.precision, "vector")
    named = vector if machine.has(vector) else machine.peak_quantity(one.precision)
    peak = float(assumed["peak"] or machine.value(named))
    bandwidth = float(assumed["bandwidth"] or machine.memory_bandwidth)
    count = _NCU_COUNTS if read.format == "ncu CSV" else _CPU_COUNTS
    missing = [
        f"The file holds no {what} of {one.name}; give it by --assume {key}=, or {cure}."
        for what, value, key, cure in (
            ("time", seconds, "seconds", count["seconds"]),
            ("operations", flops, "flop", count["flop"]),
            ("bytes of main memory", moved, "bytes", count["bytes"]),
        )
        if not value
    ]
    intensity = flops / moved if flops and moved else None
    ridge = peak / bandwidth
    floor = _floor(flops, moved, peak, bandwidth)
    share = floor / seconds if floor and seconds else None
    binds, after, verdict = _limits(intensity, ridge, share)
    wrong = share is not None and share > _OVER
    quantities = (
        Quantity("operational intensity", intensity, None, None, "FLOP/byte", f"ridge {ridge:.3g}"),
        Quantity(
            "arithmetic",
            flops / seconds if flops and seconds else None,
            None,
            None,
            "FLOP/s",
            f"peak {prefixed(peak, 'FLOP/s')} ({one.precision})",
        ),
        Quantity(
            "memory traffic",
            moved / seconds if moved and seconds else None,
            None,
            None,
            "bytes/s",
            f"bandwidth {prefixed(bandwidth, 'bytes/s')}",
        ),
        Quantity(
            "time",
            seconds,
            None if wrong else _at_most(floor, seconds),
            None,
            "s",
            f"the roofline allows {prefixed(floor, 's')}" if floor else "",
        ),
        Quantity("fraction of the roof", share, None, None, "1", "of the time that is needed"),
    )
    return Answer(
        question=f"What bounds {one.name} on {machine.name}?",
        verdict="unknown" if verdict or wrong else None,
        summary=_summary(one.name, binds, share, missing, "main memory" if moved else "arithmetic"),
        quantities=quantities,
        assumed=(
            Assumption(
                "peak",
                peak,
                "FLOP/s",
                "given" if "peak" in assumed.given else machine.source(named),
            ),
            Assumption(
                "bandwidth",
                bandwidth,
                "bytes/s",
                "given" if "bandwidth" in assumed.given else machine.source("memory_bandwidth"),
            ),
            *assumed.listed("seconds", "bytes", "flop"),
        ),
        binds=binds,
        next_binds=after,
        unknown=(
            *missing,
            *([_ABOVE] if wrong else []),
            "A roofline has neither caches nor dependencies: a kernel far below both roofs is "
            "bound by something that it leaves out.",
        ),
        traps=(*_other_processor(read.processor, machine), *read.traps),
        steps=(
            f"{read.format}: {len(read.kernels)} kernels or regions; {one.name} takes longest of "
            "those asked for.",
            "Operations over bytes is the operational intensity; peak over bandwidth is the ridge.",
            "The roofline's time is the longer of operations over peak and bytes over bandwidth.",
        ),
        chapter="book/roofline.md",
        more={"Kernels": tuple(_row(each) for each in read.kernels[:20])},
    )


def _other_processor(measured: str, machine: Machine) -> tuple[str, ...]:
    """Say that another processor was measured, where neither name has the other's model number."""
    numbers = re.findall(r"\d{3,}", f"{machine.id} {machine.name}")
    if not measured or not numbers or any(number in measured for number in numbers):
        return ()
    return (
        f"The file is of {measured}, and its numbers are compared with {machine.name}. Give the "
        "machine that was measured.",
    )


def _floor(flops: float | None, moved: float | None, peak: float, bandwidth: float) -> float | None:
    parts = [flops / peak] if flops else []
    parts += [moved / bandwidth] if moved else []
    return max(parts, default=None)


def _at_most(floor: float | None, seconds: float | None) -> float | None:
    """Return the lower end of a time: rounding may put what the roof allows above it."""
    return min(floor, seconds) if floor is not None and seconds is not None else floor


def _limits(intensity: float | None, ridge: float, share: float | None) -> tuple[str, str, bool]:
    """Return what binds, what binds next, and whether that can't be told."""
    if intensity is None:
        return "", "", True
    sides = ("memory bandwidth", "arithmetic")
    roof, other = sides if intensity < ridge else sides[::-1]
    if share is None:
        return f"{roof}, if it is near its roof (no time is known)", other, False
    if share < _FREE:
        of_roof = f"at {percent(share)} of the {roof}"
        said = f"neither roof: latency, dependencies or parallelism, {of_roof}"
        return said, roof, False
    return f"{roof}, {percent(share)} of its roof", other, False


def _summary(name: str, binds: str, share: float | None, missing: list[str], known: str) -> str:
    if not binds:
        alone = "" if share is None else f" Only {known} is known, at {percent(share)} of its roof."
        return f"The counters don't tell what bounds {name}.{alone} {missing[0]}"
    more = f" The roofline allows {1 / share:.3g} times its speed." if share and share < 1 else ""
    if share and share > _OVER:
        return f"The counters don't tell what bounds {name}. {_ABOVE}"
    return f"{binds[:1].upper()}{binds[1:]}.{more}"


def _row(one: KernelCounters) -> dict[str, Cell]:
    return {"kernel": one.name[:60], "time (s)": one.seconds, "FLOP": one.flops, "bytes": one.moved}
