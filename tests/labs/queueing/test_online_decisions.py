"""Orders, admission, offers and warm servers: the sheets' values, guarantees on any input."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.queueing.online_decisions import claims
from perfmodel.labs.queueing.online_decisions.admission import (
    admission_bar,
    admission_guarantee,
    admit,
    admit_all,
    best_admission,
    rising_requests,
    worst_stop,
)
from perfmodel.labs.queueing.online_decisions.newsvendor import (
    XIA_STALL,
    Newsvendor,
    best_order,
    day_profit,
    drawn_profits,
    expected_profit,
    profit_deviation,
)
from perfmodel.labs.queueing.online_decisions.offers import (
    asking_price,
    drawn_forecasts,
    drawn_offers,
    offer_day,
    search_guarantee,
    sold_for,
)
from perfmodel.labs.queueing.online_decisions.warm_server import (
    gap_cost,
    idle_limit,
    least_gap_cost,
    rental_guarantee,
)
from perfmodel.queueing.simulation.statistics import of_replications


def test_the_guarantee_of_the_talk():
    assert round(admission_guarantee(1, 100), 3) == 5.605
    assert admission_guarantee(7, 7) == 1


def test_the_bar_crosses_the_least_value_where_the_guarantee_says_and_ends_at_the_largest():
    assert float(admission_bar(1 / admission_guarantee(2, 50), 2, 50)) == pytest.approx(2)
    assert float(admission_bar(1.0, 2, 50)) == pytest.approx(50)


@pytest.mark.parametrize(("size", "below"), [(0.02, 0.2), (0.005, 0.05)])
def test_rising_requests_bring_the_bar_to_its_guarantee(size, below):
    values, sizes = rising_requests(1, 100, size, 150)
    ratio = worst_stop(values, sizes, admit(values, sizes, 1, 100))
    assert ratio == pytest.approx(admission_guarantee(1, 100), rel=below)
    assert worst_stop(values, sizes, admit_all(sizes)) == pytest.approx(100)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=300), st.floats(1.5, 200))
def test_small_requests_in_any_order_keep_to_the_guarantee(places, theta):
    size = 1 / 64
    values = theta ** np.array(places)
    sizes = np.full(values.size, size)
    admitted = admit(values, sizes, 1, theta)
    assert sizes[admitted].sum() <= 1 + 1e-9
    # The bar rises by (theta e)^size at each admission: once for a bar that was passed a moment
    # ago, and once for the last piece of the house, too small for another request.
    bound = admission_guarantee(1, theta) * (theta * math.e) ** (2 * size)
    assert worst_stop(values, sizes, admitted) <= bound * (1 + 1e-9)


def test_hindsight_takes_the_dearest_and_cuts_the_last():
    assert best_admission([5, 1, 3], [0.5, 1.0, 0.3]) == pytest.approx(2.5 + 0.9 + 0.2)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: admission_guarantee(2, 1), "high must be low = 2 or more, got 1"),
        (lambda: admit([1.5, 1.5], [0.1], 1, 2), "sizes must be as many as values, 2, got 1"),
    ],
)
def test_ranges_upside_down_and_requests_without_a_size_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_the_stall_of_the_talk():
    assert float(day_profit(XIA_STALL, 2000, XIA_STALL.demands.mean())) == pytest.approx(400)
    assert expected_profit(XIA_STALL, 2000) == pytest.approx(1874.875125 - 1600, abs=1e-6)
    assert best_order(XIA_STALL) == 1700
    assert round(expected_profit(XIA_STALL, 1700), 2) == 319.92


@given(st.floats(0.5, 10), st.floats(0.01, 0.99), st.integers(0, 50), st.integers(0, 60))
def test_no_order_earns_more_than_the_best(price, share, fewest, spread):
    stall = Newsvendor(price, share * price, fewest, fewest + spread)
    orders = range(stall.lowest_demand, stall.highest_demand + 1)
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


def test_a_stall_that_cannot_earn_is_refused():
    with pytest.raises(ValueError, match="price must be above cost = 1, got 1.0"):
        Newsvendor(1.0, 1.0, 0, 5)


SHARES = st.floats(0, 1)


@pytest.mark.parametrize(
    ("caution", "robustness", "consistency"),
    [(0.1, 27.44, 3.644), (0.5, 13.65, 7.325), (1.0, 10, 10), (0.0, 100, 1)],
)
def test_the_guarantees_of_the_talk(caution, robustness, consistency):
    eta, gamma = search_guarantee(caution, 100)
    assert (round(float(gamma), 2), round(float(eta), 3)) == (robustness, consistency)


@given(SHARES, st.floats(1, 1e4))
def test_the_guarantee_solves_its_equation_and_lies_on_the_frontier(caution, theta):
    eta, gamma = search_guarantee(caution, theta)
    assert eta * gamma == pytest.approx(theta)
    assert caution * gamma + 1 - caution == pytest.approx(eta)
    assert 1 <= eta * (1 + 1e-12) <= gamma * (1 + 1e-9)


@given(SHARES, st.lists(SHARES, min_size=1, max_size=12), SHARES)
def test_no_day_breaks_a_guarantee(caution, places, wrong):
    low, high = 2.0, 150.0
    offers = low * (high / low) ** np.array([*places, 0.0])
    best = offers.max()
    eta, gamma = search_guarantee(caution, high / low)
    right = sold_for(offers, asking_price(best, caution, low, high))
    assert best / right <= eta * (1 + 1e-9)
    forecast = low * (high / low) ** wrong
    assert best / sold_for(offers, asking_price(forecast, caution, low, high)) <= gamma * (1 + 1e-9)


@pytest.mark.parametrize("caution", [0.05, 0.3, 1.0])
def test_the_robustness_is_reached(caution):
    price = float(asking_price(1.0, caution, 1.0, 100.0))
    _, gamma = search_guarantee(caution, 100)
    assert 100 / float(sold_for([price, 100.0], price)) == pytest.approx(float(gamma))
    price = float(asking_price(100.0, caution, 1.0, 100.0))
    missed = [price * (1 - 1e-9), 1.0]
    assert missed[0] / float(sold_for(missed, price)) == pytest.approx(float(gamma))


@pytest.mark.parametrize("caution", [0.05, 0.3, 1.0])
def test_the_consistency_is_reached(caution):
    price = float(asking_price(100.0, caution, 1.0, 100.0))
    eta, _ = search_guarantee(caution, 100)
    assert 100 / float(sold_for([price, 100.0], price)) == pytest.approx(float(eta))


def test_drawn_days_keep_their_range_and_forecasts_their_error():
    offers = drawn_offers(4000, 24, 1, 100, np.random.default_rng(3))
    assert offers.min() == 1
    assert offers.max() <= 100
    assert (offers[:, -1] == 1).all()
    best = np.full(4000, 10.0)
    drawn = drawn_forecasts(best, 0.3, 1, 100, np.random.default_rng(4))
    assert np.log(drawn / 10).std() == pytest.approx(0.3, rel=0.05)
    wild = drawn_forecasts(best, 50.0, 1, 100, np.random.default_rng(5))
    assert (wild.min(), wild.max()) == (1, 100)


@pytest.mark.parametrize("caution", [0.0, 0.05, 0.1, 0.25, 0.5, 1.0])
@pytest.mark.parametrize("forecast", [1, 5, 10, 40, 100])
def test_every_day_can_be_read(caution, forecast):
    scene = offer_day(caution, forecast)
    assert scene.faults() == []
    assert scene.values["sold for"] <= scene.values["best offer"] == 40


COLD = 60.0
GAPS = st.floats(1e-3, 1e4)
CAUTION = st.floats(0.02, 1)


@given(GAPS, GAPS, CAUTION)
def test_no_gap_breaks_a_guarantee(gap, forecast, caution):
    eta, gamma = rental_guarantee(caution)
    least = least_gap_cost(gap, COLD) * (1 + 1e-9)
    assert gap_cost(gap, idle_limit(gap, caution, COLD), COLD) <= eta * least
    assert gap_cost(gap, idle_limit(forecast, caution, COLD), COLD) <= gamma * least


@pytest.mark.parametrize("caution", [0.1, 0.5, 1.0])
def test_the_guarantees_are_reached(caution):
    eta, gamma = rental_guarantee(caution)
    long = gap_cost(1e6, idle_limit(1e6, caution, COLD), COLD) / least_gap_cost(1e6, COLD)
    assert long == pytest.approx(float(eta))
    fooled = gap_cost(1e6, idle_limit(1.0, caution, COLD), COLD) / least_gap_cost(1e6, COLD)
    assert fooled == pytest.approx(float(gamma))


def test_full_caution_ignores_the_forecast_and_never_pays_twice_as_much_as_hindsight():
    assert idle_limit([1.0, 1e5], 1.0, COLD).tolist() == [60, 60]
    gaps = np.geomspace(0.1, 1e5, 500)
    ratio = gap_cost(gaps, COLD, COLD) / least_gap_cost(gaps, COLD)
    assert ratio.max() == pytest.approx(2)
