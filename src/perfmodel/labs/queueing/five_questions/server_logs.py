"""Logs of one server under three kinds of arrivals, and the exact mean wait in each of them.

Jobs arrive at random moments, in bursts with independent gaps, or in lasting bursts, whose
consecutive gaps are similar. The gaps of the last two have the same squared coefficient of
variation. A log is a run of finite length; the exact mean is by matrix-geometric methods.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.queueing.distributions.phase_type import ArrivalProcess, PhaseType
from perfmodel.queueing.distributions.service import Exponential, Hyperexponential
from perfmodel.queueing.station.matrix_geometric import solve_phase_queue
from perfmodel.validation import Floats, one_of, positive, sample, whole

SERVICE_SCV, BURST_SCV = 4.0, 9.0
"""Squared coefficients of variation of sizes (hyperexponential, mean 1 s) and of bursty gaps."""

FAST, SLOW, STAY = 5.0, 0.1, 3.0625
"""Lasting bursts: rates in and out of a burst over the mean rate, and how long one stays, in mean
gaps. `STAY` gives the gaps the variability of the others."""

ARRIVALS = ("at random", "bursts", "lasting bursts")


def arrival_process(kind: str, rate: float) -> ArrivalProcess:
    """Return one of `ARRIVALS` as a process that the exact solver takes.

    >>> lasting = arrival_process("lasting bursts", 0.5)
    >>> print(round(lasting.rate, 6), round(lasting.scv, 6), round(lasting.correlation(1), 3))
    0.5 9.0 0.247
    """
    pace = float(positive("rate", rate))
    if _known(kind) == "at random":
        return ArrivalProcess.poisson(pace)
    if kind == "bursts":
        return ArrivalProcess.renewal(PhaseType.hyperexponential(1 / pace, BURST_SCV))
    leave, enter = pace / STAY, pace / _calm()
    return ArrivalProcess.modulated([FAST * pace, SLOW * pace], [[-leave, leave], [enter, -enter]])


def exact_waiting(kind: str, loads: ArrayLike) -> Floats:
    """Return the exact mean waiting time in seconds at each load.

    >>> print(exact_waiting("at random", [0.5, 0.95]).round(6))
    [ 2.5 47.5]
    """
    sizes = PhaseType.hyperexponential(1.0, SERVICE_SCV)
    queues = [
        solve_phase_queue(arrival_process(kind, load), sizes)
        for load in sample("loads", loads).tolist()
    ]
    return np.array([float(queue.waiting_time) for queue in queues])


@dataclass(frozen=True)
class ServerLog:
    """Summaries of one server's logs, one log for each load; arrays of shape (loads,)."""

    loads: Floats
    """Jobs per second at which a log was kept; at 1 the server would be full."""
    waiting: Floats
    """Mean wait in seconds."""
    mean_sizes: Floats
    """Seconds."""
    size_scvs: Floats
    """Squared coefficients of variation of the sizes."""
    gap_scvs: Floats
    """Squared coefficients of variation of the gaps between arrivals."""

    @property
    def mean_size(self) -> float:
        """Seconds, over all loads."""
        return float(self.mean_sizes.mean())

    @property
    def size_scv(self) -> float:
        """Mean over the loads."""
        return float(self.size_scvs.mean())

    @property
    def gap_scv(self) -> float:
        """Mean over the loads."""
        return float(self.gap_scvs.mean())

    def up_to(self, load: float) -> ServerLog:
        """Return the logs of loads up to this one, three or more."""
        low_enough = self.loads <= load + 1e-9
        if low_enough.sum() < 3:
            raise ValueError(f"load must leave three logs or more of {self.loads}, got {load!r}")
        return ServerLog(*(getattr(self, field.name)[low_enough] for field in fields(self)))


def server_log(kind: str, loads: ArrayLike, seed: int, jobs: int = 50_000) -> ServerLog:
    """Run a server once at each load and keep what a log would show.

    Each of the `loads`, utilizations below 1, draws its own random numbers; the waits of the first
    tenth of the `jobs` are left out.

    >>> log = server_log("at random", [0.5], seed=1)
    >>> bool(abs(log.waiting[0] - 2.5) < 0.3)
    True
    """
    rng = np.random.default_rng([ARRIVALS.index(_known(kind)), whole("seed", seed, low=0)])
    count, distribution = whole("jobs", jobs, low=100), Hyperexponential.balanced(1.0, SERVICE_SCV)
    rows, at = [], sample("loads", loads)
    for load in at.tolist():
        gaps, sizes = _gaps(kind, load, count, rng), distribution.sample(rng, count)
        wait = _waits(np.cumsum(gaps), sizes)[count // 10 :].mean()
        rows.append((wait, sizes.mean(), _scv(sizes), _scv(gaps)))
    return ServerLog(at, *np.array(rows).T)


def _known(kind: str) -> str:
    return one_of("kind", kind, ARRIVALS)


def _calm() -> float:
    """Return how long a calm between lasting bursts stays, in mean gaps."""
    share = (1 - SLOW) / (FAST - SLOW)
    return STAY * (1 - share) / share


def _gaps(kind: str, rate: float, count: int, rng: np.random.Generator) -> Floats:
    if kind == "at random":
        return Exponential(1 / rate).sample(rng, count)
    if kind == "bursts":
        return Hyperexponential.balanced(1 / rate, BURST_SCV).sample(rng, count)
    come = np.zeros(0)
    cycles = int(1.2 * count / (STAY + _calm())) + 20
    while come.size <= count:
        stays = rng.exponential(1.0, (cycles, 2)) * [STAY, _calm()]
        here = rng.poisson(stays * [FAST, SLOW]).ravel()
        opened = np.concatenate([[0.0], np.cumsum(stays)[:-1]])
        start, stay = np.repeat(opened, here), np.repeat(stays.ravel(), here)
        come, cycles = np.sort(start + stay * rng.random(start.size)), 2 * cycles
    return np.asarray(np.diff(come, prepend=0.0)[:count] / rate)


def _waits(come: Floats, sizes: Floats) -> Floats:
    """Return how long each job waits, first come first served (Lindley's recursion unrolled)."""
    before = np.cumsum(sizes) - sizes
    return np.asarray(before + np.maximum.accumulate(come - before) - come)


def _scv(values: Floats) -> float:
    return float(values.var() / values.mean() ** 2)
