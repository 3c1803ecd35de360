"""Speed of the simulation of serving beside SimPy, and the memory of a million requests.

`.venv/bin/python benchmarks/serving.py` builds the peers' environment in _build/peers once. Both
sides get the same requests and rules ("prefill first", 32 places, blocks that run short now and
then) as arrays, and return when each request had its first and its last token; these must agree.
The figure is a ratio of iterations per second of processor time, from the arrays to the times, best
of all rounds on either side. SimPy gets fewer requests, which its time per iteration hardly depends
on. The million requests are played by a process of its own, whose largest memory is read at its
end.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from peers.environment import simpy_python
from rich.console import Console
from rich.table import Table

from perfmodel.serving import (
    BatchRules,
    Requests,
    ServingRun,
    StepPieces,
    lognormal_tokens,
    poisson_requests,
    simulate_serving,
)

HERE = Path(__file__).parent
RULES = BatchRules(max_num_seqs=32, cache_tokens=16_000)
STEPS = StepPieces([1e-3, 1e-2], [1e-4, 0], [1e-4, 0], [0, 1e-7], [0, 1e-9])
ROUNDS = 5
SHORT, LONG, MANY = 2000, 100_000, 1_000_000
LEAST_RATE, LEAST_RATIO, MOST_BYTES = 2e6, 100.0, 1e9


def main() -> int:
    """Print one table and return 1 if a bar is missed."""
    if sys.argv[1:] == ["many"]:
        return many()
    short, long = requests(SHORT), requests(LONG)
    run = simulate_serving(long, STEPS, RULES)
    python = simpy_python()
    best = {"ours": np.inf, "SimPy": np.inf}
    for _ in range(ROUNDS):
        began = time.process_time()
        run = simulate_serving(long, STEPS, RULES)
        best["ours"] = min(best["ours"], (time.process_time() - began) / run.iterations)
        if python:
            best["SimPy"] = min(best["SimPy"], theirs(python, short))
    table = Table("who", "µs an iteration", "million a second", "times ours")
    for name, seconds in best.items():
        figures = (1e6 * seconds, 1e-6 / seconds, seconds / best["ours"])
        table.add_row(name, *(f"{figure:.3g}" for figure in figures))
    Console(width=80).print(table)
    print(f"{run.iterations:,} iterations of {run.mean_batch:.1f} sequences in the mean")
    print(f"bar: {LEAST_RATE / 1e6:g} million iterations a second")
    ratio = best["SimPy"] / best["ours"]
    if python:
        print(f"bar: {LEAST_RATIO:g} times as fast as SimPy")
    else:
        print("SimPy could not be installed: the ratio is left out")
    heavy = subprocess.run([sys.executable, __file__, "many"]).returncode
    return int(ratio < LEAST_RATIO or 1 / best["ours"] < LEAST_RATE or bool(heavy))


def requests(count: int) -> Requests:
    """Return requests that come faster than they can be served, so that the batch stays full."""
    lengths = lognormal_tokens(300, 200), lognormal_tokens(200, 150)
    return poisson_requests(1000.0, count, *lengths, seed=1)


def many() -> int:
    """Play a million requests, print the time and the memory; return 1 above the bar."""
    began = time.perf_counter()
    run = simulate_serving(requests(MANY), STEPS, RULES)
    estimate = run.interval("first_token")
    took = time.perf_counter() - began
    # Linux counts in kB, macOS in bytes.
    unit = 1 if sys.platform == "darwin" else 1024
    most = unit * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(
        f"{MANY:,} requests, {run.iterations:,} iterations and an interval "
        f"({estimate.value:.4g} s) in {took:.2f} s and {most / 1e6:.0f} MB "
        f"(bar {MOST_BYTES / 1e6:g} MB)"
    )
    return int(most > MOST_BYTES)


def theirs(python: Path, short: Requests) -> float:
    """Return SimPy's seconds of processor time an iteration; stop if it finds other times."""
    ours: ServingRun = simulate_serving(short, STEPS, RULES)
    names = ("fixed", "prompt_token", "sequence", "cache_token", "prompt_pair")
    with TemporaryDirectory() as folder:
        read, write = Path(folder) / "case.npz", Path(folder) / "ends.npy"
        np.savez(
            read,
            arrival=short.arrival,
            prompt=short.prompt,
            output=short.output,
            pieces=np.stack([getattr(STEPS, name) for name in names], axis=1),
            batch=RULES.max_num_seqs,
            blocks=RULES.num_blocks,
            block=RULES.block_size,
        )
        script = [str(python), str(HERE / "peers" / "serve_requests.py"), str(read), str(write)]
        ran = subprocess.run(script, stdout=subprocess.PIPE, text=True, check=True)
        apart = float(
            np.abs(np.load(write) - np.stack([ours.first_token_time, ours.finish], axis=1)).max()
        )
    seconds, iterations = map(float, ran.stdout.split())
    if apart > 1e-6 or iterations != ours.iterations:
        sys.exit(f"SimPy finds other times, apart by {apart:.1e} s, in {iterations:g} iterations")
    return seconds / iterations


if __name__ == "__main__":
    sys.exit(main())
