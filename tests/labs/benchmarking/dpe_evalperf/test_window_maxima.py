"""Twelve programs that must agree, and the two ways to cost them."""

import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.benchmarking.dpe_evalperf.costs import measure_programs, window_input
from perfmodel.labs.benchmarking.dpe_evalperf.window_maxima import PROGRAMS


@pytest.mark.parametrize("name", PROGRAMS)
@given(values=st.lists(st.integers(-9, 9), min_size=1, max_size=25), data=st.data())
def test_a_program_finds_the_largest_of_every_window(name, values, data):
    width = data.draw(st.integers(1, len(values)))
    given_values = values.copy()
    expected = []
    for start in range(len(values) - width + 1):
        window = values[start : start + width]
        expected.append(next(v for v in window if all(v >= w for w in window)))
    assert PROGRAMS[name](values, width) == expected
    assert values == given_values


def test_counts_repeat_and_times_are_positive():
    costs = measure_programs(size=80, width=8, counts=3, rounds=2)
    count, clock = costs.variation()
    assert count.tolist() == [0.0] * 12
    assert costs.seconds.shape == (12, 2)
    assert (costs.seconds > 0).all()
    assert (clock >= 0).all()


def test_scanning_costs_more_than_remembering():
    counts = dict(zip(PROGRAMS, measure_programs(300, 40, 2, 2).bytecodes[:, 0], strict=True))
    assert counts["nested_loops"] > 4 * counts["candidates"]


def test_input_mostly_falls():
    values = window_input(500)
    assert values[0] > values[250] > values[-1]
    assert values == window_input(500)


def test_a_window_wider_than_the_input_is_refused():
    with pytest.raises(ValueError, match="width must be at most size = 10, got 11"):
        measure_programs(10, 11)
