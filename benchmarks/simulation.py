"""Speed of the event simulation beside Ciw, SimPy, LINE and C; coverage of its intervals.

`.venv/bin/python benchmarks/simulation.py` builds the peers' environment in _build/peers once, then
runs all of them in turn, several rounds, with means, intervals and percentiles kept by each (LINE's
event simulator keeps no percentiles). The figures are ratios of customers per second of processor
time, best of all rounds on either side, so that a busy machine disturbs them little.
`--coverage` instead counts how often 95 % intervals hold the exact value over 400 seeds.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
import venv
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from perfmodel.queueing.distributions.service import Hyperexponential
from perfmodel.queueing.network import mva
from perfmodel.queueing.network.model import JobClass, Network, Station
from perfmodel.queueing.simulation import driver, simulate

HERE = Path(__file__).parent
BUILD = HERE.parent / "_build" / "peers"
CUSTOMERS = 500_000
ROUNDS = 5

OPEN, ABC = [JobClass("jobs", arrival_rate=0.8)], [Station(name) for name in "abc"]
H2 = Hyperexponential.balanced(1.0, 4.0)
MODELS = {
    "M/M/1": Network([Station("a")], OPEN, [1.0]),
    "M/M/4": Network([Station("a", servers=4)], [JobClass("jobs", arrival_rate=3.2)], [1.0]),
    "tandem of 3": Network(ABC, OPEN, [1.0] * 3),
    "closed N = 20": Network(ABC, [JobClass("jobs", population=20)], [1.0] * 3),
    "M/G/1-PS": Network([Station("a", discipline="PS")], OPEN, [H2]),
    "M/G/1-SRPT": Network([Station("a", discipline="SRPT")], OPEN, [H2]),
}
C_MODELS = {
    "M/M/1": "FCFS 1 1 0 0.8 {} {} 1",
    "M/M/4": "FCFS 4 1 0 3.2 {} {} 1",
    "tandem of 3": "FCFS 1 3 0 0.8 {} {} 1",
    "closed N = 20": "FCFS 1 3 20 0 {} {} 1",
    "M/G/1-PS": "PS 1 1 0 0.8 {} {} 4",
    "M/G/1-SRPT": "SRPT 1 1 0 0.8 {} {} 4",
}
PEERS = {
    "Ciw": (10_000, 150, 350),
    "SimPy": (20_000, 60, 150),
    "LINE": (400_000, 3, 7),
    "C": (CUSTOMERS, 0.4, 0.7),
}
"""Customers of a run, floor and aim of our speed as a multiple of theirs."""


def main() -> int:
    """Print one table and return 1 if a floor is missed."""
    if "--coverage" in sys.argv:
        return coverage()
    python, engine = peers()
    simulate(MODELS["M/M/1"], CUSTOMERS, progress=False)
    table = Table(
        "model", "ours, 1e6/s", *(f"x {p} ({f:g}/{a:g})" for p, (_, f, a) in PEERS.items())
    )
    missed = False
    for model in MODELS:
        best = dict.fromkeys(["ours", *PEERS], 0.0)
        for seed in range(1, ROUNDS + 1):
            for peer in PEERS:
                best["ours"] = max(best["ours"], ours(model, seed))
                best[peer] = max(best[peer], theirs(peer, model, seed, python, engine))
        ratios = {p: best["ours"] / best[p] if best[p] else None for p in PEERS}
        missed |= any(r is not None and r < PEERS[p][1] for p, r in ratios.items())
        shown = ["cannot" if r is None else f"{r:.3g}" for r in ratios.values()]
        table.add_row(model, f"{best['ours'] / 1e6:.2f}", *shown)
    Console(width=110).print(table)
    first_result()
    return int(missed)


def ours(model: str, seed: int) -> float:
    """Return our customers per second of processor time."""
    began = time.process_time()
    found = simulate(MODELS[model], CUSTOMERS, seed, progress=False)
    return found.customers / (time.process_time() - began)


def theirs(peer: str, model: str, seed: int, python: Path, engine: Path | None) -> float:
    """Return a peer's customers per second of processor time; 0 where it cannot run the model."""
    customers = PEERS[peer][0]
    if (peer, model) == ("Ciw", "M/G/1-SRPT") or (peer == "C" and engine is None):
        return 0.0
    if peer == "C":
        words = C_MODELS[model].format(customers, seed).split()
        return customers / float(_output([str(engine), *words]).split()[-1])
    script = [
        str(python),
        str(HERE / "peers" / "simulate.py"),
        peer,
        model,
        str(customers),
        str(seed),
    ]
    try:
        *_, done, seconds = json.loads(_output(script).splitlines()[-1])
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        return 0.0
    return float(done / seconds)


