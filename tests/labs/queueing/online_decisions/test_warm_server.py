"""Warm servers: the guarantees on any gap and forecast, and gaps that reach them."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.queueing.online_decisions.warm_server import (
    gap_cost,
    idle_limit,
    least_gap_cost,
    rental_guarantee,
)

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


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rental_guarantee(0), "caution must be above 0, got 0"),
        (lambda: idle_limit(1, 1.5, COLD), "caution must be between 0 and 1, got 1.5"),
        (lambda: idle_limit(-1, 0.5, COLD), "forecast must be 0 or more, got -1"),
        (lambda: gap_cost(1, 1, 0), "cold_start must be above 0, got 0"),
        (lambda: gap_cost(1, -1, 5), "limit must be 0 or more, got -1"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
