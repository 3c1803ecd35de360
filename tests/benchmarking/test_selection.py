"""The winner's curse and regression to the mean, against simulation and SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_allclose
from scipy import stats

from perfmodel.benchmarking import expected_maximum, regressed, reliability, winners_curse


def test_expected_maximum_has_its_known_values() -> None:
    """1/sqrt(pi) for two, 3/(2 sqrt(pi)) for three; the 8th from tables of order statistics."""
    assert_allclose(
        [expected_maximum(n) for n in (1, 2, 3, 8)],
        [0, np.pi**-0.5, 1.5 * np.pi**-0.5, 1.42360],
        atol=1e-5,
    )


@pytest.mark.parametrize(("count", "spread", "noise"), [(8, 0.3, 0.4), (40, 1.0, 0.1), (3, 0, 2)])
def test_winner_is_that_of_simulated_contests(count: int, spread: float, noise: float) -> None:
    rng = np.random.default_rng(2)
    true = rng.normal(5, spread, (40_000, count))
    measured = true + rng.normal(0, noise, true.shape)
    row = np.arange(len(true)), measured.argmax(axis=1)
    winner = winners_curse(count, spread, noise, mean=5.0)
    error = 4 * max(measured[row].std(), true[row].std()) / np.sqrt(len(true)) + 1e-12
    assert_allclose(winner.measured, measured[row].mean(), atol=error)
    assert_allclose(winner.true, true[row].mean(), atol=error)


@given(st.integers(1, 50), st.floats(0, 3), st.floats(0, 3))
def test_curse_grows_with_candidates_and_is_never_a_gift(n: int, tau: float, s: float) -> None:
    one, more = winners_curse(n, tau, s), winners_curse(n + 1, tau, s)
    assert -1e-9 <= one.curse <= more.curse + 1e-9
    assert one.true <= more.true + 1e-9
    assert winners_curse(n, tau, 0.0).curse == pytest.approx(0, abs=1e-9)


def test_regressed_scores_foretell_the_second_measurement() -> None:
    rng = np.random.default_rng(5)
    true = rng.normal(0, 1.0, 20_000)
    first, second = true + rng.normal(0, 1.5, (2, true.size))
    fraction = reliability(first, second)
    assert_allclose(fraction, 1 / (1 + 1.5**2), atol=0.02)
    assert_allclose(fraction, stats.pearsonr(first, second).statistic)
    top = first > np.quantile(first, 0.9)
    assert_allclose(regressed(first, fraction)[top].mean(), second[top].mean(), atol=0.08)
    assert second[top].mean() < 0.5 * first[top].mean()


def test_regressed_keeps_mean_and_order() -> None:
    scores = np.array([3.0, 1.0, 8.0])
    assert_allclose(regressed(scores, 1.0), scores)
    assert_allclose(regressed(scores, 0.0), 4.0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: reliability([1, 2], [1, 2, 3]), "second must have as many values"),
        (lambda: reliability([1, 1], [1, 2]), "first and second must vary"),
    ],
)
def test_measurements_without_a_reliability_are_named(call: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()  # type: ignore[operator]
