"""Flows over a fat tree: 100,000 of them, beside rates found anew at each event, and SimGrid.

`.venv/bin/python benchmarks/flows.py [PYTHON]`. Hosts send exponential sizes to random others, at
moments of a Poisson process; the load is the share of a host's link that its flows need. SimGrid is
asked in PYTHON, or in this one, if either can import it, and left out with a sentence if not; it
gets ten small cases, whose ends must agree with ours, and one larger for speed. All times are
seconds of processor time. SimGrid 4.1 takes pip most of an hour to build; it needs CMake, Boost's
headers (also to be had as the package boost-headers, named in BOOST_INCLUDEDIR) and pybind11 < 3.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from perfmodel.communication import (
    Routes,
    Topology,
    fat_tree,
    full_mesh,
    max_min_rates,
    rail_network,
    ring_network,
    simulate_flows,
    single_switch,
    torus,
)
from perfmodel.validation import Floats

PEER = Path(__file__).parent / "peers" / "flows.py"
CAPACITY, SIZE, FLOWS = 12.5e9, 1e6, 100_000
LOADS, JUDGED = (0.3, 0.5, 0.6), 0.5
MOST_SECONDS, MOST_OFF = 10.0, 0.02
CASES = [
    (single_switch(8, CAPACITY), 0.5),
    (single_switch(8, CAPACITY), 0.9),
    (full_mesh(8, CAPACITY), 0.5),
    (ring_network(8, CAPACITY), 0.2),
    (torus((4, 4), CAPACITY), 0.3),
    (torus((4, 4), CAPACITY), 0.6),
    (fat_tree(4, CAPACITY), 0.5),
    (fat_tree(4, CAPACITY), 0.8),
    (rail_network(4, 4, 4 * CAPACITY, CAPACITY), 0.5),
    (rail_network(4, 4, CAPACITY, CAPACITY), 0.8),
]


class Traffic:
    """Flows between random hosts, one route for each pair of them."""

    def __init__(self, topology: Topology, load: float, flows: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.topology = topology
        self.sources = rng.integers(0, topology.hosts, flows)
        ahead = rng.integers(1, topology.hosts, flows)
        self.targets = (self.sources + ahead) % topology.hosts
        self.sizes = np.ceil(rng.exponential(SIZE, flows))
        gap = SIZE / (load * CAPACITY * topology.hosts)
        self.arrivals = np.cumsum(rng.exponential(gap, flows))
        pairs = np.unique(np.stack([self.sources, self.targets], axis=1), axis=0)
        ways = topology.routes(*pairs.T, seed=seed)
        self.ways = {
            (int(a), int(b)): ways.links[begin:end].tolist()
            for (a, b), begin, end in zip(pairs, ways.starts, ways.starts[1:], strict=False)
        }

    @property
    def routes(self) -> Routes:
        """The links of every flow."""
        return Routes.of(self.ways[pair] for pair in zip(*self.pairs, strict=True))

    @property
    def pairs(self) -> tuple[list[int], list[int]]:
        """Sources and targets."""
        return self.sources.tolist(), self.targets.tolist()


def main() -> int:
    """Print the tables and return 1 if a bar is missed."""
    warm = Traffic(fat_tree(4, CAPACITY), 0.5, 100, 0)
    simulate_flows(warm.routes, warm.topology.capacities, warm.sizes, warm.arrivals)
    missed = large_runs()
    against_all_anew()
    python = next((p for p in (*sys.argv[1:2], sys.executable) if has_simgrid(p)), None)
    if python is None:
        print("SimGrid can't be imported here: no comparison")
        return int(missed)
    return int(missed | against_simgrid(python))


def large_runs() -> bool:
    """Simulate 100,000 flows at each load; return whether the bar is missed."""
    tree = fat_tree(8, CAPACITY)
    table = Table("load", "seconds", "rates set for a flow", "mean slowdown")
    seconds = {}
    for load in LOADS:
        traffic = Traffic(tree, load, FLOWS, 1)
        routes, began = traffic.routes, time.process_time()
        found = simulate_flows(routes, tree.capacities, traffic.sizes, traffic.arrivals)
        seconds[load] = time.process_time() - began
        changes = f"{found.rate_changes / FLOWS:.0f}"
        table.add_row(f"{load:g}", f"{seconds[load]:.1f}", changes, f"{found.slowdowns.mean():.2f}")
    Console(width=100).print(f"{FLOWS:,} flows, {tree.hosts} hosts of a fat tree", table)
    print(f"bar: {MOST_SECONDS:g} s at load {JUDGED:g}")
    return seconds[JUDGED] > MOST_SECONDS


def against_all_anew() -> None:
    """Print how much longer it takes to find all rates anew at each event, for 1,000 flows."""
    traffic = Traffic(fat_tree(8, CAPACITY), JUDGED, 1000, 2)
    capacities = traffic.topology.capacities
    began = time.process_time()
    ours = simulate_flows(traffic.routes, capacities, traffic.sizes, traffic.arrivals).ends
    middle = time.process_time()
    theirs = all_anew(traffic)
    last = time.process_time()
    print(
        f"rates found anew at each event, NumPy: {(last - middle) / (middle - began):.0f} times "
        f"our time, ends differ by {np.abs(theirs / ours - 1).max():.0e} at most"
    )


def all_anew(traffic: Traffic) -> Floats:
    """Return the ends of flows, all rates found at every event."""
    paths = [traffic.ways[pair] for pair in zip(*traffic.pairs, strict=True)]
    left, ends = traffic.sizes.copy(), np.full(len(paths), np.nan)
    now = 0.0
    while np.isnan(ends).any():
        active = np.flatnonzero(np.isnan(ends) & (traffic.arrivals <= now))
        coming = traffic.arrivals[traffic.arrivals > now].min(initial=np.inf)
        if not active.size:
            now = coming
            continue
        rates = max_min_rates([paths[flow] for flow in active], traffic.topology.capacities)
        step = min((left[active] / rates).min(), coming - now)
        now = coming if step == coming - now else now + step
        left[active] -= rates * step
        ends[active[left[active] <= 1e-9 * traffic.sizes[active]]] = now
    return ends


def has_simgrid(python: str) -> bool:
    """Return whether a Python can import SimGrid."""
    return not ask(python, "-c", "import simgrid").returncode


def ask(python: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a Python with its own packages' folder among those of shared libraries, for SimGrid's."""
    script = "import sysconfig; print(sysconfig.get_path('platlib'))"
    folder = subprocess.run([python, "-c", script], capture_output=True, text=True, check=True)
    return subprocess.run(
        [python, *arguments],
        capture_output=True,
        text=True,
        timeout=600,
        env=os.environ | {"LD_LIBRARY_PATH": folder.stdout.strip()},
    )


