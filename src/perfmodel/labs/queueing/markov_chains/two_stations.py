"""A processor and a disk, and jobs that go round between them: one chain, solved in many ways.

After a turn at the processor a job is complete with some probability, and a new job replaces it.
Otherwise it goes to the disk and returns. The state is the number of jobs at the processor, and for
turns that aren't exponential also the phase of the current turn.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from perfmodel.queueing import (
    JobClass,
    MarkovChain,
    Network,
    PhaseType,
    Station,
    explore_chain,
    steady_state,
)
from perfmodel.queueing.network.elements import ServiceDistribution
from perfmodel.validation import Floats, positive, whole, within

State = tuple[int, int]
"""Jobs at the processor, and the phase of its turn (0 where nobody is there)."""


@dataclass(frozen=True)
class Loop:
    """The loop's numbers.

    >>> Loop(jobs=4, cpu_time=0.05, disk_time=0.04, finish=0.2).turns
    5.0
    """

    jobs: int
    """In the loop at all times, 1 or more."""
    cpu_time: float
    """Mean seconds of a turn at the processor, above 0."""
    disk_time: float
    """Mean seconds of a visit to the disk (exponential), above 0."""
    finish: float
    """Probability that a turn is a job's last, above 0 and up to 1."""

    def __post_init__(self) -> None:
        whole("jobs", self.jobs, 1)
        positive("cpu_time", self.cpu_time)
        positive("disk_time", self.disk_time)
        positive("finish", within("finish", self.finish, 0, 1))

    @property
    def turns(self) -> float:
        """Mean turns of a job at the processor."""
        return 1 / self.finish

    def network(self, distribution: ServiceDistribution | None = None) -> Network:
        """Return the loop as a network; turns are exponential without a `distribution`."""
        stations = [Station("cpu"), Station("disk")]
        routing = np.array([[0, 1 - self.finish], [1, 0]])
        job = JobClass("jobs", population=self.jobs)
        return Network(
            stations, [job], [[distribution or self.cpu_time, self.disk_time]], routing=routing
        )


def loop_chain(loop: Loop, turn: PhaseType | None = None) -> MarkovChain:
    """Return the chain of a loop; a turn is exponential unless `turn` says otherwise.

    States are (jobs at the processor, phase of its turn); the phase is 0 where nobody is there.

    >>> loop_chain(Loop(2, 0.05, 0.04, 0.2)).states
    ((2, 0), (1, 0), (0, 0))
    """
    distribution = turn or PhaseType.exponential(loop.cpu_time)

    def begin(jobs: int, rate: float) -> list[tuple[State, float]]:
        if not jobs:
            return [((0, 0), rate)]
        return [((jobs, i), rate * float(p)) for i, p in enumerate(distribution.start)]

    def moves(state: State) -> list[tuple[State, float]]:
        here, phase = state
        there = (loop.jobs - here > 0) / loop.disk_time
        if not here:
            return begin(1, there)
        ends = float(distribution.exits[phase])
        within_turn = [
            ((here, j), float(rate))
            for j, rate in enumerate(distribution.generator[phase])
            if j != phase
        ]
        return [
            ((here + 1, phase), there),
            *within_turn,
            *begin(here, ends * loop.finish),
            *begin(here - 1, ends * (1 - loop.finish)),
        ]

    return explore_chain((loop.jobs, int(np.argmax(distribution.start > 0))), moves)


def jobs_at_processor(loop: Loop, turn: PhaseType | None = None) -> Floats:
    """Return the fractions of time with 0, 1, ... jobs at the processor, by the balance equations.

    >>> print(jobs_at_processor(Loop(1, 0.05, 0.04, 0.2)).round(4))
    [0.3902 0.6098]
    """
    chain = loop_chain(loop, turn)
    shares = np.zeros(loop.jobs + 1)
    np.add.at(shares, [here for here, _ in chain.states], steady_state(chain))
    return shares


def finished_rate(loop: Loop, turn: PhaseType | None = None) -> float:
    """Return the jobs that finish in a second, from the balance equations.

    >>> round(finished_rate(Loop(1, 0.05, 0.04, 0.2)), 4)
    2.439
    """
    busy = 1 - float(jobs_at_processor(loop, turn)[0])
    mean = turn.moment(1) if turn else loop.cpu_time
    return busy * loop.finish / mean
