"""The newsvendor: the sheet's values, the best order, and how often an interval holds."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.queueing.online_decisions import claims
from perfmodel.labs.queueing.online_decisions.newsvendor import (
    XIA_STALL,
    Newsvendor,
    best_order,
    day_profit,
    drawn_profits,
    expected_profit,
    profit_deviation,
)
from perfmodel.queueing.simulation.statistics import of_replications


def test_the_stall_of_the_talk():
    assert float(day_profit(XIA_STALL, 2000, XIA_STALL.demands.mean())) == pytest.approx(400)
    assert expected_profit(XIA_STALL, 2000) == pytest.approx(1874.875125 - 1600, abs=1e-6)
    assert best_order(XIA_STALL) == 1700
    assert round(expected_profit(XIA_STALL, 1700), 2) == 319.92


@given(st.floats(0.5, 10), st.floats(0.01, 0.99), st.integers(0, 50), st.integers(0, 60))
def test_no_order_earns_more_than_the_best(price, share, fewest, spread):
    stall = Newsvendor(price, share * price, fewest, fewest + spread)
    orders = range(stall.fewest, stall.most + 1)
    most = max(expected_profit(stall, order) for order in orders)
    assert expected_profit(stall, best_order(stall)) == pytest.approx(most, rel=1e-9, abs=1e-9)


@given(st.integers(1500, 2500))
def test_mean_profit_is_below_the_profit_at_the_mean_demand(order):
    at_mean = float(day_profit(XIA_STALL, order, XIA_STALL.demands.mean()))
    assert expected_profit(XIA_STALL, order) <= at_mean + 1e-9


def test_an_interval_of_a_hundred_days_is_as_wide_as_printed_and_holds_as_often_as_it_says():
    profits = drawn_profits(XIA_STALL, 2000, 100, np.random.default_rng(8), repeats=1000)
    intervals = of_replications(profits)
    held = intervals.covers(expected_profit(XIA_STALL, 2000)).mean()
    # Four standard errors of a share of 0.95 among 1,000 repeats are 0.028.
    assert held == pytest.approx(0.95, abs=0.028)
    widths = intervals.high - intervals.low
    assert np.quantile(widths, 0.01) < 314 - 252 < np.quantile(widths, 0.99)


def test_the_error_of_a_deviation_is_that_of_repeated_experiments():
    profits = drawn_profits(XIA_STALL, 2000, 100, np.random.default_rng(9), repeats=4000)
    spread = profits.std(axis=0, ddof=1)
    assert spread.mean() == pytest.approx(profit_deviation(XIA_STALL, 2000), rel=0.01)
    error = claims.deviation_error(XIA_STALL, 2000, 100)
    assert spread.std() == pytest.approx(error, rel=0.05)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Newsvendor(1.0, 1.0, 0, 5), "price must be above cost = 1, got 1.0"),
        (lambda: Newsvendor(1.0, 0.0, 0, 5), "cost must be above 0, got 0"),
        (lambda: Newsvendor(2.0, 1.0, 6, 5), "most must be fewest = 6 or more, got 5"),
        (lambda: Newsvendor(2.0, 1.0, 1.5, 5), "fewest must be a whole number, 0 or more, got 1.5"),
        (lambda: day_profit(XIA_STALL, -1, 5), "order must be 0 or more, got -1"),
        (
            lambda: drawn_profits(XIA_STALL, 5, 0, np.random.default_rng(0)),
            "days must be a whole number, 1 or more, got 0",
        ),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
