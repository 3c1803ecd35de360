"""What a second core gives replications, beside what it gives two processes that share nothing.

`.venv/bin/python benchmarks/replications.py` runs, in turn for several rounds, repetitions of two
models on one thread, the same on two threads of `replicate`, half of them in one process and half
in a second one beside it. A second core of a shared machine, or the second thread of one core,
gives less than 2 whatever a program does: the processes say how much. Exits with 1 where the
threads stay below 0.95 of them, by the whole interval.
"""

from __future__ import annotations

import subprocess
import sys
import time

from rich.console import Console
from rich.progress import track
from rich.table import Table

from perfmodel.measurement.statistics.intervals import geometric_mean_interval
from perfmodel.queueing.network.model import JobClass, Network, Station
from perfmodel.queueing.simulation.replications import replicate

CUSTOMERS = 1_000_000
REPETITIONS = 16
ROUNDS = 15
MODELS = {
    "M/M/1": Network([Station("a")], [JobClass("jobs", arrival_rate=0.8)], [1.0]),
    "closed N = 20": Network(
        [Station(name) for name in "abc"], [JobClass("jobs", population=20)], [1.0] * 3
    ),
}


def main() -> int:
    """Print the speedups, and return 1 where threads are behind processes."""
    if len(sys.argv) == 2:
        return serve(sys.argv[1])
    table = Table("model", "two threads", "two processes", "threads over processes", "95 %")
    behind = False
    for model, network in MODELS.items():
        replicate(network, CUSTOMERS, 2, workers=2, progress=False)
        with Partner(model) as first, Partner(model) as second:
            rounds = [
                (
                    threads(network, 1, seed) / threads(network, 2, seed),
                    first.alone(seed) / first.beside(second, seed),
                )
                for seed in track(range(ROUNDS), model)
            ]
        own, control = zip(*rounds, strict=True)
        ratio, low, high = geometric_mean_interval([x / y for x, y in rounds])
        behind |= high < 0.95
        medians = (f"{geometric_mean_interval(each)[0]:.2f}" for each in (own, control))
        table.add_row(model, *medians, f"{ratio:.2f}", f"{low:.2f} to {high:.2f}")
    Console().print(table)
    return int(behind)


def threads(network: Network, workers: int, seed: int) -> float:
    """Return the seconds of all repetitions on so many threads."""
    began = time.perf_counter()
    replicate(network, CUSTOMERS, REPETITIONS, seed, workers=workers, progress=False)
    return time.perf_counter() - began


class Partner:
    """A process that runs repetitions when told to."""

    def __init__(self, model: str) -> None:
        """Start it, and wait until its loops are compiled."""
        command = [sys.executable, __file__, model]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._finish()

    def __enter__(self) -> Partner:
        return self

    def __exit__(self, *error: object) -> None:
        """End it."""
        self._process.communicate()

    def alone(self, seed: int) -> float:
        """Return the seconds of all repetitions."""
        began = time.perf_counter()
        self._start(REPETITIONS, seed)
        self._finish()
        return time.perf_counter() - began

    def beside(self, other: Partner, seed: int) -> float:
        """Return the seconds until half of the repetitions are done here, and half there."""
        began = time.perf_counter()
        for number, each in enumerate((self, other)):
            each._start(REPETITIONS // 2, seed + ROUNDS * number)
        self._finish()
        other._finish()
        return time.perf_counter() - began

    def _start(self, repetitions: int, seed: int) -> None:
        assert self._process.stdin
        self._process.stdin.write(f"{repetitions} {seed}\n")
        self._process.stdin.flush()

    def _finish(self) -> None:
        assert self._process.stdout
        if self._process.stdout.readline() != "done\n":
            raise RuntimeError("the process beside this one ended before its work did")


def serve(model: str) -> int:
    """Be a partner: run what each line of standard input asks for, on one thread."""
    replicate(MODELS[model], CUSTOMERS, 2, workers=1, progress=False)
    print("done", flush=True)
    for line in sys.stdin:
        repetitions, seed = map(int, line.split())
        replicate(MODELS[model], CUSTOMERS, repetitions, seed, workers=1, progress=False)
        print("done", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
