"""Percentiles by each tool's rule, and requests of closed and open loops."""

import math
import re
from bisect import bisect_right
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.measurement.load_generators.percentiles import (
    PERCENTILE_RULES,
    convert_percentile,
    percentile,
    percentile_rule,
)
from perfmodel.measurement.load_generators.requests import HttpRequests, closed_loop, open_loop

SAMPLES = st.lists(st.integers(1, 10_000), min_size=1, max_size=80)
PICKING = [name for name, rule in PERCENTILE_RULES.items() if rule.rank]


@pytest.mark.parametrize(
    ("rule", "count", "percent", "rank"),
    [
        ("ab", 20, 95, 20),
        ("ab", 60, 50, 31),
        ("loadtest", 20, 95, 20),
        ("hey", 60, 95, 58),
        ("autocannon", 60, 99, 60),
        ("hdrhistogram-python", 60, 99, 59),
        ("hdrhistogram-js", 60, 99, 60),
        ("ddsketch", 10, 99, 9),
        ("ddsketch", 10, 90, 9),
        ("influxql", 4, 12.5, 1),
        ("influxql", 4, 50, 2),
        ("ab-file", 20, 97, 20),
    ],
)
def test_the_rank_that_was_seen(rule, count, percent, rank):
    assert percentile(range(1, count + 1), percent, rule) == rank


@pytest.mark.parametrize(
    ("rule", "count", "percent", "asked"),
    [("ab-file", 20, 98, 21), ("hey", 99, 99, 100), ("hey", 60, 99, 61), ("influxql", 4, 10, 0)],
)
def test_a_row_of_no_request_is_refused(rule, count, percent, asked):
    with pytest.raises(ValueError, match=f"asks for the value {asked}"):
        percentile(range(count), percent, rule)


@given(values=SAMPLES, percent=st.integers(0, 99))
def test_more_than_the_percentage_do_not_exceed_abs_row(values, percent):
    """ab's rank, found by counting instead of by a formula."""
    ordered = sorted(values)
    first = next(v for v in ordered if 100 * bisect_right(ordered, v) > percent * len(values))
    assert percentile(values, percent, "ab") == first


@given(values=SAMPLES, percent=st.integers(1, 100))
def test_type_1_is_numpys_inverted_cdf(values, percent):
    ordered, exact = sorted(values), Fraction(percent * len(values), 100)
    assert percentile(values, percent, "R-1") == ordered[max(math.ceil(exact), 1) - 1]
    if exact.denominator > 1:
        expected = np.quantile(values, percent / 100, method="inverted_cdf")
        assert percentile(values, percent, "R-1") == expected


@given(values=SAMPLES, percent=st.integers(0, 100), kind=st.integers(2, 9))
def test_types_that_interpolate_are_numpys(values, percent, kind):
    rule = percentile_rule(f"R-{kind}")
    steps = Fraction(percent * len(values), 50)
    if kind > 3 or steps.denominator > 1:
        method = rule.words.rpartition("NumPy's ")[2]
        expected = np.quantile(values, percent / 100, method=method)
        assert percentile(values, percent, rule.name) == pytest.approx(expected)


@pytest.mark.parametrize("percent", range(1, 100))
def test_every_whole_share_is_a_tie_of_type_2(percent):
    """NumPy takes 7 % of 100 for a little more than 7, because 0.07 times 100 is."""
    assert percentile(range(1, 101), percent, "R-2") == percent + 0.5


@given(values=SAMPLES, percent=st.integers(1, 99), rule=st.sampled_from(PICKING))
def test_a_rule_that_picks_gives_a_value_of_the_sample(values, percent, rule):
    if 1 <= PERCENTILE_RULES[rule].rank(percent, len(values)) <= len(values):
        assert percentile(values, percent, rule) in values
    else:
        with pytest.raises(ValueError, match="percent must point at"):
            percentile(values, percent, rule)


