"""The stop rule by hand, against a plain loop, and what a search with it costs and loses."""

from math import erf, sqrt

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.forecasting import (
    chance_of_losing,
    prefix_regression,
    published_curves,
    stopped_search,
)


@given(st.floats(-3, 3), st.floats(-3, 3), st.floats(0.1, 5))
def test_the_chance_is_the_normal_distributions(best, forecast, spread):
    expected = (1 + erf((best - forecast) / spread / sqrt(2))) / 2
    assert chance_of_losing(best, forecast, spread) == pytest.approx(expected, abs=1e-12)


def by_hand(curves, first, certainty):
    """Epoch by epoch; return the epochs given to each run."""
    epochs = curves.shape[1]
    best = max(curve[-1] for curve in curves[:first])
    given_ = [epochs] * first
    for curve in curves[first:]:
        for seen in range(1, epochs):
            line = prefix_regression(curves[:first], seen)
            if chance_of_losing(best, line.forecast(curve[:seen]), line.spread) >= certainty:
                given_.append(seen)
                break
        else:
            given_.append(epochs)
            best = max(best, curve[-1])
    return given_


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 1000), st.sampled_from([0.6, 0.9, 0.99]))
def test_a_search_is_a_loop_over_runs_and_epochs(seed, certainty):
    rng = np.random.default_rng(seed)
    curves = np.cumsum(rng.normal(0.1, 0.05, (40, 5)), axis=1)
    result = stopped_search(curves, 12, certainty)
    assert result.stopped_after.tolist() == by_hand(curves, 12, certainty)


@pytest.mark.parametrize(
    ("certainty", "total", "best", "lost"),
    [(0.5, 2911, 0.8308, 5), (0.9, 3290, 0.8416, 0), (0.99, 4445, 0.8416, 0)],
)
def test_a_thousand_nets(certainty, total, best, lost):
    result = stopped_search(published_curves("metaqnn_cifar10").results, 100, certainty)
    assert (result.total, result.lost) == (total, lost)
    assert result.best == pytest.approx(best, abs=5e-5)
    assert result.speedup == pytest.approx(20_000 / total)


def test_more_certainty_never_stops_earlier():
    curves = published_curves("metaqnn_cifar10").results[:300]
    loose, strict = (stopped_search(curves, 60, c).total for c in (0.8, 0.99))
    assert loose < strict < curves.size


@pytest.mark.parametrize("unit", [1e-15, 1e-9, 1e9])
def test_a_search_does_not_know_the_unit_of_the_results(unit):
    curves = published_curves("metaqnn_cifar10").results[:300]
    result, expected = (stopped_search(table, 60, 0.95) for table in (unit * curves, curves))
    assert (result.stopped_after == expected.stopped_after).mean() > 0.99
    assert result.best / unit == pytest.approx(expected.best)
