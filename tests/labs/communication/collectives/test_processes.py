"""Processes end with the sum; two views of a machine are told apart by planted times."""

from __future__ import annotations

import threading
from multiprocessing import Pipe

import numpy as np
import pytest

from perfmodel.communication import collective_schedule
from perfmodel.labs.communication.collectives.processes import (
    measure_all_reduce,
    serve,
    steps_of,
)
from perfmodel.labs.communication.collectives.timings import (
    VIEWS,
    AllReduceRuns,
    LargeForecast,
    all_reduce_verdict,
    counted,
    forecast_large,
)

ALGORITHMS = ("ring", "tree", "recursive doubling", "Rabenseifner")
SIZES = 8.0 * 4.0 ** np.arange(3, 10)


def test_steps_are_the_schedule():
    schedule = collective_schedule("all-reduce", "tree", 3)
    steps = [steps_of(schedule, rank) for rank in range(3)]
    for place, sent in enumerate(schedule.rounds):
        assert {step[place].send for step in steps} - {None} == set(sent)
        assert {step[place].receive for step in steps} - {None} == set(sent)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize(("ranks", "elements"), [(3, 1), (3, 50_000), (4, 7)])
def test_workers_end_with_the_sum(algorithm, ranks, elements):
    """Threads in place of processes; the larger vectors don't fit into a pipe."""
    schedule = collective_schedule("all-reduce", algorithm, ranks)
    pairs = {(one.sender, one.receiver) for sent in schedule.rounds for one in sent}
    pipes = {pair: Pipe(duplex=False) for pair in pairs}
    orders = []
    for rank in range(ranks):
        ours, theirs = Pipe()
        sources = {pair[0]: pipes[pair][0] for pair in pairs if pair[1] == rank}
        sinks = {pair[1]: pipes[pair][1] for pair in pairs if pair[0] == rank}
        plans = [(schedule.blocks, steps_of(schedule, rank))]
        arguments = (theirs, sources, sinks, rank, plans)
        threading.Thread(target=serve, args=arguments, daemon=True).start()
        orders.append(ours)
    for order in orders:
        order.send((0, elements))
    for order in orders:
        assert order.poll(10)
        assert order.recv() is None
    for order in orders:
        order.send(None)
    for order in orders:
        assert order.poll(10)
        start, end, least = order.recv()
        assert start <= end
        assert least == ranks * (ranks + 1) / 2
        order.close()


def test_between_processes():
    runs = measure_all_reduce([64, 800_000], ("ring", "tree"), processes=2, runs=2)
    assert runs.samples.shape == (2, 2, 2)
    assert (runs.samples > 0).all()
    assert runs.times.shape == (2, 2)


def planted(view):
    counts = [[counted(4, name, size, view) for name in ALGORITHMS] for size in SIZES]
    times = np.array(counts) @ [2e-5, 1e-9]
    return AllReduceRuns(4, ALGORITHMS, SIZES, np.stack([times] * 3, axis=1))


@pytest.mark.parametrize("view", VIEWS)
def test_the_view_that_was_planted_is_the_right_one(view):
    forecasts = {name: forecast_large(planted(view), 40_000, name) for name in VIEWS}
    assert forecasts[view].error < 1e-9
    assert forecasts[view].right_winners == len(forecasts[view].sizes) == 3
    assert forecasts[view].prices == pytest.approx([2e-5, 1e-9])
    other = next(name for name in VIEWS if name != view)
    assert forecasts[other].error > 0.1
    verdict = all_reduce_verdict(*forecasts.values())
    assert ("take turns" if view == "shared cores" else "side by side") in verdict


def test_neither_view_ahead():
    forecast = LargeForecast(SIZES, np.ones((7, 1)), np.full((7, 1), 1.2), np.ones(2), ("ring",))
    assert "Neither view" in all_reduce_verdict(forecast, forecast)


def test_a_view_that_misses_the_soonest_is_not_said_to_hold():
    names, measured = ("ring", "tree"), np.array([[1.0, 1.1], [2.0, 2.1]])
    near = LargeForecast(2.0 ** np.array([20, 22]), measured, measured[:, ::-1], np.ones(2), names)
    far = near._replace(forecast=3 * measured)
    verdict = all_reduce_verdict(far, near)
    assert "take turns" not in verdict
    assert "misses which algorithm is soonest" in verdict
    assert "2 and 0 of 2 sizes" in verdict
    assert "worst: ring at 1,024 KiB, forecast at 1.10 of its time" in verdict
    assert "take turns" in all_reduce_verdict(far, near._replace(forecast=1.1 * measured))


def test_all_algorithms_have_the_same_traffic_in_powers_of_two_but_doubling():
    traffic = {name: counted(8, name, 800.0, "shared cores")[1] for name in ALGORITHMS}
    assert traffic.pop("recursive doubling") == 24 * 800
    assert set(traffic.values()) == {14 * 800.0}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: measure_all_reduce([7]), "sizes must be a whole number, 8 or more"),
        (lambda: measure_all_reduce([12]), "sizes must be multiples of 8 bytes"),
        (lambda: measure_all_reduce([8], processes=1), "processes must be a whole number, 2"),
        (lambda: measure_all_reduce([8], ["linear"]), "algorithm of all-reduce must be one of"),
        (lambda: forecast_large(planted("a network"), 1e9), "largest must leave sizes on both"),
        (lambda: counted(4, "ring", 8, "magic"), "view must be one of a network, shared cores"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
