"""Two forms of parallel questions on a chapter, to be met one before it and the other after.

A question of the one form has a partner in the other: the same model with other numbers, so that
an answer seen once is no answer to the second. Which form is the harder doesn't matter where half
of a class takes them in the other order.
"""

from __future__ import annotations

from typing import NamedTuple

from perfmodel import live
from perfmodel.live.prompt import Question
from perfmodel.queueing import (
    interactive_response_time,
    little_population,
    little_response_time,
    mg1,
    mm1,
    service_demand,
)


class Case(NamedTuple):
    """The numbers of a form on queueing; times in milliseconds, rates a second."""

    busy: float
    """Utilization of the server of the first question."""
    service: float
    rate: float
    stay: float
    variable: tuple[float, float, float]
    """Utilization, mean size, and the variance over the squared mean."""
    users: tuple[int, float, float]
    """Users, their think time in seconds, and the throughput."""
    visits: tuple[int, float, float]
    """Visits to the disk, their time, and the time of the CPU."""
    upgraded: float
    """Utilization before a server twice as fast takes over."""


QUEUEING = {
    "a": Case(0.9, 20, 600, 50, (0.5, 10, 9), (100, 5.0, 16.0), (3, 4, 10), 0.8),
    "b": Case(0.8, 50, 240, 75, (0.6, 5, 7), (60, 4.0, 12.0), (4, 5, 15), 0.9),
}
"""By the name of the form."""


def questions(name: str) -> list[Question]:
    """Return the questions of a form on queueing, each with its computed answer."""
    if name not in QUEUEING:
        raise ValueError(f"name must be one of {', '.join(QUEUEING)}, got {name!r}")
    case = QUEUEING[name]
    return [_busy(case), _inside(case), _variable(case), _users(case), _most(case), _faster(case)]


def queueing_form(name: str) -> live.Display:
    """Show a form on queueing: six prompts, each for a number."""
    return live.quiz(f"study-queueing-{name}", questions(name))


def _busy(case: Case) -> Question:
    rate = case.busy / case.service
    return live.question(
        f"Requests come at random moments to one server and need {case.service:g} ms on average "
        f"(exponential). It is busy {100 * case.busy:.0f} % of the time. What is the mean response "
        "time, waiting and service, in ms?",
        None,
        float(mm1(rate, 1 / case.service).response_time),
        "Divide the mean service time by the fraction of time in which the server is idle.",
        unit="ms",
    )


def _inside(case: Case) -> Question:
    inside = float(little_population(case.rate, case.stay / 1000))
    return live.question(
        f"A service finishes {case.rate:g} requests a second, and {inside:g} are inside on "
        "average. How long does a request stay, on average, in ms?",
        None,
        float(little_response_time(inside, case.rate)) * 1000,
        "Little's law: divide the number inside by the throughput.",
        unit="ms",
    )


def _variable(case: Case) -> Question:
    busy, mean, scv = case.variable
    return live.question(
        f"Jobs come at random moments and need {mean:g} ms on average, but their sizes vary: the "
        f"variance is {scv:g} times the squared mean. The server is busy {100 * busy:.0f} % of the "
        "time and takes them in the order of arrival. How long does a job wait, on average, in ms?",
        None,
        float(mg1(arrival_rate=busy / mean, mean_service=mean, scv=scv).waiting_time),
        "By the Pollaczek-Khinchine formula, the wait is proportional to (1 + that ratio) / 2.",
        unit="ms",
    )


def _users(case: Case) -> Question:
    users, think, throughput = case.users
    return live.question(
        f"{users} users send a request, wait for the response, think for {think:g} s on average "
        f"and send the next. Together they get {throughput:g} responses a second. What mean "
        "response time do they see, in ms?",
        None,
        float(interactive_response_time(users, throughput, think)) * 1000,
        "A whole round takes users divided by throughput. Subtract the think time.",
        unit="ms",
    )


def _most(case: Case) -> Question:
    visits, disk, cpu = case.visits
    demand = max(float(service_demand(visits, disk)), cpu)
    return live.question(
        f"A request needs the CPU once for {cpu:g} ms, and the disk {visits} times for {disk:g} ms "
        "each. There is one of either. What is the most that the system can serve, in requests a "
        "second?",
        None,
        1000 / demand,
        "It is the reciprocal of the largest service demand.",
        unit="1/s",
    )


def _faster(case: Case) -> Question:
    slow, fast = (float(mm1(case.upgraded, rate).response_time) for rate in (1, 2))
    return live.question(
        f"A server (random arrivals, exponential sizes) is busy {100 * case.upgraded:.0f} % of the "
        "time. One that is twice as fast takes over the same requests. By what factor does the "
        "mean response time fall?",
        None,
        slow / fast,
        "The service time halves, and the queue gets shorter, too.",
        unit="times",
    )
