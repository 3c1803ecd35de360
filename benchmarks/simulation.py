"""Speed of the event simulation beside Ciw, SimPy, LINE and C; coverage of its intervals.

`.venv/bin/python benchmarks/simulation.py` builds the peers' environment in _build/peers once, then
runs all of them in turn, several rounds, with means, intervals and percentiles kept by each (LINE's
event simulator keeps no percentiles; "C means" are loops over a heap that keep the mean and nothing
else). The figures are ratios of customers per second of processor time, best of all rounds on
either side, so that a busy machine disturbs them little; each says whether the goal or at least the
floor is met.
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
CUSTOMERS = 2_000_000
ROUNDS = 3

OPEN, ABC = [JobClass("jobs", arrival_rate=0.8)], [Station(name) for name in "abc"]
H2 = Hyperexponential.balanced(1.0, 4.0)
MODELS = {
    "M/M/1": Network([Station("a")], OPEN, [1.0]),
    "M/M/4": Network([Station("a", servers=4)], [JobClass("jobs", arrival_rate=3.2)], [1.0]),
    "tandem of 3": Network(ABC, OPEN, [1.0] * 3),
    "closed N = 20": Network(ABC, [JobClass("jobs", population=20)], [1.0] * 3),
    "closed, routed": Network(
        ABC, [JobClass("jobs", population=20)], [1.0] * 3, routing=np.full((3, 3), 0.25)
    ),
    "M/G/1-PS": Network([Station("a", discipline="PS")], OPEN, [H2]),
    "M/G/1-SRPT": Network([Station("a", discipline="SRPT")], OPEN, [H2]),
}
C_MODELS = {
    "M/M/1": "FCFS 1 1 0 0.8 {} {} 1",
    "M/M/4": "FCFS 4 1 0 3.2 {} {} 1",
    "tandem of 3": "FCFS 1 3 0 0.8 {} {} 1",
    "closed N = 20": "FCFS 1 3 20 0 {} {} 1",
    "closed, routed": "routed 1 3 20 0 {} {} 1",
    "M/G/1-PS": "PS 1 1 0 0.8 {} {} 4",
    "M/G/1-SRPT": "SRPT 1 1 0 0.8 {} {} 4",
}
PEERS = {
    "Ciw": (10_000, 250, 350),
    "SimPy": (20_000, 120, 150),
    "LINE": (CUSTOMERS, 5, 7),
    "C means": (CUSTOMERS, 0.5, 0.7),
    "C": (CUSTOMERS, None, None),
}
"""Customers of a run, floor and goal of our speed as a multiple of theirs."""
ENGINES = {"C means": "means", "C": "engine"}
"""The programs in C."""


def main() -> int:
    """Print one table and return 1 if a floor is missed."""
    if "--coverage" in sys.argv:
        return coverage()
    python = peers()
    simulate(MODELS["M/M/1"], CUSTOMERS, progress=False)
    table = Table("model", "ours, 1e6/s", "slowest", *map(_headed, PEERS))
    ratios = {}
    for model in MODELS:
        own, best = [], dict.fromkeys(PEERS, 0.0)
        for seed in range(1, ROUNDS + 1):
            for peer in PEERS:
                own.append(ours(model, seed))
                best[peer] = max(best[peer], theirs(peer, model, seed, python))
        ratios[model] = {p: max(own) / best[p] for p in PEERS if best[p]}
        cells = (_verdict(p, ratios[model].get(p)) for p in PEERS)
        table.add_row(model, f"{max(own) / 1e6:.2f}", f"{min(own) / 1e6:.2f}", *cells)
    Console(width=120).print(table)
    first_result()
    return _judged(ratios)


def _headed(peer: str) -> str:
    _, floor, goal = PEERS[peer]
    return f"x {peer} ({floor:g}/{goal:g})" if floor else f"x {peer}"


def _verdict(peer: str, ratio: float | None) -> str:
    """Return a ratio and what it reaches."""
    _, floor, goal = PEERS[peer]
    if ratio is None or floor is None or goal is None:
        return "cannot" if ratio is None else f"{ratio:.3g}"
    reached = "goal" if ratio >= goal else "floor" if ratio >= floor else "missed"
    return f"{ratio:.3g} {reached}"


def _judged(ratios: dict[str, dict[str, float]]) -> int:
    """Print how many models meet all goals and all floors; return 1 if a floor is missed."""
    counts = []
    for place in (1, 2):
        bars = {p: row[place] for p, row in PEERS.items() if row[place]}
        counts.append(
            sum(all(of.get(p, b) >= b for p, b in bars.items()) for of in ratios.values())
        )
    print(f"all floors met on {counts[0]} of {len(ratios)} models, all goals on {counts[1]}")
    return int(counts[0] < len(ratios))


def ours(model: str, seed: int) -> float:
    """Return our customers per second of processor time."""
    began = time.process_time()
    found = simulate(MODELS[model], CUSTOMERS, seed, progress=False)
    return found.customers / (time.process_time() - began)


def theirs(peer: str, model: str, seed: int, python: Path) -> float:
    """Return a peer's customers per second of processor time; 0 where it cannot run the model."""
    customers = PEERS[peer][0]
    engine = BUILD / ENGINES.get(peer, "")
    cannot = {("Ciw", "M/G/1-SRPT"), ("C means", "closed, routed")}
    if (peer, model) in cannot or not engine.exists():
        return 0.0
    if peer in ENGINES:
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


def peers() -> Path:
    """Build the peers' environment and the programs in C; return the environment's Python."""
    home = BUILD / "simulation"
    python = home / "bin" / "python"
    if not python.exists():
        venv.create(home, with_pip=True)
    for package in ("numpy ciw simpy", "line-solver"):
        install = [str(python), "-m", "pip", "install", "--quiet", *package.split()]
        if subprocess.run(install, stderr=subprocess.DEVNULL).returncode:
            print(f"could not install {package}: left out")
    for name in ENGINES.values():
        made, source = str(BUILD / name), str(HERE / "peers" / f"{name}.c")
        try:
            subprocess.run(["gcc", "-O3", "-march=native", "-o", made, source, "-lm"], check=True)
        except (FileNotFoundError, subprocess.CalledProcessError):
            print(f"could not compile {name}.c: left out")
    return python


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
