"""Our measuring kernels beside C: triad, peak multiply-adds and a pointer walk, on the same data.

`.venv/bin/python benchmarks/cpu.py` compiles benchmarks/peers/cpu.c with gcc -O3 -march=native and
runs both sides in turn, ours-C-C-ours, on threads that are pinned to their cores. The figure is our
rate as a share of C's: the median over such quadruples with its 95 % interval. Beside it stands the
control, in which all four runs are ours: what it strays from 1 by is noise. The bar of a row is its
own or the control's interval, whichever is wider, and the exit status is 1 if a row is outside.
An argument selects rows by words of their names, for example `triad` or `"256 KiB"`.
"""

from __future__ import annotations

import ctypes
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from perfmodel.measurement.cpu import caches, kernels, latency, peak, pinned_threads, stream
from perfmodel.measurement.provenance import host
from perfmodel.measurement.runs import repetitions
from perfmodel.measurement.statistics.intervals import bootstrap_interval
from perfmodel.validation import Floats

HERE = Path(__file__).parent
BUILD = HERE.parent / "_build" / "peers"
QUADRUPLES = 60
FLAGS = ["-O3", "-march=native", "-fPIC", "-shared", "-Wno-psabi"]

Run = Callable[[], float]
"""One run; returns seconds a unit of work."""


@dataclass(frozen=True)
class Case:
    """One row: our run, C's run, and how far apart they may be."""

    name: str
    ours: Run
    theirs: Run
    bar: float
    unit: str
    """`GB/s`, `GFLOP/s`, or `ns` for a latency."""


def main() -> int:
    """Print one table and return 1 if a row is outside its bar."""
    peer = compiled()
    if peer is None:
        print("gcc is missing: there is nothing to compare with")
        return 1
    console = Console(width=124)
    table = Table(title=f"{host().processor}, our rate as a share of C's")
    for column in ("kernel", "C", "ours", "ours / C", "95 % interval", "control", "bar", ""):
        table.add_column(
            column, justify="left" if column in ("kernel", "") else "right", no_wrap=True
        )
    outside = False
    for case in cases(peer):
        row, inside = judged(case, *compared(case, console))
        table.add_row(*row)
        outside |= not inside
    console.print(table)
    return int(outside)


def compared(case: Case, console: Console) -> tuple[Floats, Floats]:
    """Return the times of quadruples ours-C-C-ours and ours-ours-ours-ours, shape (n, 4)."""
    pattern, control = (case.ours, case.theirs), (case.ours, case.ours)
    rows: tuple[list[list[float]], list[list[float]]] = ([], [])
    for run in (case.ours, case.theirs):
        run()
    for _ in track(range(QUADRUPLES), case.name, console=console, transient=True):
        for (a, b), seen in zip((pattern, control), rows, strict=True):
            seen.append([a(), b(), b(), a()])
    return np.array(rows[0]), np.array(rows[1])


def judged(case: Case, times: Floats, control: Floats) -> tuple[list[str], bool]:
    """Return a row's texts, and whether it is inside its bar."""
    ratios, same = (
        (seen[:, 1] + seen[:, 2]) / (seen[:, 0] + seen[:, 3]) for seen in (times, control)
    )
    ratio = float(np.median(ratios))
    low, high = bootstrap_interval(ratios, np.median, 0.95)
    ends = bootstrap_interval(same, np.median, 0.95)
    allowed = max(case.bar, *(abs(end - 1) for end in ends))
    inside = abs(ratio - 1) <= allowed
    best = [1e9 * float(times[:, columns].min()) for columns in ([1, 2], [0, 3])]
    row = [
        case.name,
        *(f"{ns if case.unit == 'ns' else 1 / ns:.4g} {case.unit}" for ns in best),
        f"{ratio:.3f}",
        f"{low:.3f} to {high:.3f}",
        f"{ends[0]:.3f} to {ends[1]:.3f}",
        f"{100 * allowed:.1f} %",
        "inside" if inside else "OUTSIDE",
    ]
    return row, inside


def cases(peer: ctypes.CDLL) -> Iterator[Case]:
    """Yield the rows that the command line selects; each one's data lives while it is used."""
    cores = pinned_threads.usable_threads()
    wanted = [word.lower() for word in sys.argv[1:]]
    known: list[tuple[str, Callable[[], object]]] = [
        (f"triad, {n} thread{'s' if n > 1 else ''}", lambda n=n: triad(peer, n))
        for n in sorted({1, len(cores)})
    ]
    known += [(f"FMA peak, {p}", lambda p=p: multiply_add(peer, p)) for p in ("fp64", "fp32")]
    known += [
        (f"pointer walk, {size} {unit}", lambda size=size, scale=scale: walk(peer, size * scale))
        for size, unit, scale in ((16, "KiB", 2**10), (256, "KiB", 2**10), (256, "MiB", 2**20))
    ]
    for name, make in known:
        if not wanted or any(word in name.lower() for word in wanted):
            with make() as (ours, theirs, bar, unit):  # type: ignore[attr-defined]
                yield Case(name, ours, theirs, bar, unit)


