"""The quick suite beside a program in C: capacities, and whether the stated intervals hold C's.

`.venv/bin/python benchmarks/suite.py 30` compiles benchmarks/peers/suite.c with gcc and runs the
quick suite 30 times; after each of its processes that measures memory the C program runs once, on
arrays and working sets of the same sizes. So both see the same minutes, and C has as many processes
as the suite. A row tells, for one quantity, the suite's best as a share
of C's (the median over the repeats, and the range of nine in ten), in how many repeats the
capacity's interval held the best of C's processes and the median's interval the mean of their
medians, and in what share of C's single processes, which is what the intervals state.
`--keep FILE` appends each repeat to a file and reports all that are in it, so that a long run can
be made in parts. There is no bar: on a machine that others share, no side is the truth.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from perfmodel.measurement import child
from perfmodel.measurement.cpu import battery, caches, llvm, pinned_threads, stream, suite
from perfmodel.measurement.provenance import host

HERE = Path(__file__).parent
BUILD = HERE.parent / "_build" / "peers"
FLAGS = ["-O3", "-march=native"]
if platform.machine().lower() in llvm.X86:
    # Left to itself, gcc takes half of a register of 512 bits, and the triad loses some per cent.
    FLAGS.append("-mprefer-vector-width=512")


def main() -> int:
    """Print one table; return 1 only where there is no compiler."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("repeats", type=int, nargs="?", default=30)
    parser.add_argument("--keep", type=Path, help="file that each repeat is appended to")
    given = parser.parse_args()
    program = compiled()
    if program is None:
        print("gcc is missing: there is nothing to compare with")
        return 1
    told = []
    for _ in range(given.repeats):
        told.append(repeat(program))
        if given.keep:
            with given.keep.open("a") as file:
                file.write(json.dumps(told[-1]) + "\n")
    if given.keep and given.keep.exists():
        told = [json.loads(line) for line in given.keep.read_text().splitlines()]
    print_table(told)
    return 0


def repeat(program: list[str]) -> dict[str, Any]:
    """Run the suite once with C between its processes; return what both found."""
    theirs: list[dict[str, tuple[float, float]]] = []
    away = 0.0

    def asked(function: Any, *arguments: Any, **how: Any) -> child.Outcome:
        nonlocal away
        outcome = child.start(function, *arguments, **how)
        if function is battery.memory:
            began = time.perf_counter()
            said = subprocess.run(program, check=True, capture_output=True, text=True).stdout
            rows = (line.split() for line in said.splitlines())
            theirs.append({name: (float(best), float(middle)) for name, best, middle in rows})
            away += time.perf_counter() - began
        return outcome

    found = suite.run(suite.QUICK, clock=lambda: time.perf_counter() - away, asked=asked)
    return {
        "seconds": found.seconds,
        "ours": {
            one.quantity: (one.best, one.best_low, one.best_high, one.median, one.low, one.high)
            for one in found.summaries
            if one.quantity in theirs[0]
        },
        "theirs": {name: [one[name] for one in theirs] for name in theirs[0]},
    }


def print_table(told: Sequence[Mapping[str, Any]]) -> None:
    """Print a row for each quantity, and how long the suite took."""
    table = Table(title=f"{host().processor}, {len(told)} repeats")
    columns = ("quantity", "best / C's best", "nine in ten", "C's best held", "C's median held")
    for column in (*columns, "single bests held", "single medians held"):
        name = column == "quantity"
        table.add_column(column, justify="left" if name else "right", no_wrap=name)
    rows: dict[str, list[list[float]]] = defaultdict(list)
    for one in told:
        for name, (best, low, high, _, least, most) in one["ours"].items():
            bests, middles = np.array(one["theirs"][name]).T
            top = bests.min() if name.endswith("latency") else bests.max()
            middle = float(np.exp(np.log(middles).mean()))
            held = [low <= top <= high, least <= middle <= most]
            single = [((low <= bests) & (bests <= high)).mean()]
            single += [((least <= middles) & (middles <= most)).mean()]
            rows[name].append([best / top, *held, *single])
    for name, seen in rows.items():
        ratio, best, middle, single, others = np.array(seen).T
        low, high = np.quantile(ratio, [0.05, 0.95])
        table.add_row(
            name,
            f"{np.median(ratio):.3f}",
            f"{low:.3f} to {high:.3f}",
            f"{best.sum():.0f} of {len(seen)}",
            f"{middle.sum():.0f} of {len(seen)}",
            f"{100 * single.mean():.0f} %",
            f"{100 * others.mean():.0f} %",
        )
    Console(width=124).print(table)
    seconds = [one["seconds"] for one in told]
    print(
        f"the suite took {np.median(seconds):.0f} s, {min(seconds):.0f} to {max(seconds):.0f} s, "
        "C's part not counted"
    )


def compiled() -> list[str] | None:
    """Compile the C side; return its command with this machine's sizes, or None without gcc."""
    BUILD.mkdir(parents=True, exist_ok=True)
    target = BUILD / "suite"
    source = str(HERE / "peers" / "suite.c")
    try:
        command = ["gcc", *FLAGS, "-pthread", "-o", str(target), source]
        subprocess.run(command, check=True)
    except (FileNotFoundError, subprocess.CalledProcessError):
        return None
    here, cores = caches.hierarchy(), pinned_threads.usable_threads()
    size, _ = stream.array_bytes(here, len(cores), host().memory)
    piece = min(battery.PIECE, size // len(cores)) // stream.WORD // stream.UNIT * stream.UNIT
    sizes = [each for _, each in battery.level_sizes(here)]
    beyond = max(battery.MIN_MEMORY_BYTES, 4 * here.last_level())
    last = size if beyond // here.line > 1 << 21 else beyond
    numbers = [size // stream.WORD, piece, battery.STREAM_SECONDS[False], here.line, *sizes, last]
    return [str(target), ",".join(map(str, cores)), *map(str, numbers)]


if __name__ == "__main__":
    sys.exit(main())
