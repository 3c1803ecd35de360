"""The exam case of the TeaPACS workshops: 20 interactive users and a batch job on one server.

Source: D. Krishnamurthy, TeaPACS 2023 (slide 17); ACM SIGMETRICS Performance Evaluation Review
51(2), 2023. The slide gives the case without a solution. The solution here is exact mean value
analysis.
"""

from __future__ import annotations

from perfmodel.queueing.network import mva
from perfmodel.queueing.network.elements import Discipline
from perfmodel.queueing.network.model import JobClass, Network, Station
from perfmodel.validation import positive, whole

USERS, THINK_TIME = 20, 30.0
"""People, and the seconds that each thinks between two clips."""

CLIP_DEMAND = (0.15, 0.95)
"""Seconds of processor and of network link that a clip needs."""

BATCH_DEMAND = (1.0, 0.08)
"""Seconds of processor and of network link that a cycle of a batch process needs."""

BATCH_PROCESSES = 10

RESPONSE_LIMIT = 2.0
"""Longest mean response time in seconds."""


def shared_server(
    batch: int = BATCH_PROCESSES,
    cpu_speed: float = 1.0,
    link_speed: float = 1.0,
    *,
    users: int = USERS,
    cpu_order: Discipline = "PS",
    link_order: Discipline = "PS",
) -> Network:
    """Return the exam case, as it is or changed, with stations cpu and link.

    Its classes are clips and, if there are any, `batch` processes (10 in the exam). The speeds are
    multiples of the exam's. As a discipline, "preemptive" lets clips go first and "delay" gives
    each job a link of its own.

    >>> print(mva.exact_mva(shared_server(batch=0)).response_time.round(4))
    [2.1998]
    >>> print(mva.exact_mva(shared_server()).response_time.round(4))
    [ 4.0227 10.967 ]
    """
    speeds = (float(positive("cpu_speed", cpu_speed)), float(positive("link_speed", link_speed)))
    classes = [JobClass("clips", population=users, think_time=THINK_TIME)]
    demands = [CLIP_DEMAND]
    if whole("batch", batch):
        classes.append(JobClass("batch", population=batch, priority=1))
        demands.append(BATCH_DEMAND)
    stations = [Station("cpu", discipline=cpu_order), Station("link", discipline=link_order)]
    return Network(
        stations, classes, [[d / v for d, v in zip(row, speeds, strict=True)] for row in demands]
    )


def clip_response(network: Network) -> float:
    """Return the mean response time of a clip, the first class, in seconds by exact MVA.

    >>> round(clip_response(shared_server(link_speed=2)), 4)
    2.4867
    """
    return float(mva.exact_mva(network).response_time[0])
