"""The small simulator against the package's: the processor time of a customer, in one run."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from perfmodel.labs.queueing.build_a_simulator.tasks import random_queue, response_times
from perfmodel.queueing import JobClass, Network, Station, simulate
from perfmodel.validation import positive, whole


@dataclass(frozen=True)
class Race:
    """Seconds of processor time that a customer takes."""

    small: float
    package: float

    @property
    def ratio(self) -> float:
        """Customers that the package simulates while the small simulator simulates one."""
        return self.small / self.package

    @property
    def conclusion(self) -> str:
        """The ratio in a sentence, to a step that a busy machine doesn't move.

        >>> Race(small=9e-7, package=3e-8).conclusion
        'While this simulator serves one customer, the package serves more than ten.'
        """
        steps = {100: "more than a hundred", 10: "more than ten", 3: "more than three"}
        for step, words in steps.items():
            if self.ratio >= step:
                return f"While this simulator serves one customer, the package serves {words}."
        return "The package was hardly faster: it may still have been compiling."


def one_queue(utilization: float) -> Network:
    """Return the M/M/1 queue of `random_queue` as a network.

    >>> print(one_queue(0.8).utilization)
    [[0.8]]
    """
    users = JobClass("users", arrival_rate=float(positive("utilization", utilization)))
    return Network([Station("server")], [users], [1.0])


def race(
    small_customers: int = 20_000,
    package_customers: int = 1_000_000,
    repeats: int = 5,
    clock: Callable[[], float] = time.process_time,
) -> Race:
    """Return the least processor time of a customer under both, over repeats in turn.

    Both run once before the `repeats`, so that nothing is compiled on the clock. Random numbers are
    drawn within the time.
    """
    small_count, package_count = (
        whole("small_customers", small_customers, 1),
        whole("package_customers", package_customers, 1),
    )
    network = one_queue(0.8)

    def small(seed: int) -> object:
        return response_times(*random_queue(0.8, small_count, seed))

    def package(seed: int) -> object:
        return simulate(network, package_count, seed, progress=False)

    small(0), package(0)
    turns = range(1, whole("repeats", repeats, 1) + 1)
    pairs = [(_timed(small, seed, clock), _timed(package, seed, clock)) for seed in turns]
    small_times, package_times = zip(*pairs, strict=True)
    return Race(min(small_times) / small_count, min(package_times) / package_count)


def _timed(run: Callable[[int], object], seed: int, clock: Callable[[], float]) -> float:
    begin = clock()
    run(seed)
    return clock() - begin
