"""The server of threads: who is served and when; what the verdict says, from made-up runs."""

import re
import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel import live
from perfmodel.labs.serving.continuous_batching import own_server
from perfmodel.labs.serving.continuous_batching.own_server import (
    SEATS,
    STEPS,
    Forecast,
    LoadTest,
    OwnResult,
    StepLine,
    forecast,
    load_test,
    matrix_step,
    plan,
    time_steps,
)
from perfmodel.labs.serving.continuous_batching.own_verdict import (
    afterwards,
    lengthened,
    rows,
    slowdown,
    verdict,
)
from perfmodel.serving import BatchRules, Requests, StepPieces, simulate_serving

LINE = StepLine(np.array([1.0e-3, 1.1e-3, 1.05e-3]), np.array([2e-5, 2e-5, 2e-5]))


class Ticks:
    """A clock that only steps move; the first step waits until all requests were sent."""

    def __init__(self, count):
        self.now, self.count, self.begun = 0.0, count, threading.Event()
        self.main, self.asked = threading.get_ident(), 0

    def step(self, batch):
        self.begun.set()
        while self.now == 0 and self.asked < self.count + 2:
            time.sleep(0.001)
        if self.now == 0:
            time.sleep(0.05)
        self.now += 1.0 + 0.25 * batch

    def clock(self):
        """Count what the sender asks: twice beforehand and once for each request."""
        self.asked += threading.get_ident() == self.main
        return self.now

    def sleep(self, seconds):
        """Wait for the first step, into which the later requests fall."""
        self.begun.wait()


@given(st.lists(st.integers(1, 9), min_size=2, max_size=10), st.integers(1, 5))
@settings(max_examples=12, deadline=None)
def test_step_by_step_it_is_the_run_of_the_simulator(outputs, seats):
    arrivals = np.append(0.0, np.full(len(outputs) - 1, 1e-3))
    requests, ticks = Requests(arrivals, 1, outputs), Ticks(len(outputs))
    seen = load_test(requests, ticks.step, seats, 1e12, ticks.clock, ticks.sleep)
    rules = BatchRules(batch=seats, policy="decode first")
    run = simulate_serving(requests, StepPieces(1.0, 0.0, 0.25, 0.0), rules)
    np.testing.assert_allclose(seen.response, run.response, rtol=1e-6)
    assert seen.batches.sum() == sum(outputs)
    assert seen.step.sum() == pytest.approx(run.busy)


def test_real_time_everybody_is_served_after_as_many_steps():
    requests = Requests([0.0, 0.002, 0.004, 0.006], 1, [3, 1, 2, 4])
    seen = load_test(requests, lambda batch: time.sleep(0.001), seats=2)
    assert seen.batches.sum() == 10
    assert (seen.response >= 0.001 * requests.output).all()
    assert seen.step.size == seen.batches.size


def test_a_server_that_is_too_slow_is_cut_off():
    requests = Requests([0.0, 0.001], 1, [10**6, 1])
    seen = load_test(requests, lambda batch: time.sleep(0.05), seats=1, patience=1e-3)
    assert np.isnan(seen.response).all()


def test_lines_are_recovered_and_never_fall():
    line = time_steps(lambda batch: None, rounds=2, each=2)
    assert (line.fixed >= 0).all()
    assert (line.each >= 0).all()
    assert line.pieces(0).seconds(sequences=1) <= line.pieces(100).seconds(sequences=1) + 1e-3


def test_a_slow_machine_is_timed_for_a_second_and_a_half_and_a_round():
    now = [0.0]

    def step(batch):
        now[0] += 0.05

    line = time_steps(step, clock=lambda: now[0])
    assert 1 <= line.fixed.size < 5
    assert line.fixed[0] == pytest.approx(0.05)
    assert now[0] < 2.5


def test_even_a_test_of_no_steps_gets_a_verdict():
    nothing = LoadTest(np.full(3, np.nan), np.zeros(0, int), np.zeros(0))
    assert np.isnan(slowdown(nothing, LINE))
    said = OwnResult(LINE, plan(LINE), Forecast((0.03, 0.033), (0.06, 0.07)), (nothing,))
    assert verdict(said).startswith("Can't tell. A load test was cut off")
    assert rows(said)[0] == ("mean", "30", "33", "cut off", "not run")
    live.table(["", "from", "to", "one", "two"], rows(said), "shown without an error")