@contextmanager
def triad(peer: ctypes.CDLL, threads: int) -> Iterator[tuple[Run, Run, float, str]]:
    """Prepare the triad on the same arrays: ours by numba, theirs by gcc, ordinary stores."""
    loop = stream.stream_loops()["triad"]
    pointer = ctypes.c_void_p
    peer.triad.argtypes, peer.triad.restype = (pointer, pointer, pointer, ctypes.c_size_t), None
    with pinned_threads.PinnedThreads(threads) as members:
        size, _ = stream.array_bytes(caches.hierarchy(), threads, host().memory)
        arrays = stream.StreamArrays(members, size)
        parts = [arrays.of(member) for member in range(threads)]
        starts = [[array.ctypes.data for array in part] for part in parts]
        work = loop.counted * arrays.a.size

        def theirs() -> float:
            run = members.run(lambda m: peer.triad(*starts[m], parts[m][0].size))
            return run / work

        def ours() -> float:
            return members.run(lambda m: loop.loop(*parts[m])) / work

        yield ours, theirs, 0.03, "GB/s"
        arrays.fill()
        theirs()
        if not (arrays.a == 2.0).all():
            raise AssertionError("C's triad has computed something else")


@contextmanager
def multiply_add(peer: ctypes.CDLL, precision: str) -> Iterator[tuple[Run, Run, float, str]]:
    """Prepare the peak of one core: ours against the best width and number of chains in C."""
    kernel = peak.MultiplyAdds(peak.widest(precision))
    bits, number = peak.TYPES[precision]
    with pinned_threads.PinnedThreads(1) as members:
        turns = repetitions(lambda n: members.run(lambda _: kernel(n)), 2e-3)
        work = turns * kernel.flops_per_turn

        def paced(function: Callable[[int], object], flops: int) -> Run:
            equal = work // flops
            return lambda: members.run(lambda _: function(equal)) / (equal * flops)

        peers = []
        for width in (16, 32, 64):
            for chains in (10, 12, 24):
                function = getattr(peer, f"{precision}_{width}_{chains}")
                function.argtypes, function.restype = (ctypes.c_uint64, number, number), number
                lanes = width * 8 // bits
                if function(7, 1.0, 1.0) != lanes * (7 * chains + sum(range(chains))):
                    raise AssertionError("C's multiply-adds have computed something else")
                peers.append(paced(lambda n, f=function: f(n, 0.5, 0.5), 2 * chains * lanes))
        # In turns, so that a busy second slows all of them. Of those that are equal but for 1 %
        # the last has the most chains, and so loses least to a neighbour on the same core.
        tried = np.array([[run() for run in peers] for _ in range(QUADRUPLES)])
        middles = np.median(tried, axis=0)
        theirs = peers[int(np.flatnonzero(middles <= 1.01 * middles.min())[-1])]
        yield paced(kernel, kernel.flops_per_turn), theirs, 0.02, "GFLOP/s"


@contextmanager
def walk(peer: ctypes.CDLL, size: int) -> Iterator[tuple[Run, Run, float, str]]:
    """Prepare a walk over the same cycle: both go on where the other stopped."""
    number = ctypes.c_uint64
    peer.chase.argtypes, peer.chase.restype = (number, number), number
    here = caches.hierarchy()
    cycle = latency.PointerCycle(size, here.line)
    place = cycle.start
    with pinned_threads.PinnedThreads(1) as members:

        def stepping(function: Callable[[int, int], int]) -> Callable[[int], float]:
            def step(turns: int) -> float:
                def task(_: int) -> None:
                    nonlocal place
                    place = function(place, turns)

                return members.run(task)

            return step

        mine, other = stepping(latency.walker()), stepping(peer.chase)
        settle = min(cycle.count, max(2 * here.last_level() // here.line, 1 << 12))
        mine(settle // kernels.CHASE_UNROLL)
        turns = repetitions(mine, 2e-3)
        loads = turns * kernels.CHASE_UNROLL
        yield (lambda: mine(turns) / loads), (lambda: other(turns) / loads), 0.05, "ns"


def compiled() -> ctypes.CDLL | None:
    """Compile the C side for this processor; return it, or None where there is no gcc."""
    BUILD.mkdir(parents=True, exist_ok=True)
    library = BUILD / "cpu.so"
    try:
        command = ["gcc", *FLAGS, "-o", str(library), str(HERE / "peers" / "cpu.c")]
        subprocess.run(command, check=True)
    except (FileNotFoundError, subprocess.CalledProcessError):
        return None
    return ctypes.CDLL(str(library))


if __name__ == "__main__":
    sys.exit(main())
