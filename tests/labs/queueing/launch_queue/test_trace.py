"""Traces of launches: to a file's format and back, the definitions of a delay, threads that run."""

import json
from concurrent.futures import Executor, Future

import numpy as np
import pytest

from perfmodel.labs.queueing.launch_queue.local_queue import measure_launches
from perfmodel.labs.queueing.launch_queue.timeline import timeline
from perfmodel.labs.queueing.launch_queue.trace import (
    LAUNCH,
    SKEW,
    Call,
    delays,
    from_chrome,
    to_chrome,
)

RUN = timeline([8e-6, 8e-6, 8e-6], [10e-6, 12e-6, 3e-6], 2e-6)


def call_with(delay):
    return Call("k", 100e-6, 101e-6, 100e-6 + delay, 200e-6)


def test_a_trace_survives_its_file():
    text = json.dumps(to_chrome(RUN, ["a", "b", "c"], call_duration=1e-6))
    calls = from_chrome(json.loads(text))
    assert [call.name for call in calls] == ["a", "b", "c"]
    np.testing.assert_allclose([call.start for call in calls], RUN.starts)
    np.testing.assert_allclose([call.end for call in calls], RUN.ends)
    assert delays(calls).sum() == pytest.approx(RUN.tklqt)


def test_a_profiler_adds_events_of_other_kinds():
    trace = to_chrome(RUN)
    other = [
        {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "ts": 0, "dur": 5, "args": {}},
        {"ph": "M", "name": "process_name"},
        {"ph": "X", "cat": "cuda_runtime", "name": LAUNCH, "ts": 90, "args": {"correlation": 99}},
        {"ph": "X", "cat": "cuda_runtime", "name": "cudaMemcpy", "args": {"correlation": 7}},
    ]
    assert len(from_chrome({"traceEvents": other + trace["traceEvents"][::-1]})) == 3


def test_counting_from_the_end_of_the_call_leaves_its_duration_out():
    calls = from_chrome(to_chrome(RUN, call_duration=1.5e-6))
    lost = delays(calls).sum() - delays(calls, since="end").sum()
    assert lost == pytest.approx(3 * 1.5e-6)


def test_skew_is_cleaned_as_soda_does():
    calls = [call_with(d) for d in (5e-6, -3e-6, -10e-6, -30e-6)]
    np.testing.assert_allclose(delays(calls, skew=SKEW), [5e-6, 0], atol=1e-12)
    np.testing.assert_allclose(delays(calls), [5e-6, -3e-6, -10e-6, -30e-6])
    assert delays(calls, skew=0.0).size == 1


class Inline(Executor):
    def submit(self, fn, /, *args, **kwargs):
        future = Future()
        future.set_result(fn(*args, **kwargs))
        return future


class FakeClock:
    def __init__(self):
        self.now = 50.0

    def __call__(self):
        return self.now

    def spend(self, seconds):
        def work():
            self.now += seconds

        return work


def test_launches_are_noted_on_the_clock():
    clock = FakeClock()
    run = measure_launches(clock.spend(2.0), clock.spend(3.0), 3, Inline(), clock)
    np.testing.assert_allclose(run.launches, [0, 5, 10])
    np.testing.assert_allclose(run.starts, [0, 5, 10])
    np.testing.assert_allclose(run.ends, [3, 8, 13])


def test_another_thread_keeps_the_order_and_its_errors_come_back():
    done = []
    run = measure_launches(int, lambda: done.append(len(done)), 20)
    assert done == list(range(20))
    assert (np.diff(run.starts) >= 0).all()
    assert (run.delays >= 0).all()
    with pytest.raises(ZeroDivisionError):
        measure_launches(int, lambda: 1 / 0, 2)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: to_chrome(timeline([[1.0]], [[1.0]], 0.0)),
            "run must be one run of shape",
        ),
        (lambda: to_chrome(RUN, ["a"]), "names must be 3, one a kernel, got 1"),
        (lambda: from_chrome({}), "trace must have the key 'traceEvents'"),
        (lambda: from_chrome({"traceEvents": []}), "a kernel with its launch, got none"),
        (lambda: delays([]), "calls must be one or more"),
        (lambda: delays([call_with(0)], since="middle"), "since must be 'begin' or 'end'"),
        (lambda: delays([call_with(0)], skew=-1), "skew must be 0 or more, got -1"),
        (lambda: measure_launches(int, int, 0), "count must be a whole number, 1 or more, got 0"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
