"""Each measure of error against its definition, by hand and by scikit-learn."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays
from sklearn import metrics as peer

from perfmodel.prediction.arena import metrics

positive = arrays(float, 12, elements=st.floats(0.01, 1e4), unique=True)


@given(positive, positive)
def test_against_scikit_learn(actual, predicted):
    assert metrics.mape(actual, predicted) == pytest.approx(
        peer.mean_absolute_percentage_error(actual, predicted)
    )
    assert metrics.r2(actual, predicted) == pytest.approx(peer.r2_score(actual, predicted))


@given(positive, positive, st.floats(0.01, 100))
def test_shares_do_not_know_the_unit(actual, predicted, scale):
    for measure in (metrics.mape, metrics.median_ape, metrics.log_error, metrics.spearman):
        before = measure(actual, predicted)
        assert measure(scale * actual, scale * predicted) == pytest.approx(before, abs=1e-9)


@given(positive, st.floats(1.1, 50))
def test_too_long_and_too_short_by_a_factor(actual, factor):
    assert metrics.mape(actual, factor * actual) == pytest.approx(factor - 1)
    assert metrics.mape(actual, actual / factor) == pytest.approx(1 - 1 / factor)
    both = [metrics.log_error(actual, actual * item) for item in (factor, 1 / factor)]
    assert both == pytest.approx([np.log(factor)] * 2)


def test_by_hand():
    assert metrics.median_ape([1, 1, 1], [1.1, 2, 0.5]) == pytest.approx(0.5)
    assert metrics.coverage([1, 2, 3, 4], [0, 2, 4, 0], [1, 2, 5, 3]) == 0.5
    assert metrics.coverage([0, -1], [-1, 0], [1, 1]) == 0.5
    assert metrics.spearman([1, 2, 3, 4, 5], [2, 1, 3, 5, 4]) == pytest.approx(0.8)


def test_what_has_no_answer_says_so():
    assert metrics.log_error([1, 2], [1, 0]) == np.inf
    assert metrics.spearman([1, 2, 3], [4, 4, 4]) == 0
    with pytest.raises(ValueError, match="two different values or more for R2"):
        metrics.r2([2, 2], [1, 2])
    # The mean of three times 0.1 isn't 0.1.
    with pytest.raises(ValueError, match="two different values or more for R2"):
        metrics.r2([0.1, 0.1, 0.1], [0.1, 0.2, 0.3])
    with pytest.raises(ValueError, match=r"got \(3,\) for \(2,\)"):
        metrics.mape([1, 1], [1, 1, 1])
    with pytest.raises(ValueError, match="low must be at most high"):
        metrics.coverage([1], [2], [1])


@pytest.mark.parametrize("unit", [1e-200, 1e-9, 1e9, 1e200])
def test_r2_does_not_know_the_unit(unit):
    actual, predicted = np.array([1.0, 2.0, 4.0]), np.array([1.0, 2.0, 3.0])
    assert metrics.r2(unit * actual, unit * predicted) == pytest.approx(11 / 14)


def test_interval_of_a_mean_covers_it():
    random = np.random.default_rng(3)
    inside = 0
    for _ in range(400):
        low, high = metrics.mean_interval(random.normal(7, 2, size=8))
        inside += low <= 7 <= high
    assert 0.92 <= inside / 400 <= 0.98
