"""Speed of the simulation of tasks on stages beside SimPy, and the time of a million tasks.

`.venv/bin/python benchmarks/pipelines.py` builds the peers' environment in _build/peers once. Both
sides get the same graph, a 1F1B pipeline with messages and memory, as arrays, and return when each
task ends; the ends must agree. The figure is a ratio of tasks per second of processor time, from
the arrays to the ends, best of all rounds on either side. SimPy gets a shorter batch, which its
time per task hardly depends on.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from peers.environment import simpy_python
from rich.console import Console
from rich.table import Table

from perfmodel.communication import TaskGraph, one_f_one_b, pipeline_graph, simulate_tasks

HERE = Path(__file__).parent
STAGES, ROUNDS = 16, 5
SHORT, LONG = 800, 31_250
LEAST_RATIO, MOST_SECONDS = 50.0, 5.0


def main() -> int:
    """Print one table and return 1 if a bar is missed."""
    graphs = {m: pipeline_graph(one_f_one_b(STAGES, m), 1.0, 2.0, 0.1) for m in (SHORT, LONG)}
    simulate_tasks(graphs[LONG])
    python = simpy_python()
    best, whole = {"ours": np.inf, "SimPy": np.inf}, np.inf
    for _ in range(ROUNDS):
        began, since = time.process_time(), time.perf_counter()
        simulate_tasks(graphs[LONG])
        best["ours"] = min(best["ours"], (time.process_time() - began) / graphs[LONG].tasks)
        whole = min(whole, time.perf_counter() - since)
        if python:
            best["SimPy"] = min(best["SimPy"], theirs(python, graphs[SHORT]))
    table = Table("who", "µs a task", "times ours")
    for name, seconds in best.items():
        table.add_row(name, f"{1e6 * seconds:.3f}", f"{seconds / best['ours']:.1f}")
    Console(width=80).print(table)
    print(f"{graphs[LONG].tasks:,} tasks in {whole:.2f} s (bar {MOST_SECONDS:g} s)")
    if not python:
        print("SimPy could not be installed: the ratio is left out")
    ratio = best["SimPy"] / best["ours"]
    print(f"bar: {LEAST_RATIO:g} times as fast as SimPy")
    return int(ratio < LEAST_RATIO or whole > MOST_SECONDS)


def theirs(python: Path, graph: TaskGraph) -> float:
    """Return SimPy's seconds of processor time a task; stop if it finds other ends."""
    holds = graph.holds
    with TemporaryDirectory() as folder:
        read, write = Path(folder) / "graph.npz", Path(folder) / "ends.npy"
        np.savez(
            read,
            **{name: getattr(graph, name) for name in ("stage", "duration", "edges", "lag")},
            **{name: getattr(holds, name) for name in ("buffer", "first", "last", "units")},
            priority=graph.priority,
        )
        script = [str(python), str(HERE / "peers" / "play_tasks.py"), str(read), str(write)]
        ran = subprocess.run(script, capture_output=True, text=True, check=True)
        apart = float(np.abs(np.load(write) - simulate_tasks(graph).end).max())
    if apart > 1e-6:
        sys.exit(f"SimPy finds other ends, apart by {apart:.1e} s")
    return float(ran.stdout) / graph.tasks


if __name__ == "__main__":
    sys.exit(main())
