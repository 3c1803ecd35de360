"""None"""

from __future__ import annotations

import math
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.benchmarking import count_bytecodes, efficient_at_k, pass_at_k
from perfmodel.labs.benchmarking.coffe.iron_law import cost_each, cpu_time, two_programs
from perfmodel.labs.benchmarking.coffe.problems import counts_behind, problems, sizes_behind
from perfmodel.labs.benchmarking.coffe.programs import (
    insertion_sort,
    merge_sort,
    programs,
    squares_by_loop,
)
from perfmodel.labs.benchmarking.coffe.timings import (
    PRINTED,
    coefficient_of_variation,
    repeats_for_mean,
)

numbers = st.floats(1e-3, 1e9)


def test_sizes_of_the_suite():
    function, file = problems("function"), problems("file")
    assert function.stressful.size + file.stressful.size == 756
    assert np.isnan(file.correctness).all()
    with pytest.raises(ValueError, match="level must be function or file, got 'class'"):
        problems("class")


def test_fewer_instructions_and_slower():
    a, b = cpu_time([2e9, 1.2e9], [0.8, 2.1], 3e9)
    assert a == pytest.approx(8 / 15)
    assert b == pytest.approx(0.84)
    with pytest.raises(ValueError, match="cycles_per_instruction must be above 0"):
        cpu_time(1, 0, 1)


@given(numbers, numbers, numbers)
def test_cost_is_the_law_read_backwards(count, cycles, rate):
    assert cost_each(cpu_time(count, cycles, rate), count) == pytest.approx(cycles / rate)


@pytest.mark.parametrize("instructions", [2e8, 1.2e9, 2.4e9])
@pytest.mark.parametrize("cycles", [0.4, 0.8, 3.0])
def test_drawing(instructions, cycles):
    scene = two_programs(instructions, cycles)
    assert scene.values["B (s)"] == pytest.approx(instructions * cycles / 3e9)
    assert ("no slower" in scene.says) == (scene.values["B (s)"] <= scene.values["A (s)"])


def test_repeats_of_the_printed_spreads():
    assert [repeats_for_mean(spread, 0.01) for _, spread in PRINTED.values()] == [123, 109, 22, 24]
    assert {repeats_for_mean(spread, 0.01) for spread, _ in PRINTED.values()} == {1}
    assert repeats_for_mean(0, 0.01) == 1


@given(st.floats(1e-3, 0.5), st.floats(1e-3, 0.2), st.floats(0.5, 0.999))
def test_repeats_are_enough_and_no_more(spread, half_width, confidence):
    runs = repeats_for_mean(spread, half_width, confidence)
    z = math.sqrt(2) * _inverse_erf(confidence)
    assert z * spread / math.sqrt(runs) <= half_width * (1 + 1e-6)
    if runs > 1:
        assert z * spread / math.sqrt(runs - 1) > half_width * (1 - 1e-6)


def _inverse_erf(value):
    low, high = 0.0, 10.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if math.erf(middle) < value else (low, middle)
    return low


def test_repeats_hold_their_promise_when_simulated():
    runs = repeats_for_mean(0.0565, 0.01)
    means = np.random.default_rng(3).normal(1, 0.0565, (4000, runs)).mean(axis=1)
    assert np.mean(abs(means - 1) < 0.01) == pytest.approx(0.95, abs=0.012)


def test_spread():
    assert coefficient_of_variation([[1.0, 3.0], [2.0, 2.0]]) == pytest.approx(
        [math.sqrt(2) / 2, 0]
    )
    with pytest.raises(ValueError, match="two or more runs"):
        coefficient_of_variation([1.0])
    with pytest.raises(ValueError, match="confidence must be above 0 and below 1"):
        repeats_for_mean(0.1, 0.1, 1.0)


@given(st.integers(1, 500), st.data())
def test_a_share_that_occurs_is_found(size, data):
    count = data.draw(st.integers(0, size))
    assert count in counts_behind(round(100 * count / size, 2), size)


@given(st.floats(0, 100), st.integers(1, 60), st.integers(0, 2))
def test_counts_behind_by_enumeration(percent, size, decimals):
    half = 0.5 * 10.0**-decimals
    slack = 1e-7
    found = counts_behind(percent, size, decimals)
    for count in range(size + 1):
        off = abs(100 * count / size - percent)
        if off < half - slack:
            assert count in found
        if off > half + slack:
            assert count not in found


def test_the_best_efficient_at_1_is_no_share_of_398():
    assert counts_behind(79.90, 398) == [318]
    assert counts_behind(46.97, 398) == []
    assert sizes_behind(46.97, range(380, 399)) == [(396, 186)]


def test_programs_of_a_problem_agree():
    results = defaultdict(list)
    for program in programs():
        if program.problem in ("membership", "table"):
            results[program.problem].append(program.run())
    assert results["table"] == [1.6e7, 1.6e7]
    assert results["membership"] == [750, 750]


@given(st.lists(st.integers(-50, 50), max_size=20))
def test_both_sorts_sort(values):
    assert insertion_sort(values) == merge_sort(values) == sorted(values)


def test_counts_stay_blind_where_the_lab_says_so():
    counts = {(p.problem, p.name): count_bytecodes(p.run) for p in programs()}
    assert counts["membership", "list"] == counts["membership", "set"]
    assert counts["table", "by columns"] == pytest.approx(counts["table", "by rows"], rel=1e-3)
    assert counts["squares", "NumPy"] < 20
    assert count_bytecodes(squares_by_loop, 2000) > 1000 * counts["squares", "NumPy"] / 20


@given(st.lists(st.tuples(st.floats(1, 20), st.booleans()), min_size=2, max_size=8), st.data())
def test_efficient_at_k_never_above_pass_at_k(samples, data):
    costs, correct = (np.array(column) for column in zip(*samples, strict=True))
    k = data.draw(st.integers(1, len(samples)))
    efficient = efficient_at_k(costs, correct, 10.0, k)
    assert efficient <= pass_at_k(len(samples), int(correct.sum()), k) + 1e-12
