"""Work, span and greedy schedules: by hand, at their limits, and within Graham's bound."""

from __future__ import annotations

from graphlib import CycleError
from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from perfmodel.scaling import greedy_schedule, work_and_span

DIAMOND = {"a": 1.0, "b": 2.0, "c": 3.0, "d": 1.0}
NEEDS = {"b": ("a",), "c": ("a",), "d": ("b", "c")}


@st.composite
def graphs(draw):
    count = draw(st.integers(1, 9))
    seconds = {str(i): draw(st.integers(1, 9)) for i in range(count)}
    needs = {
        str(i): tuple(str(j) for j in range(i) if draw(st.integers(0, 3)) == 0)
        for i in range(count)
    }
    return seconds, needs


def test_diamond_by_hand():
    assert work_and_span(DIAMOND, NEEDS) == (7.0, 5.0)
    trace = greedy_schedule(DIAMOND, NEEDS, 2)
    assert {task: run[:2] for task, run in trace.items()} == {
        "a": (0, 1),
        "b": (1, 3),
        "c": (1, 4),
        "d": (4, 5),
    }


@given(graphs(), st.integers(1, 5))
def test_greedy_schedule_is_valid_and_within_the_bound(graph, processors):
    seconds, needs = graph
    work, span = work_and_span(seconds, needs)
    trace = greedy_schedule(seconds, needs, processors)
    assert set(trace) == set(seconds)
    for task, run in trace.items():
        assert run.end - run.start == seconds[task]
        assert all(trace[other].end <= run.start for other in needs[task])
    for lane in range(processors):
        runs = sorted(run for run in trace.values() if run.processor == lane)
        assert all(item.end <= other.start for item, other in pairwise(runs))
    end = max(run.end for run in trace.values())
    assert max(span, work / processors) - 1e-9 <= end <= (work - span) / processors + span + 1e-9


@given(graphs())
def test_one_processor_takes_the_work_and_many_take_the_span(graph):
    seconds, needs = graph
    work, span = work_and_span(seconds, needs)
    ends = [
        max(run.end for run in greedy_schedule(seconds, needs, count).values())
        for count in (1, len(seconds))
    ]
    assert ends == [work, span]


def test_bad_graphs_are_refused():
    many = greedy_schedule({"a": 1.0, "b": 1.0}, {}, 10**18)
    assert {item.processor for item in many.values()} == {0, 1}
    with pytest.raises(CycleError):
        work_and_span({"a": 1, "b": 1}, {"a": ("b",), "b": ("a",)})
    with pytest.raises(KeyError):
        work_and_span({"a": 1}, {"a": ("b",)})