def peers() -> tuple[Path, Path | None]:
    """Build the peers' environment once; return its Python and the C engine, if gcc is here."""
    home, engine = BUILD / "simulation", BUILD / "engine"
    python = home / "bin" / "python"
    if not python.exists():
        venv.create(home, with_pip=True)
    for package in ("numpy ciw simpy", "line-solver"):
        install = [str(python), "-m", "pip", "install", "--quiet", *package.split()]
        if subprocess.run(install, stderr=subprocess.DEVNULL).returncode:
            print(f"could not install {package}: left out")
    source = str(HERE / "peers" / "engine.c")
    try:
        subprocess.run(
            ["gcc", "-O3", "-march=native", "-o", str(engine), source, "-lm"], check=True
        )
    except (FileNotFoundError, subprocess.CalledProcessError):
        return python, None
    return python, engine


def first_result() -> None:
    """Print the seconds from starting Python to a first result, beside those of bare imports."""
    network = (
        "from perfmodel.queueing.network.model import JobClass, Network, Station\n"
        "from perfmodel.queueing.simulation import simulate\n"
        "net = Network([Station('a')], [JobClass('jobs', arrival_rate=0.5)], [1.0])\n"
    )
    scripts = {
        "import of NumPy": "import numpy",
        "import of NumPy and numba": "import numpy, numba",
        "import of perfmodel.queueing.simulation": "import perfmodel.queueing.simulation",
        "result of 1000 customers": f"{network}simulate(net, 1000, progress=False)",
        "result of 100000 customers": f"{network}simulate(net, 100_000, progress=False)",
    }
    best = dict.fromkeys(scripts, float("inf"))
    for _ in range(5):
        for name, script in scripts.items():
            began = time.perf_counter()
            _output([sys.executable, "-c", script])
            best[name] = min(best[name], time.perf_counter() - began)
    for name, seconds in best.items():
        print(f"fresh process, {name}: {seconds:.2f} s")


def coverage(runs: int = 400) -> int:
    """Print how many of the 95 % intervals for the mean response time hold the exact value."""
    driver.WORTH_COMPILING = 0
    rows = [("M/M/1", load, n) for load in (0.5, 0.7, 0.9) for n in (1000, 10_000, 100_000)]
    rows += [
        ("M/G/1-PS", 0.9, 100_000),
        ("tandem of 3", 0.8, 100_000),
        ("closed N = 20", 0, 20_000),
    ]
    print("share of 95 % intervals that hold, and of runs too short for one (which do hold)")
    worst = 1.0
    for model, load, customers in rows:
        network = MODELS[model]
        if load:
            service = [H2] if "G" in model else [1.0] * len(network.stations)
            jobs = [JobClass("jobs", arrival_rate=load)]
            network = Network(network.stations, jobs, service)
            exact = len(network.stations) / (1 - load)
        else:
            exact = mva.exact_mva(network).response_time[0]
        seen = [simulate(network, customers, s, progress=False).response_time for s in range(runs)]
        held = float(np.mean([e.covers(exact) for e in seen]))
        short = float(np.mean([e.too_short for e in seen]))
        worst = min(worst, held) if customers >= 20_000 else worst
        print(f"{model:14} {load:3} {customers:7} {held:.3f} {short:.3f}", flush=True)
    return int(worst < 0.9)


def _output(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
