"""Published statements on two choices, old information and copies, compared with the model."""

from __future__ import annotations

from itertools import pairwise

from perfmodel.labs.queueing.power_of_d.fleet import fresh_fleet, stale_fleet
from perfmodel.ledger import Sheet, Trend, trend
from perfmodel.queueing.fleet.power_of_choices import power_of_choices, redundancy
from perfmodel.queueing.station.mmc import mm1


def _second_and_third_choice() -> Trend:
    """Compute the gain of the second and third choice as the load approaches 1."""
    second, third = [], []
    for load in (0.9, 0.99, 0.999):
        single, two, three = (float(power_of_choices(load, d).response_time) for d in (1, 2, 3))
        second.append(single / two)
        third.append(two / three)
    grows = second[2] > 4 * second[1] > 12 * second[0]
    return Trend(
        grows and max(third) < 2,
        "factors of the second choice "
        + ", ".join(f"{x:.3g}" for x in second)
        + ", of the third "
        + ", ".join(f"{x:.3g}" for x in third),
    )


def _small_systems() -> Trend:
    """Compare 100 simulated servers with the limit."""
    pairs = [
        (float(fresh_fleet(100, load, d).value), power_of_choices(load, d).response_time)
        for load, d in ((0.5, 2), (0.9, 2), (0.9, 3))
    ]
    off = [simulated / float(limit) - 1 for simulated, limit in pairs]
    return Trend(
        max(map(abs, off)) < 0.05,
        "100 servers are off by " + ", ".join(f"{100 * x:.1f} %" for x in off),
    )


def _old_information() -> Trend:
    """Compare three dispatchers with a board that is ten services old at most."""
    shortest, two = (float(stale_fleet(100, 0.9, d, 10.0).value) for d in (None, 2))
    blind = float(mm1(0.9, 1.0).response_time)
    return Trend(
        two < blind < shortest,
        f"{two:.3g} for two choices, {blind:.3g} at random, {shortest:.3g} to the shortest seen",
    )


def _first_copy() -> Trend:
    """Compute how much each further copy reduces the mean response."""
    checks = []
    for load in (0.5, 0.7, 0.9):
        means = [float(mm1(load, 1.0).response_time)]
        means += [float(redundancy(load, d).response_time) for d in (2, 3, 4)]
        saved = [a - b for a, b in pairwise(means)]
        checks.append((saved[0] > sum(saved[1:]), saved))
    return Trend(
        all(holds for holds, _ in checks),
        "; ".join(", ".join(f"{x:.3g}" for x in saved) for _, saved in checks)
        + " services saved by the second, third and fourth copy",
    )


SHEET = Sheet(
    "M. Mitzenmacher, IEEE TPDS 12(10), 2001, and 11(1), 2000; K. Gardner et al., CMU-CS-15-141R",
    [
        trend(
            "mean response with one, two and three choices as the load nears 1",
            "two choices are exponentially better than one, three only by a constant factor",
            "2001, abstract",
            _second_and_third_choice,
        ),
        trend(
            "mean response of 100 simulated servers against the limit of many",
            "the limit predicts even relatively small systems accurately",
            "2001, abstract",
            _small_systems,
        ),
        trend(
            "mean response with lengths up to ten services old, utilization 0.9",
            "two choices stay very good, and going to the apparently least loaded server can hurt",
            "2000, abstract",
            _old_information,
        ),
        trend(
            "services saved by the second, third and fourth copy",
            "waiting in two queues brings the biggest improvement",
            "2016, abstract",
            _first_copy,
        ),
    ],
)
