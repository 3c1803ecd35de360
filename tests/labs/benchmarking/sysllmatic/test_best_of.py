"""Gains of nothing: simulation against the winner's curse and against the closed form for two."""

import numpy as np
import pytest
from scipy.special import ndtr

from perfmodel.benchmarking import arithmetic_mean, geometric_mean
from perfmodel.labs.benchmarking.sysllmatic.best_of import (
    MOST,
    best_factors,
    best_of_dots,
    expected_gain,
)


@pytest.mark.parametrize("count", [1, 2, 5, MOST])
@pytest.mark.parametrize("noise", [0.05, 0.2])
def test_the_best_of_many_measurements_gains_what_the_theory_says(count, noise):
    best = best_factors(count, noise, 40_000)
    assert geometric_mean(best) == pytest.approx(expected_gain(count, noise), rel=5e-3)


def test_the_arithmetic_mean_of_the_better_of_two_by_its_closed_form():
    noise = 0.1
    exact = 2 * np.exp(noise**2 / 2) * ndtr(noise / np.sqrt(2))
    assert exact == pytest.approx(1.0617, abs=1e-4)
    assert arithmetic_mean(best_factors(2, noise, 100_000)) == pytest.approx(exact, rel=1e-3)


def test_more_measurements_only_raise_what_is_reported():
    best = np.array([best_factors(count, 0.1, 50) for count in range(1, MOST + 1)])
    assert (np.diff(best, axis=0) >= 0).all()


@pytest.mark.parametrize("count", range(1, MOST + 1))
@pytest.mark.parametrize("noise", [0.05, 0.1, 0.15])
def test_every_state_can_be_read(count, noise):
    scene = best_of_dots(count, noise)
    assert scene.faults() == []
    assert len(scene.says) <= 160
    assert scene.values["typical best"] == pytest.approx(
        geometric_mean(best_factors(count, noise, 5))
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: best_factors(0, 0.1, 5), "count must be a whole number, 1 or more, got 0"),
        (lambda: best_factors(9, 0.1, 5), "count must be 8 or less, got 9"),
        (lambda: best_factors(2, -0.1, 5), "noise must be 0 or more, got -0.1"),
        (lambda: best_factors(2, 0.1, 0), "programs must be a whole number, 1 or more, got 0"),
        (lambda: best_of_dots(2, 0), "noise must be above 0, got 0"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
