"""What must hold on any processor that is left in peace: wider is faster, farther is slower.

`.venv/bin/python benchmarks/orders.py` measures four pairs whose order the hardware sets, prints
the ratio of each beside what it must reach, and exits with 1 if one is outside. These measurements
need a quiet machine, so they are no tests: a neighbour on the same core can turn any of them round.
"""

from __future__ import annotations

import sys
import time

from rich.console import Console
from rich.table import Table

from perfmodel.measurement.cpu import chains, latency, peak
from perfmodel.measurement.cpu.caches import hierarchy
from perfmodel.measurement.cpu.pinned_threads import PinnedThreads
from perfmodel.measurement.provenance import host

FIRST_LEVEL, MEMORY = 8 << 10, 32 << 20
"""Bytes of a working set that the nearest cache holds, and of one far beyond it."""


def wider_registers(team: PinnedThreads) -> float:
    """Return the peak of the widest registers over that of scalar instructions."""
    fast = peak.widest("fp64")
    slow = peak.Variant("fp64", 0, fast.fused)
    return peak.measure_peak(fast, team).best / peak.measure_peak(slow, team).best


def one_long_run(team: PinnedThreads) -> float:
    """Return the peak over the rate of one long run, by the time that this process had a core."""
    kernel = peak.MultiplyAdds(peak.widest("fp64"))
    turns, lasted = 200_000, []
    for _ in range(10):
        began = time.process_time()
        kernel(turns)
        lasted.append(time.process_time() - began)
    rate = kernel.flops_per_turn * turns / min(lasted)
    return peak.measure_peak(kernel.variant, team).best / rate


def beyond_the_cache(team: PinnedThreads) -> float:
    """Return the latency of a load from a large working set over that from a small one."""
    small, large = latency.latency_ladder(hierarchy(), team, [FIRST_LEVEL, MEMORY])
    return large.latency / small.latency


def eight_walks(team: PinnedThreads) -> float:
    """Return the time of a load in one walk over that in eight at once, beyond the caches."""
    one, eight = chains.measure_chains(MEMORY, [1, 8], team)
    return one.shortest / eight.shortest


BARS = {
    wider_registers: (1.5, float("inf")),
    one_long_run: (0.8, 1.25),
    beyond_the_cache: (2.0, float("inf")),
    eight_walks: (1.5, float("inf")),
}
"""Least and greatest ratio of each pair."""


def main() -> int:
    """Print one table and return 1 if a ratio is outside its bar."""
    table = Table(title=host().processor)
    for column in ("pair", "ratio", "at least", "at most", ""):
        table.add_column(column)
    failed = 0
    with PinnedThreads(1) as team:
        for pair, (low, high) in BARS.items():
            ratio = pair(team)
            failed += not low <= ratio <= high
            words = "ok" if low <= ratio <= high else "OUTSIDE"
            name = pair.__name__.replace("_", " ")
            table.add_row(name, f"{ratio:.2f}", f"{low:g}", f"{high:g}", words)
    Console().print(table)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
