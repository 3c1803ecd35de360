"""The practitioner's five questions, with the job sizes and settings of the talk that asked them.

Utilization is low, so why is delay high? How do I lower delay, and how when sizes are unknown?
What if jobs differ in value as well? And what changes when the system is closed? The answers are
the models of this package; here are their inputs, and what the talk printed beside what they say.

Source: M. Harchol-Balter and Z. Scully, "The most common queueing theory questions asked by
computer systems practitioners", TeaPACS 2021 (slides); ACM SIGMETRICS Performance Evaluation
Review 49(4), 2022.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from perfmodel.ledger import Claim, Trend, half_unit
from perfmodel.queueing.distributions.service import BoundedPareto, Empirical, mean_residual, scv
from perfmodel.queueing.fleet.dispatching import size_interval
from perfmodel.queueing.fleet.power_of_choices import power_of_choices, redundancy
from perfmodel.queueing.fleet.staffing import safety_factor, servers_for_waiting
from perfmodel.queueing.station.gittins import gittins_rank, serpt_rank
from perfmodel.queueing.station.markovian import mmc
from perfmodel.queueing.station.mg1 import mg1
from perfmodel.queueing.station.scheduling import mean_response, slowdown_by_size
from perfmodel.validation import Floats

UNIX_JOBS = BoundedPareto(shape=1.0, low=1.0, high=3366.0)
"""UNIX process lifetimes: shape 1, range set so that the scv is the talk's 50 (slide 4)."""

BORG_JOBS = BoundedPareto(shape=0.69, low=1.0, high=5.33e7)
"""Jobs of a Borg cluster: shape 0.69, range set so that the scv is the talk's 23,000 (slide 5)."""

HEAVY_JOBS = BoundedPareto(shape=1.1, low=1.0, high=1e6)
"""Sizes for comparing schedulers: mean 8.24, scv 4,524."""

UNFAIR_JOBS = BoundedPareto(shape=1.0, low=1.0, high=1e4)
"""Sizes for which SRPT treats the largest job worse than PS does, at load 0.9."""

BUSES = Empirical((1.0,) * 9 + (91.0,))
"""Gaps between buses in minutes: nine in ten of 1, one in ten of 91."""

ONE_OR_THIRTEEN = Empirical((1.0, 13.0))
"""Jobs of 1 s or of 13 s, equally likely, that cannot be told apart at the start."""


def waiting_in_service_times(utilization: float, spread: float) -> float:
    """Return the mean waiting time of M/G/1 over the mean service time.

    Parameters
    ----------
    utilization : float
        rho, from 0 to below 1.
    spread : float
        Squared coefficient of variation of the job sizes, 0 or more.

    Returns
    -------
    float
        rho / (1 - rho) (1 + spread) / 2.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> round(waiting_in_service_times(0.3, 50), 2)
    10.93
    """
    return float(mg1(utilization, 1.0, spread).waiting_time)


def mean_under(policy: str, load: float, jobs: BoundedPareto) -> float:
    """Return the mean response time in seconds of M/G/1 at a load under a policy.

    Parameters
    ----------
    policy : str
        As for `perfmodel.queueing.station.scheduling.mean_response`.
    load : float
        Utilization, from 0 to below 1.
    jobs : BoundedPareto
        Law of the job sizes.

    Returns
    -------
    float
        Seconds.

    Raises
    ------
    ValueError
        If the policy is unknown or `load` out of range.

    Examples
    --------
    >>> round(mean_under("SRPT", 0.7, HEAVY_JOBS), 2)
    14.26
    """
    return float(mean_response(policy, load / jobs.moment(1), jobs).response_time)


def claims() -> list[Claim]:
    """Return the ledger entries of the talk."""
    return [*_sizes(), *_delays(), *_schedulers(), *_servers()]


def _derived(quantity: str, printed: str, unit: str, ours: Callable[[], float]) -> Claim:
    """Return a value worked out from the talk's formulas; its slides print no figure for it."""
    return Claim(
        "practitioner_questions",
        quantity,
        "recomputed",
        float(printed),
        unit,
        "worked out from the formulas on the slides",
        ours,
        derived=True,
        absolute=half_unit(printed),
    )


def _shown(quantity: str, printed: str, where: str, jobs: BoundedPareto) -> Claim:
    return Claim(
        "practitioner_questions",
        quantity,
        "recomputed",
        float(printed),
        "1",
        where,
        lambda: float(jobs.load_share_of_largest(0.01)),
        absolute=half_unit(printed),
        miss="No bounded Pareto law has the slide's shape, scv and share at once: with the range "
        "that gives the scv, the share comes out lower.",
    )


