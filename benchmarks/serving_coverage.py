"""Whether the simulator's 95 % intervals hold what theory says, where a server is a known queue.

`.venv/bin/python benchmarks/serving_coverage.py [SEEDS]`. 400 seeds of each case by default, the
same each time. Bar: the intervals of `ServingRun.interval` cover the exact mean in 93 to 97 % of
the runs; a run too short for an interval counts as not covered. The share's own 95 % interval
(Wilson) is shown beside it, and how far the mean of all runs lies from theory, in
standard errors: intervals that miss for being too narrow are told from a mean that is off.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table
from scipy.special import ndtri

from perfmodel.benchmarking import proportion_interval
from perfmodel.queueing import batch_queue, nonpreemptive_priorities
from perfmodel.queueing.simulation.statistics import Estimate
from perfmodel.serving import (
    BatchRules,
    Requests,
    StepPieces,
    poisson_requests,
    processor_sharing_queue,
    simulate_serving,
    unbatched_queue,
)

LEAST, MOST = 0.93, 0.97
RANKS = (np.arange(1000) + 0.5) / 1000
SPREAD = np.exp(ndtri(RANKS) - 0.5)
SKEWED = np.maximum(np.rint(20 * SPREAD), 1)
"""Lognormal tokens whose deviation is 1.3 times their mean."""
LENGTHS = {
    "all alike": np.full(1000, 1000.0),
    "geometric": np.ceil(np.log(RANKS) / np.log1p(-1 / 1000)),
    "lognormal": np.maximum(np.rint(1000 * SPREAD), 1),
}
"""Long answers: the wait for a running step to end, not in the theory, is 0.1 % of a stay."""
REQUESTS = 100_000
ALONE = StepPieces([0.01, 0.0], [0.0, 1e-3], [1e-4, 1e-4], [1e-6, 0.0], [0.0, 1e-7])
SHARED = StepPieces(1.0, 0.0, 0.1, 0.0)


class Case(NamedTuple):
    """A server that is a queue whose mean is known."""

    name: str
    exact: float
    play: Callable[[int], Estimate]
    """From a seed to the interval of a run."""


def cases() -> list[Case]:
    """Return all cases."""
    found = []
    prompts = SKEWED[np.random.default_rng(0).permutation(SKEWED.size)]
    for load in (0.5, 0.8):
        rate = load / (unbatched_queue(1e-6, ALONE, prompts, SKEWED).utilization / 1e-6)
        exact = unbatched_queue(rate, ALONE, prompts, SKEWED).waiting_time
        found.append(Case(f"one at a time, load {load}", exact, alone(rate, prompts)))
    for largest, rate in ((4, 12.0), (32, 16.0)):
        exact = batch_queue(rate, 0.1, 0.05, largest).response_time
        found.append(Case(f"prompts in batches to {largest}", exact, batches(rate, largest)))
    for name, lengths in LENGTHS.items():
        rate = 0.7 * 10 / lengths.mean()
        queue = processor_sharing_queue(
            rate, lengths.mean(), 1 + 0.1 * np.arange(1, 3), slots=np.inf
        )
        found.append(Case(f"seats for all, {name}", queue.response_time, shared(rate, lengths)))
    seconds = np.array([0.04, 0.2])
    waiting = nonpreemptive_priorities([3.0, 3.0], seconds, [0.0, 0.0]).waiting_time
    for first, name in enumerate(("urgent", "others")):
        found.append(Case(f"priorities, {name}", waiting[first], prioritized(first)))
    return found


def alone(rate: float, prompts: np.ndarray) -> Callable[[int], Estimate]:
    """Return runs of one request at a time."""

    def play(seed: int) -> Estimate:
        requests = poisson_requests(rate, REQUESTS, prompts, SKEWED, seed)
        return simulate_serving(requests, ALONE, BatchRules(max_num_seqs=1)).interval("waiting")

    return play


def batches(rate: float, largest: int) -> Callable[[int], Estimate]:
    """Return runs of prompts with one token each."""
    steps = StepPieces(0.1, 0.004, 0.01, 0.0)

    def play(seed: int) -> Estimate:
        requests = poisson_requests(rate, REQUESTS, 10, 1, seed)
        return simulate_serving(requests, steps, BatchRules(max_num_seqs=largest)).interval(
            "response"
        )

    return play


def shared(rate: float, lengths: np.ndarray) -> Callable[[int], Estimate]:
    """Return runs with a seat for everybody, whose steps are short beside a stay."""
    rules = BatchRules(max_num_seqs=10_000, policy="decode first")

    def play(seed: int) -> Estimate:
        requests = poisson_requests(rate, REQUESTS // 2, 1, lengths, seed)
        return simulate_serving(requests, SHARED, rules).interval("response")

    return play


def prioritized(first: int) -> Callable[[int], Estimate]:
    """Return runs of two lengths, the short ones first; the interval is of one of them."""
    rules = BatchRules(max_num_seqs=1, policy="priority")
    steps = StepPieces(0.001, 0.0, 0.0, 0.0)

    def play(seed: int) -> Estimate:
        drawn = poisson_requests(6.0, REQUESTS, 1, [40, 200], seed)
        later = drawn.output > 40
        requests = Requests(drawn.arrival, 1, drawn.output, priority=later * 1.0)
        run = simulate_serving(requests, steps, rules)
        return run.interval(np.where(later == first, run.waiting, np.nan))

    return play


def main(seeds: int) -> int:
    """Print one table and return 1 if a bar is missed."""
    table = Table("case", "theory", "mean of runs off by", "covered", "between", "too short")
    missed = False
    for case in cases():
        played = [case.play(seed) for seed in track(range(seeds), case.name, transient=True)]
        covered = sum(bool(one.covers(case.exact) and not one.too_short) for one in played)
        low, high = proportion_interval(covered, seeds)
        means = np.array([float(one.value) for one in played])
        off = (means.mean() - case.exact) / (means.std(ddof=1) / np.sqrt(seeds))
        table.add_row(
            *(
                case.name,
                f"{case.exact:.4g} s",
                f"{means.mean() / case.exact - 1:+.2%} ({off:+.1f} SE)",
            ),
            *(f"{covered / seeds:.1%}", f"{low:.1%} to {high:.1%}"),
            f"{sum(bool(one.too_short) for one in played)}",
        )
        missed |= not LEAST <= covered / seeds <= MOST
    Console(width=100).print(table)
    print(f"{seeds} seeds; bar: {LEAST:.0%} to {MOST:.0%}")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 400))
