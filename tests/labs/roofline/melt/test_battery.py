"""Energy, size and accuracy of language models on phones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportions_ztest

from perfmodel.labs.roofline.melt import battery


@given(share=st.floats(0.05, 0.95), n=st.integers(2, 200))
def test_standard_error_is_that_of_a_sample_of_zeros_and_ones(share, n):
    right = round(share * n)
    answers = np.r_[np.ones(right), np.zeros(n - right)]
    expected = answers.std(ddof=1) / np.sqrt(n)
    assert float(battery.standard_error(right / n, n)) == pytest.approx(expected)


def test_z_agrees_with_statsmodels():
    z, _ = proportions_ztest([511, 499], [1172, 1172])
    assert battery.z_score(511 / 1172, 499 / 1172, 1172) == pytest.approx(z, rel=2e-3)


@given(st.integers(10, 100_000))
def test_smallest_difference_is_just_significant(n):
    gap = battery.smallest_difference(0.5, n)
    assert gap / (np.sqrt(2) * float(battery.standard_error(0.5, n))) == pytest.approx(1.959964)


def test_line_through_the_sizes_has_the_residuals_of_least_squares():
    bits, rest = battery.size_line("q4_0")
    parameters, sizes = np.array([(p, f["q4_0"]) for p, f in battery.SIZES.values()]).T
    residual = sizes - (bits / 8 * parameters + rest)
    assert abs(residual.sum()) < 1
    assert abs(residual @ (parameters / 1e9)) < 10
    assert 4 < bits < 5


def test_battery_by_hand():
    assert pytest.approx(1821e-3 * 3600 * 4.2) == battery.IPHONE_SE.energy
    assert float(battery.mean_power(2, 3)) == 6


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: battery.prompts_per_charge(battery.PIXEL_6A, 0, 10),
            "energy_per_token must be above 0",
        ),
        (lambda: battery.prompts_per_charge(battery.PIXEL_6A, 1, 0), "tokens must be above 0"),
        (lambda: battery.mean_power(1, -1), "rate must be above 0"),
        (lambda: battery.bits_per_weight(1, 0), "parameters must be above 0"),
        (lambda: battery.size_line("q9"), "one of q3_k, q4_0, q4_k, got 'q9'"),
        (lambda: battery.standard_error(1.2, 10), "share must be between 0 and 1, got 1.2"),
        (lambda: battery.standard_error(0.5, 1), "questions must be a whole number, 2 or more"),
        (lambda: battery.smallest_difference(0.5, 10, 2), "level must be between 0 and 1"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
