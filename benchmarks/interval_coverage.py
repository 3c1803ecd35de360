"""How often the simulator's 95 % intervals hold the exact value, and how often it gives one.

`.venv/bin/python benchmarks/interval_coverage.py [SEEDS [MODEL ...]]`. 400 seeds of each case by
default, a tenth of them at a million customers. Bar: wherever an interval is given to most runs, 93
to 97 % of those given hold. A case is out of the bar where even the 95 % interval (Wilson) of its
share lies outside: even of independent rows 96.3 % hold, as a correlation of batches that is
estimated below 0 counts as 0, so that 400 seeds show more than 97 % in every fifth such case. What
`run_length` asks of a run was set with other models (Erlang, hyperexponential of scv 3 and 4,
lognormal, two servers, LCFS), loads (.6, .85, .93), lengths and seeds than these.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from perfmodel.benchmarking import proportion_interval
from perfmodel.queueing import (
    BoundedPareto,
    Exponential,
    Hyperexponential,
    JobClass,
    Network,
    Station,
    exact_mva,
    mean_response,
    mg1,
    mmc,
    scv,
    simulate,
)
from perfmodel.queueing.simulation import driver

LEAST, MOST = 0.93, 0.97
SEEDS = 400
LOADS = (0.5, 0.9, 0.95)
LENGTHS = {10_000: 1.0, 100_000: 1.0, 1_000_000: 0.1}
"""Customers of a run, and for what share of the seeds."""
VARIED = Hyperexponential.balanced(1.0, 10.0)
"""Squared coefficient of variation 10."""
LEVELS = (50.0, 90.0, 95.0, 99.0)
Model = tuple[Network, dict[str, Any]]
"""A network and the exact values of some measures of a run."""


def one_station(rate: float, law: Any, exact: float, **station: Any) -> Model:
    """Return a single station with a mean response time known in seconds."""
    network = Network([Station("s", **station)], [JobClass("jobs", rate)], [[law]])
    return network, {"response_time": exact}


def mm1(load: float) -> Model:
    """Return an M/M/1 queue, of which everything is known."""
    network, _ = one_station(load, 1.0, 0.0)
    levels = -np.log1p(-np.array(LEVELS) / 100) / (1 - load)
    mean = 1 / (1 - load)
    return network, {
        "response_time": mean,
        "jobs": load * mean,
        "throughput": load,
        "utilization": load,
        "response_percentiles": levels,
    }


def tandem(load: float) -> Model:
    """Return three equal stations in a row."""
    network = Network([Station(n) for n in "abc"], [JobClass("jobs", load)], [1.0] * 3)
    return network, {"response_time": 3 / (1 - load)}


def closed(load: float) -> Model:
    """Return a closed network whose first station is about so busy."""
    jobs = {0.5: 2, 0.9: 20, 0.95: 40}[load]
    network = Network([Station(n) for n in "abc"], [JobClass("jobs", None, jobs)], [1.0, 1.0, 0.9])
    solved = exact_mva(network)
    return network, {"response_time": solved.response_time, "throughput": solved.throughput}


def heavy(shape: float, discipline: Any) -> Callable[[float], Model]:
    """Return a station with bounded Pareto sizes between 1 and a million times the least."""
    law = BoundedPareto(shape, 1.0, 1e6)

    def model(load: float) -> Model:
        rate, mean = load / law.moment(1), law.moment(1)
        exact = (
            mean / (1 - load)
            if discipline == "PS"
            else mg1(arrival_rate=rate, mean_service=mean, scv=scv(law)).response_time
        )
        return one_station(rate, law, float(exact), discipline=discipline)

    return model


MODELS: dict[str, Callable[[float], Model]] = {
    "M/M/1": mm1,
    "M/M/4": lambda load: one_station(
        4 * load, 1.0, float(mmc(4 * load, 1.0, 4).response_time), servers=4
    ),
    "M/G/1, scv 10": lambda load: one_station(
        load, VARIED, float(mg1(arrival_rate=load, mean_service=1.0, scv=10.0).response_time)
    ),
    "PS, scv 10": lambda load: one_station(load, VARIED, 1 / (1 - load), discipline="PS"),
    "SRPT": lambda load: one_station(
        load,
        Exponential(1.0),
        float(mean_response("SRPT", load, Exponential(1.0)).response_time),
        discipline="SRPT",
    ),
    "tandem of 3": tandem,
    "closed": closed,
    "Pareto 1.5": heavy(1.5, "FCFS"),
    "Pareto 1.1": heavy(1.1, "FCFS"),
    "Pareto 1.5, PS": heavy(1.5, "PS"),
    "Pareto 1.1, PS": heavy(1.1, "PS"),
}


def given_and_held(model: Model, customers: int, seeds: range) -> dict[str, tuple[int, int]]:
    """Return by measure how many runs give an interval, and how many of these hold.

    Parameters
    ----------
    model : tuple
        As the functions of `MODELS` return.
    customers : int
        Of each run.
    seeds : range
        Of the runs.

    Returns
    -------
    dict
        By name of the measure, and of the percentile.
    """
    network, exact = model
    counts: dict[str, tuple[int, int]] = {}
    for seed in seeds:
        run = simulate(network, customers, seed, percentiles=LEVELS, progress=False)
        for name, value in exact.items():
            seen = getattr(run, name)
            marks = zip(~seen.too_short.ravel(), seen.covers(value).ravel(), strict=True)
            for place, (given, held) in enumerate(marks):
                key = f"p{LEVELS[place]:g}" if "percentiles" in name else name
                before = counts.get(key, (0, 0))
                counts[key] = before[0] + int(given), before[1] + int(given and held)
    return counts


def judged(given: int, held: int, runs: int) -> str:
    """Return the share that hold with its interval, and whether it is in the bar."""
    if given == 0:
        return "none given"
    low, high = (float(end) for end in proportion_interval(held, given))
    word = "" if low <= MOST and high >= LEAST else " OUT" if 2 * given >= runs else " (few)"
    return f"{held / given:.3f} in [{low:.3f}, {high:.3f}]{word}"


def table_of(name: str, seeds: int) -> tuple[Table, bool]:
    """Return a model's table by load and length, and whether a case lies outside of the bar."""
    table = Table("load", "customers", "measure", "declined", "of those given, hold", title=name)
    out = False
    for load, (customers, share) in product(LOADS, LENGTHS.items()):
        runs = max(1, round(seeds * share))
        counts = given_and_held(MODELS[name](load), customers, range(runs))
        for measure, (given, held) in counts.items():
            verdict, declined = judged(given, held, runs), f"{1 - given / runs:.1%}"
            out |= verdict.endswith("OUT")
            table.add_row(f"{load:g}", f"{customers:,}", measure, declined, verdict)
    return table, out


def main(seeds: int, names: list[str]) -> int:
    """Print a table a model, and return 1 where a case lies outside of the bar."""
    driver.WORTH_COMPILING = 0
    outside = []
    for name in names:
        table, out = table_of(name, seeds)
        Console(width=90).print(table)
        outside += [name] * out
    print("outside of the bar:", ", ".join(outside) or "none")
    return int(bool(outside))


if __name__ == "__main__":
    sys.exit(main(int((sys.argv[1:] or [SEEDS])[0]), sys.argv[2:] or list(MODELS)))
