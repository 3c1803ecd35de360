"""One sale with a forecast: the sheet's values, the guarantees on random days, and the drawing."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.queueing.online_decisions.offer_day import offer_day
from perfmodel.labs.queueing.online_decisions.offers import (
    asking_price,
    drawn_forecasts,
    drawn_offers,
    search_guarantee,
    sold_for,
)

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


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: search_guarantee(1.1, 100), "caution must be between 0 and 1, got 1.1"),
        (lambda: search_guarantee(0.5, 0.9), "theta must be 1 or more, got 0.9"),
        (lambda: asking_price(0.5, 0.5, 1, 100), "forecast must be between 1 and 100, got 0.5"),
        (lambda: sold_for([np.nan, 1.0], 1.0), "offers must be finite"),
        (lambda: drawn_offers(3, 1, 1, 2, np.random.default_rng(0)), "offers must be a whole"),
        (
            lambda: drawn_forecasts([1.5], -1, 1, 2, np.random.default_rng(0)),
            "error must be 0 or more, got -1",
        ),
        (lambda: offer_day(0.5, 0), "forecast must be between 1 and 100, got 0"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
