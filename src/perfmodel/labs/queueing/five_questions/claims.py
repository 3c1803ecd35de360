"""What the talk on the practitioner's five questions says, compared with our values."""

from __future__ import annotations

from functools import partial

from perfmodel.labs.queueing.five_questions.experiment import (
    closed_server,
    sizes,
    think_time_for,
)
from perfmodel.ledger import Sheet, Trend, recomputed, trend
from perfmodel.queueing.distributions.heavy_tail import BoundedPareto
from perfmodel.queueing.distributions.workloads import BORG_JOBS, HEAVY_JOBS, UNIX_JOBS
from perfmodel.queueing.station.mg1 import mg1
from perfmodel.queueing.station.scheduling import mean_response, slowdown_by_size


def _load_share(jobs: BoundedPareto) -> float:
    return float(jobs.work_fraction_of_largest(0.01))


def _rising_responses() -> Trend:
    policies, rate = ("SRPT", "FB", "PS", "FCFS"), 0.9 / HEAVY_JOBS.moment(1)
    means = [float(mean_response(p, rate, HEAVY_JOBS).response_time) for p in policies]
    return Trend(means == sorted(means), ", ".join(f"{mean:.4g} s" for mean in means))


def _largest_job() -> Trend:
    rate = 0.9 / HEAVY_JOBS.moment(1)
    slowdown = float(slowdown_by_size("SRPT", HEAVY_JOBS.high, rate, HEAVY_JOBS))
    return Trend(slowdown < 10, f"slowdown {slowdown:.3g} against 10 at utilization 0.9")


def _closed_below_open() -> Trend:
    """Compare with an open server of the throughput that the closed one reaches, at scv 20."""
    closed, opened = [], []
    for jobs in (10, 100, 1000):
        run = closed_server(jobs, think_time_for(0.8, jobs), sizes(20))
        closed.append(run.response_time.value.item())
        opened.append(
            float(
                mg1(
                    arrival_rate=run.throughput.value.item(), mean_service=1.0, scv=20.0
                ).response_time
            )
        )
    pairs = list(zip(closed, opened, strict=True))
    below = [response / reference for response, reference in pairs]
    return Trend(
        max(below) < 1 and below == sorted(below) and closed == sorted(closed),
        "; ".join(f"{response:.3g} s against {reference:.3g} s" for response, reference in pairs),
    )


_RANGE = (
    "No bounded Pareto distribution has the slide's shape, scv and fraction at once. With the "
    "range that gives the scv, the fraction is lower."
)

SIZES = [
    recomputed(
        f"share of the load in the largest 1 % of {name} jobs, shape {shape}, scv {scv}",
        printed,
        where,
        partial(_load_share, jobs),
        miss=_RANGE,
    )
    for name, shape, scv, printed, where, jobs in (
        ("UNIX", "1", "50", "50 %", "slide 4", UNIX_JOBS),
        ("Borg", "0.69", "23,000", "99 %", "slide 5", BORG_JOBS),
    )
]
ORDERS = [
    trend(
        "mean responses of SRPT, FB, PS and FCFS, sizes of shape 1.1, utilization 0.9",
        "SRPT < FB < PS < FCFS under heavy tails",
        "slide 8",
        _rising_responses,
    ),
    trend(
        "slowdown of the largest job under SRPT and PS, sizes of shape 1.1",
        "the largest job is better off under SRPT than under PS",
        "slide 9",
        _largest_job,
    ),
]
CLOSED = [
    trend(
        "mean responses with 10, 100 and 1,000 jobs, closed against open at equal throughput",
        "a closed system feels variable sizes less than an open one, the fewer jobs the less",
        "slide 21",
        _closed_below_open,
    )
]
SHEET = Sheet(
    "M. Harchol-Balter and Z. Scully, 'The most common queueing theory questions asked by computer "
    "systems practitioners', TeaPACS 2021 (slides); ACM SIGMETRICS Performance Evaluation Review "
    "49(4), 2022, DOI 10.1145/3543146.3543148",
    [*SIZES, *ORDERS, *CLOSED],
    unheld="The curves of the slides have no values on them, so that only their order can be "
    "compared. The answers themselves are formulas; what they give for stated numbers is in the "
    "tests.",
)
