"""Blocks of a lattice and graphs of tasks, counted by hand."""

from __future__ import annotations

from graphlib import CycleError
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.scaling import greedy_schedule, work_and_span
from perfmodel.scaling.stencil import WILSON, Stencil, bandwidth_needed, flop_limit, memory_growth

STENCILS = st.builds(
    Stencil, st.integers(1, 5), st.floats(1, 1e4), st.floats(0.5, 100), st.floats(1, 1e3)
)


def sites_outside(side: int, dimension: int) -> int:
    """Count by marking: sites outside a block that some site of the block has as a neighbour."""
    block = np.zeros((side + 2,) * dimension, dtype=bool)
    block[(slice(1, -1),) * dimension] = True
    reached = np.zeros_like(block)
    for axis in range(dimension):
        reached |= np.roll(block, 1, axis) | np.roll(block, -1, axis)
    return int((reached & ~block).sum())


class TestSurfaceLaw:
    @pytest.mark.parametrize("dimension", [1, 2, 3, 4])
    @pytest.mark.parametrize("side", [1, 2, 3, 5])
    def test_exchange_of_a_real_block(self, side: int, dimension: int) -> None:
        """flops of the block / words through its counted boundary = flop limit at b = 1."""
        stencil = Stencil(dimension, flops_per_site=100, face_words=3, words_per_site=1)
        words = 3 * sites_outside(side, dimension)
        assert flop_limit(side, 1, stencil) == pytest.approx(100 * side**dimension / words)

    def test_wilson_by_hand(self) -> None:
        assert WILSON.intensity == 1320 / 96 == 13.75
        assert WILSON.memory(8) == 786_432
        assert flop_limit(8, 1) == 110
        assert bandwidth_needed(1000, 8) == pytest.approx(9.09, abs=0.005)

    @pytest.mark.parametrize(("dimension", "factor"), [(2, 4), (3, 8), (4, 16)])
    def test_memory_for_twice_the_arithmetic(self, dimension: int, factor: int) -> None:
        stencil = Stencil(dimension, flops_per_site=100, face_words=3, words_per_site=7)
        assert stencil.memory(16) / stencil.memory(8) == factor
        assert memory_growth(2, dimension) == factor

    @given(STENCILS, st.floats(0.5, 100))
    def test_side_is_the_inverse_of_memory(self, stencil: Stencil, side: float) -> None:
        assert stencil.side(stencil.memory(side)) == pytest.approx(side)

    @given(STENCILS, st.floats(1, 1e6), st.floats(0.5, 100))
    def test_needed_bandwidth_just_hides_the_exchange(self, stencil, rate, side) -> None:
        needed = bandwidth_needed(rate, side, stencil)
        assert flop_limit(side, needed, stencil) == pytest.approx(rate)

    @given(STENCILS, st.floats(1, 10))
    def test_growth_of_memory_follows_from_the_law(self, stencil: Stencil, growth: float) -> None:
        """A block of growth times the side has growth times the flop limit."""
        ratio = stencil.memory(4 * growth) / stencil.memory(4)
        assert memory_growth(growth, stencil.dimension) == pytest.approx(ratio)

    def test_nothing_moves_nothing_works(self) -> None:
        assert flop_limit([0, 8], [1, 0]).tolist() == [0, 0]


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