@pytest.mark.parametrize("name", [f"R-{kind}" for kind in range(1, 10)])
def test_nine_types_of_r(name):
    """The lower quartile of 1, 2, 3, 4 by `quantile(1:4, 0.25, type = ...)` in R 4.2."""
    expected = [1, 1.5, 1, 1, 1.5, 1.25, 1.75, 1.41666667, 1.4375]
    kind = percentile_rule(name).r_type
    assert percentile([1, 2, 3, 4], 25, name) == pytest.approx(expected[kind - 1])


class TestConversion:
    def test_exact_where_a_row_has_the_rank(self):
        rows = {50: 21.0, 90: 180.0, 95: 201.0, 100: 201.0}
        assert convert_percentile(rows, 20, "ab", 95, "R-1") == (180.0, 180.0)

    @given(values=SAMPLES, percent=st.integers(0, 100), wanted=st.sampled_from(["R-1", "R-7"]))
    def test_the_truth_lies_between_the_bounds(self, values, percent, wanted):
        rows = {p: percentile(values, p, "ab") for p in (0, 50, 90, 95, 100)}
        low, high = convert_percentile(rows, len(values), "ab", percent, wanted)
        assert low - 1e-9 <= percentile(values, percent, wanted) <= high + 1e-9

    def test_refuses_what_no_row_bounds(self):
        with pytest.raises(ValueError, match=r"must bound 99 % by R-7 .* got none above"):
            convert_percentile({50: 1.0, 90: 2.0}, 200, "ab", 99)

    def test_refuses_a_rule_that_interpolates(self):
        with pytest.raises(ValueError, match="rule must pick a rank, got 'numpy'"):
            convert_percentile({50: 1.0}, 20, "numpy", 50)


@pytest.mark.parametrize("name", PERCENTILE_RULES)
def test_a_rule_that_names_a_type_of_r_is_that_type(name):
    rule = PERCENTILE_RULES[name]
    named = re.match(r"R's type (\d)", rule.words)
    if named:
        assert rule.r_type == int(named[1])
    if rule.r_type:
        for percent in (12.5, 50, 70, 99):
            own = percentile([1, 2, 4, 8, 16, 32, 64], percent, name)
            assert own == percentile([1, 2, 4, 8, 16, 32, 64], percent, f"R-{rule.r_type}")


TIMES = st.lists(st.floats(1e-4, 2), min_size=1, max_size=40)


def test_two_clients_by_hand():
    sent = closed_loop([0.3, 0.1, 0.1, 0.2], clients=2)
    np.testing.assert_allclose(sent.starts, [0, 0.1, 0, 0.2])
    assert sent.elapsed == pytest.approx(0.4)


@given(times=TIMES, clients=st.integers(1, 5))
def test_a_closed_loop_keeps_its_clients_busy(times, clients):
    sent = closed_loop(times, clients)
    under_way = [
        np.sum((sent.starts <= at) & (at < sent.ends)) for at in sent.starts + 1e-9 * sent.times
    ]
    assert max(under_way) <= clients
    assert sent.times.sum() <= clients * sent.elapsed * (1 + 1e-9)
    assert sorted(sent.times) == sorted(times)


@given(times=TIMES, rate=st.floats(0.1, 1000))
def test_an_open_loop_sends_by_the_clock(times, rate):
    sent = open_loop(times, rate)
    np.testing.assert_allclose(np.sort(sent.starts), np.arange(len(times)) / rate)


def test_statuses_stay_with_their_times():
    sent = closed_loop([0.3, 0.1], 2, status=[503, 200], body=[2, 3])
    assert sent.status.tolist() == [200, 503]
    assert sent.body.tolist() == [3, 2]
    assert sent.failures(500) == 1


def test_a_warm_up_is_cut_off_by_the_start():
    sent = closed_loop([0.5] * 4)
    assert sent.since(1.0).count == 2
    with pytest.raises(ValueError, match=r"time must be at most 1.5, the last start, got 1.6"):
        sent.since(1.6)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"times": [1.0], "body": [1, 2]}, r"body must have one value or 1, got shape \(2,\)"),
        ({"times": [1.0], "connects": 2.0}, "connects must be at most times, got 2.0 of 1.0"),
    ],
)
def test_times_that_contradict_are_named(fields, message):
    with pytest.raises(ValueError, match=message):
        HttpRequests(**fields)
