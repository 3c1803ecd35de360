"""Admission with a rising bar: its guarantee, the requests that reach it, and random ones."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.queueing.online_decisions.admission import (
    admission_bar,
    admission_guarantee,
    admit,
    admit_all,
    best_admission,
    rising_requests,
    worst_stop,
)


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
        (lambda: admission_bar(1.1, 1, 2), "taken must be between 0 and 1, got 1.1"),
        (lambda: admission_guarantee(2, 1), "high must be low = 2 or more, got 1"),
        (lambda: admission_guarantee(0, 1), "low must be above 0, got 0"),
        (lambda: admit([3.0], [0.1], 1, 2), "values must be between 1 and 2"),
        (lambda: admit([1.5], [0.0], 1, 2), "sizes must be above 0"),
        (lambda: admit([1.5, 1.5], [0.1], 1, 2), "sizes must be as many as values, 2, got 1"),
        (lambda: rising_requests(1, 2, 0.1, 1), "levels must be a whole number, 2 or more, got 1"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