def test_the_table_holds_both_tests():
    assert rows(session([[0.03, 0.05], [0.06, 0.06]])) == [
        ("mean", "30", "33", "40", "60"),
        ("95th percentile", "60", "70", "49", "60"),
    ]


def test_after_a_test_that_was_cut_off_none_is_run(monkeypatch):
    sent = []
    monkeypatch.setattr(own_server, "matrix_step", lambda: lambda batch: None)
    monkeypatch.setattr(own_server, "time_steps", lambda step: LINE)
    cut = LoadTest(np.array([np.nan]), np.zeros(0, int), np.zeros(0))
    monkeypatch.setattr(own_server, "load_test", lambda *_: sent.append(1) or cut)
    assert len(own_server.measure_here().tests) == len(sent) == 1


def test_a_longer_step_lengthens_the_response_by_more_than_itself_in_a_queue():
    apart = plan(LINE)
    few = Requests(1e3 * np.arange(1, 9), 1, np.full(8, 5))
    said = Forecast((0.03, 0.033), (0.06, 0.07))
    assert lengthened(OwnResult(LINE, few, said, ())) == pytest.approx(0.1)
    assert lengthened(OwnResult(LINE, apart, said, ())) > 0.1


def test_matrix_step_does_a_row_for_each_sequence():
    step = matrix_step(width=8, seats=4)
    for batch in (1, 2, 4):
        step(batch)


def test_the_plan_offers_the_load():
    requests = plan(LINE)
    full = 1.05e-3 + 2e-5 * SEATS
    offered = requests.rate * STEPS * full / SEATS
    assert offered == pytest.approx(0.75, rel=0.2)
    assert requests.output.mean() == pytest.approx(STEPS, rel=0.2)


def test_the_forecast_is_that_of_the_fastest_and_slowest_round():
    requests = plan(LINE)
    said = forecast(requests, LINE)
    rules = BatchRules(batch=SEATS, policy="decode first")
    slow = simulate_serving(requests, StepPieces(1.1e-3, 0, 2e-5, 0), rules).response
    assert said.mean[1] == pytest.approx(slow.mean())
    assert said.tail[1] == pytest.approx(np.percentile(slow, 95))
    assert said.mean[0] < said.mean[1] < said.tail[0]


def session(responses, slow=1.0):
    batches = np.full(10, 16)
    steps = slow * (1.05e-3 + 2e-5 * batches)
    tests = tuple(LoadTest(np.asarray(each, float), batches, steps) for each in responses)
    return OwnResult(LINE, plan(LINE), Forecast((0.030, 0.033), (0.060, 0.070)), tests)


@pytest.mark.parametrize(
    ("responses", "slow", "words"),
    [
        ([[0.03, np.nan]], 1.0, "cut off"),
        ([[0.031] * 9], 1.3, "1.3 times as long"),
        ([[0.031] * 9], 0.7, "0.7 times as long"),
        ([[0.02] * 18 + [0.065] * 2 + [0.1] * 2], 1.0, "95th percentile"),
        ([[0.05] * 9], 1.0, "measured 50 ms, 59 % above"),
        (
            [[0.031] * 9, [0.032] * 9],
            1.0,
            "mean, forecast 30 to 33 ms, measured 31 to 32 ms, inside",
        ),
        ([[0.031] * 9, [0.05] * 9], 1.0, "measured 31 to 50 ms: they overlap, can't tell"),
    ],
)
def test_the_verdict_can_come_out_each_way(responses, slow, words):
    assert re.search(words, verdict(session(responses, slow)))


def test_slowdown_is_of_the_same_batches():
    assert slowdown(session([[0.03]], 1.2).tests[0], LINE) == pytest.approx(1.2)


def test_afterwards_the_step_of_the_tests_is_known():
    """With the plan and the middle line alone, and steps as long as told, it is that forecast."""
    middle = StepLine(LINE.fixed[2:], LINE.each[2:])
    told = afterwards(session([[0.05]]))
    assert told.mean[0] == pytest.approx(forecast(plan(LINE), middle).mean[0])
    assert told.mean[0] == told.mean[1]
    assert afterwards(session([[0.05]], 1.1)).mean[0] > 1.1 * told.mean[0]
    assert "would have said" in verdict(session([[0.05]]))