def against_simgrid(python: str) -> bool:
    """Print how far ends differ in ten cases, and the ratio of speeds; tell if a bar is missed."""
    table = Table("topology", "load", "mean time of a flow off by", "one flow's at most")
    worst = 0.0
    for seed, (topology, load) in enumerate(CASES):
        traffic = Traffic(topology, load, 500, seed)
        found = simulate_flows(traffic.routes, topology.capacities, traffic.sizes, traffic.arrivals)
        times = simgrid(python, traffic)[1] - traffic.arrivals
        mean, most = times.mean() / found.times.mean() - 1, np.abs(times / found.times - 1).max()
        worst = max(worst, abs(mean))
        table.add_row(
            f"{topology.name}, {topology.hosts}", f"{load:g}", f"{mean:.1e}", f"{most:.1e}"
        )
    Console(width=100).print(table)
    traffic = Traffic(fat_tree(8, CAPACITY), JUDGED, 5000, 1)
    routes, began = traffic.routes, time.process_time()
    simulate_flows(routes, traffic.topology.capacities, traffic.sizes, traffic.arrivals)
    ours = time.process_time() - began
    theirs = simgrid(python, traffic)[0]
    print(
        f"5,000 flows, {traffic.topology.hosts} hosts, load {JUDGED:g}: SimGrid {theirs:.2f} s, "
        f"ours {ours:.3f} s, {theirs / ours:.0f} times as fast; bar: mean within {MOST_OFF:.0%}"
    )
    return worst > MOST_OFF


def simgrid(python: str, traffic: Traffic) -> tuple[float, Floats]:
    """Return SimGrid's seconds and the ends of the flows."""
    case = {
        "hosts": traffic.topology.hosts,
        "capacities": traffic.topology.capacities.tolist(),
        "routes": [(*pair, way) for pair, way in traffic.ways.items()],
        "flows": list(
            zip(*traffic.pairs, traffic.sizes.tolist(), traffic.arrivals.tolist(), strict=True)
        ),
    }
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(case, file)
        file.flush()
        done = ask(python, str(PEER), file.name)
        done.check_returncode()
    seconds, ends = json.loads(done.stdout.splitlines()[-1])
    return float(seconds), np.array(ends)


if __name__ == "__main__":
    sys.exit(main())
