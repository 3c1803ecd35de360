"""Which networks have a loop of their own; all others take the general one."""

import pytest

from perfmodel.queueing.distributions.service import Deterministic
from perfmodel.queueing.network.model import JobClass, Network, Station
from perfmodel.queueing.simulation.loops.choice import loop_of
from perfmodel.queueing.simulation.options import Batch, JoinShortestQueue, Options
from perfmodel.queueing.simulation.state import CHAIN, GENERAL, POOL, RANKING, ROUTING, SHARING
from perfmodel.queueing.simulation.streams import Trace

A, B, SHARED = Station("a"), Station("b"), Station("s", discipline="PS")
OPEN, CLOSED = [JobClass("j", 0.5)], [JobClass("j", population=3)]


@pytest.mark.parametrize("jobs", [OPEN, CLOSED])
def test_a_row_of_single_servers_is_a_chain(jobs):
    assert loop_of(Network([A, B], jobs, [1.0, Deterministic(0.5)]), Options()) == CHAIN


ONES = {
    "FCFS": POOL,
    "PS": SHARING,
    "SRPT": RANKING,
    "LCFS-PR": RANKING,
    "priority": RANKING,
    "FB": GENERAL,
    "delay": ROUTING,
}


@pytest.mark.parametrize("discipline", ONES)
def test_an_open_station_by_its_discipline(discipline):
    station = Station("a", 2 if discipline == "FCFS" else 1, discipline)
    assert loop_of(Network([station], OPEN, [1.0]), Options()) == ONES[discipline]
    closed = ROUTING if discipline in ("FCFS", "delay") else GENERAL
    assert loop_of(Network([station], CLOSED, [1.0]), Options()) == closed


ROUTED = {
    "very many servers": Network([Station("a", 99)], OPEN, [1.0]),
    "two classes": Network([A], [JobClass("j", 0.2), JobClass("k", 0.2)], [1.0]),
    "thinking": Network([A], [JobClass("j", population=3, think_time=1.0)], [1.0]),
    "feedback": Network([A], OPEN, [0.5], visits=[[2.0]]),
    "against the order": Network([A, B], OPEN, [1.0, 1.0], routing=[[0, 0], [1, 0]]),
    "a choice": Network([A, B], OPEN, [1.0, 1.0], visits=[[1.0, 0.5]]),
    "a trace": Network([A], OPEN, [Trace([1.0, 0.5])]),
    "two servers in a row": Network([Station("a", 2), B], OPEN, [1.0, 1.0]),
}


@pytest.mark.parametrize("name", ROUTED)
def test_first_come_first_served_on_any_route(name):
    assert loop_of(ROUTED[name], Options()) == ROUTING


OTHERS = {
    "two servers that rank": Network([Station("a", 2, "SRPT")], OPEN, [1.0]),
    "two classes that share": Network([SHARED], [JobClass("j", 0.2), JobClass("k", 0.2)], [1.0]),
    "thinking": Network([SHARED], [JobClass("j", population=3, think_time=1.0)], [1.0]),
    "feedback": Network([SHARED], OPEN, [0.5], visits=[[2.0]]),
    "against the order": Network([A, SHARED], OPEN, [1.0, 1.0], routing=[[0, 0], [1, 0]]),
    "a choice": Network([A, SHARED], OPEN, [1.0, 1.0], visits=[[1.0, 0.5]]),
    "a limit": Network([Station("a", capacity=3), B], OPEN, [1.0, 1.0]),
    "speeds": Network([Station("a", speeds=(1.0, 1.5))], OPEN, [1.0]),
    "a trace": Network([SHARED], OPEN, [Trace([1.0, 0.5])]),
    "two in a row": Network([A, SHARED], OPEN, [1.0, 1.0]),
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_networks_take_the_general_loop(name):
    assert loop_of(OTHERS[name], Options()) == GENERAL


PAIR = Network([A, B], OPEN, [1.0, 1.0], visits=[[0.5, 0.5]])
ADDED = {
    "batches": (Network([A], OPEN, [1.0]), Options(batches={"a": Batch(2)})),
    "forks": (Network([A, B], OPEN, [0.5, 1.0]), Options(forks={"a": ["b"]})),
    "a dispatcher": (PAIR, Options(dispatch=[JoinShortestQueue(["a", "b"])])),
    "measured gaps": (Network([SHARED], OPEN, [1.0]), Options(arrivals={"j": Trace([2.0] * 9)})),
}


@pytest.mark.parametrize("name", ADDED)
def test_what_options_add_takes_the_general_loop(name):
    assert loop_of(*ADDED[name]) == GENERAL