def _sizes() -> list[Claim]:
    name = "share of the load in the largest 1 % of"
    return [
        _shown(f"{name} UNIX jobs (shape 1, scv 50)", "0.50", "slide 4", UNIX_JOBS),
        _shown(f"{name} Borg jobs (shape 0.69, scv 23,000)", "0.99", "slide 5", BORG_JOBS),
        _derived("scv of UNIX jobs, sizes from 1 to 3,366", "50", "1", lambda: scv(UNIX_JOBS)),
    ]


def _delays() -> list[Claim]:
    return [
        _derived(
            "M/G/1 waiting over service time, load 0.3, scv 50",
            "10.93",
            "1",
            lambda: waiting_in_service_times(0.3, 50),
        ),
        _derived(
            "M/G/1 waiting over service time, load 0.8, scv 50",
            "102.0",
            "1",
            lambda: waiting_in_service_times(0.8, 50),
        ),
        _derived(
            "mean wait for a bus in minutes, nine gaps in ten of 1 and one of 91",
            "41.45",
            "1",
            lambda: mean_residual(BUSES),
        ),
        _derived(
            "SERPT rank of a fresh job, 1 s or 13 s", "7.00", "s", lambda: _rank(serpt_rank, 0)
        ),
        _derived("Gittins rank of that job", "2.00", "s", lambda: _rank(gittins_rank, 0)),
        _derived("Gittins rank of one of age 9 s", "4.00", "s", lambda: _rank(gittins_rank, 9)),
    ]


def _schedulers() -> list[Claim]:
    printed = {"FCFS": "43492", "SJF": "15699", "PS": "27.46", "FB": "16.68", "PSJF": "14.79"}
    means = [
        _derived(
            f"mean response of {policy}, sizes of shape 1.1 up to 1e6, load 0.7",
            value,
            "s",
            partial(mean_under, policy, 0.7, HEAVY_JOBS),
        )
        for policy, value in {**printed, "SRPT": "14.26"}.items()
    ]
    return [
        *means,
        _trend("slide 8", "SRPT < FB < PS < FCFS in mean response under heavy tails", _order),
        _trend("slide 9", "the largest job is better off under SRPT than under PS", _all_win),
        _derived(
            "slowdown of the largest job under SRPT, shape 1 up to 1e4, load 0.9 (PS: 10)",
            "10.89",
            "1",
            lambda: _largest(0.9, UNFAIR_JOBS),
        ),
    ]


def _servers() -> list[Claim]:
    return [
        _derived("two servers by size (SITA-E), load 0.7", "58.9", "s", _by_size),
        _derived(
            "M/M/10 response over service time at load 0.8",
            "1.2046",
            "1",
            lambda: float(mmc(8.0, 1.0, 10).response_time),
        ),
        _derived(
            "fewest servers for 10,000 erlangs of which at most 20 % wait",
            "10107",
            "1",
            lambda: float(servers_for_waiting(1e4, 0.2)),
        ),
        _derived(
            "c of the square-root rule for 20 % waiting",
            "1.0615",
            "1",
            lambda: float(safety_factor(0.2)),
        ),
        _derived(
            "best of two queues at load 0.9, response over service time",
            "2.6141",
            "1",
            lambda: float(power_of_choices(0.9, 2).response_time),
        ),
        _derived(
            "two copies at load 0.9, response over service time",
            "1.7316",
            "1",
            lambda: float(redundancy(0.9, 2).response_time),
        ),
    ]


def _trend(where: str, sentence: str, compute: Callable[[], Trend]) -> Claim:
    return Claim("practitioner_questions", sentence, "trend", sentence, "", where, compute)


def _order() -> Trend:
    means = [mean_under(policy, 0.9, HEAVY_JOBS) for policy in ("SRPT", "FB", "PS", "FCFS")]
    return Trend(means == sorted(means), ", ".join(f"{mean:.4g} s" for mean in means))


def _all_win() -> Trend:
    slowdown = _largest(0.9, HEAVY_JOBS)
    return Trend(slowdown < 10, f"slowdown {slowdown:.3g} against 10 at load 0.9")


def _largest(load: float, jobs: BoundedPareto) -> float:
    return float(slowdown_by_size("SRPT", jobs.high, load / jobs.moment(1), jobs))


def _by_size() -> float:
    return size_interval(1.4 / UNFAIR_JOBS.moment(1), UNFAIR_JOBS).response_time


def _rank(rank: Callable[[float, Empirical], Floats], age: float) -> float:
    return float(rank(age, ONE_OR_THIRTEEN))
