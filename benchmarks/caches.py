"""Hits of caches at many sizes, beside caches in plain Python and public simulators.

`.venv/bin/python benchmarks/caches.py`. References follow Zipf's law. The bars are 10 s for the
distances of ten million references, and 50 times the speed of plain Python at the same question:
the hit ratio at 64 sizes, for which `collections.OrderedDict` plays the trace 64 times. Also shown,
with no bar: one size alone, where both sides play the trace once, and the distances of each
reference, which a list in the order of last uses gives in plain Python. All in one run, by turns,
best of all rounds on either side, seconds of processor time; hits and distances must agree.

The second table has a million references at 64 sizes and five policies beside libcachesim and
cachetools, in an environment that is built once in _build/peers. The bar: a tenth of the time of
the faster of the two, and the same hits at every size. cachetools plays two of the sizes, and its
time for all is reckoned from them.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
import venv
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np
from rich.console import Console
from rich.table import Table

from perfmodel.offloading import (
    ONLINE_POLICIES,
    hits_by_size,
    lru_hit_ratio,
    simulate_cache,
    stack_distances,
    zipf_trace,
)

T = TypeVar("T")
OBJECTS, EXPONENT = 100_000, 0.8
LONG, MIDDLE, SHORT = 10_000_000, 1_000_000, 20_000
SIZES = np.unique(np.geomspace(10, OBJECTS, 67).astype(int))[:64]
ONE, ROUNDS = OBJECTS // 10, 3
MOST_SECONDS, LEAST_RATIO = 10.0, 50.0
HERE = Path(__file__).parent
HOME = HERE.parent / "_build" / "peers" / "caches"
PACKAGES = ("libcachesim==0.3.5", "cachetools==8.0.2", "numpy")
FASTER = 10.0
FEW = SIZES[[40, 60]]
"""Sizes that cachetools plays."""


def main() -> int:
    """Print one table and return 1 if a bar is missed."""
    trace = zipf_trace(LONG, OBJECTS, EXPONENT, seed=1)
    middle, short = trace[:MIDDLE], trace[:SHORT]
    plain, brief = middle.tolist(), short.tolist()
    stack_distances(middle)
    simulate_cache(middle, ONE)
    best: dict[str, list[float]] = {}
    for _ in range(ROUNDS):
        seconds, _ = timed(lambda: stack_distances(trace))
        note(best, f"distances of {LONG:,}", seconds)
        ours, curve = timed(lambda: lru_hit_ratio(stack_distances(middle), SIZES))
        theirs, counts = timed(lambda: [ordered_hits(plain, int(size)) for size in SIZES])
        agree("hit ratios", curve * MIDDLE, np.array(counts))
        note(best, f"hit ratio at {SIZES.size} sizes, {MIDDLE:,}", ours, theirs)
        ours, run = timed(lambda: simulate_cache(middle, ONE))
        theirs, count = timed(lambda: ordered_hits(plain, ONE))
        agree("hits", np.array(run.hits.sum()), np.array(count))
        note(best, f"hits at one size, {MIDDLE:,}", ours, theirs)
        ours, found = timed(lambda: stack_distances(short))
        theirs, listed = timed(lambda: listed_distances(brief))
        agree("distances", found, np.array(listed))
        note(best, f"distances, {SHORT:,}", ours, theirs)
    table = Table("what, and of how many references", "ours (s)", "plain Python (s)", "times ours")
    for what, (own, *others) in best.items():
        beside = [text for other in others for text in (f"{other:.2f}", f"{other / own:.0f}")]
        table.add_row(what, f"{own:.4f}", *beside)
    Console(width=100).print(f"{OBJECTS:,} objects, Zipf {EXPONENT}", table)
    (whole,), (one_pass, many) = list(best.values())[:2]
    print(f"bars: {MOST_SECONDS:g} s in the first row, {LEAST_RATIO:g} times in the second")
    missed = whole > MOST_SECONDS or many / one_pass < LEAST_RATIO
    return int(beside_simulators(middle) < FASTER or missed)


def beside_simulators(trace: np.ndarray) -> float:
    """Print the table of policies; return how many times our time the faster simulator takes."""
    table, total = Table("policy", "ours (s)", "libcachesim (s)", "cachetools (s)"), np.zeros(2)
    with tempfile.TemporaryDirectory() as name:
        np.save(Path(name, "trace.npy"), trace)
        theirs = simulated(Path(name), "libcachesim", SIZES)
        others = simulated(Path(name), "cachetools", FEW)
    for policy in ONLINE_POLICIES:
        hits_by_size(trace, SIZES[:2], policy)
        best = np.inf
        for _ in range(ROUNDS):
            seconds, hits = timed(lambda policy=policy: hits_by_size(trace, SIZES, policy))
            best = min(best, seconds)
        seconds, found = np.array(theirs[policy]).T
        agree(f"{policy}: hits", hits, found)
        total += best, seconds.sum()
        row = [policy, f"{best:.2f}", f"{seconds.sum():.2f}"]
        if policy in others:
            seconds, found = np.array(others[policy]).T
            agree(f"{policy}: hits", hits[np.isin(SIZES, FEW)], found)
            row.append(f"{seconds.mean() * SIZES.size:.2f}")
        table.add_row(*row)
    Console(width=100).print(f"{trace.size:,} references at {SIZES.size} sizes", table)
    print(f"all five: {total[0]:.2f} s, libcachesim {total[1]:.2f} s; bar: {FASTER:g} times")
    return float(total[1] / total[0])


def simulated(folder: Path, package: str, sizes: np.ndarray) -> dict[str, list[list[float]]]:
    """Return a package's seconds and hits of each size by policy, from its own environment."""
    python = HOME / "bin" / "python"
    if not python.exists():
        venv.create(HOME, with_pip=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
    np.save(folder / "sizes.npy", sizes)
    script = [str(python), str(HERE / "peers" / "caches.py"), str(folder), package]
    done = subprocess.run(script, capture_output=True, text=True, check=True)
    found: dict[str, list[list[float]]] = json.loads(done.stdout.splitlines()[-1])
    return found


def note(best: dict[str, list[float]], what: str, *seconds: float) -> None:
    """Keep the best of all rounds on either side."""
    best[what] = [min(pair) for pair in zip(best.get(what, seconds), seconds, strict=True)]


def timed(call: Callable[[], T]) -> tuple[float, T]:
    """Return the processor's seconds of a call, and what it returned."""
    began = time.process_time()
    found = call()
    return time.process_time() - began, found


def agree(what: str, ours: np.ndarray, theirs: np.ndarray) -> None:
    """Stop where two sides that answer the same question differ."""
    if not np.array_equal(np.where(np.isinf(ours), -1, np.rint(ours)), theirs):
        sys.exit(f"{what} differ: {ours} and {theirs}")


def ordered_hits(trace: list[int], size: int) -> int:
    """Return the hits of an LRU cache as one writes it with the standard library."""
    held: OrderedDict[int, None] = OrderedDict()
    hits = 0
    for new in trace:
        if new in held:
            hits += 1
            held.move_to_end(new)
        else:
            if len(held) == size:
                held.popitem(last=False)
            held[new] = None
    return hits


def listed_distances(trace: list[int]) -> list[int]:
    """Return each reference's place in a list of last uses, -1 for the first use."""
    stack: list[int] = []
    seen: set[int] = set()
    depths = []
    for new in trace:
        if new in seen:
            place = stack.index(new)
            del stack[place]
            depths.append(place + 1)
        else:
            seen.add(new)
            depths.append(-1)
        stack.insert(0, new)
    return depths


if __name__ == "__main__":
    sys.exit(main())
