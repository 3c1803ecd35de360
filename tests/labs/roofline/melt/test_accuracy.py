"""How sure a share of right answers is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from statsmodels.stats.proportion import proportions_ztest

from perfmodel.labs.roofline.melt import accuracy


@given(share=st.floats(0.05, 0.95), n=st.integers(2, 200))
def test_standard_error_is_that_of_a_sample_of_zeros_and_ones(share, n):
    right = round(share * n)
    answers = np.r_[np.ones(right), np.zeros(n - right)]
    expected = answers.std(ddof=1) / np.sqrt(n)
    assert float(accuracy.standard_error(right / n, n)) == pytest.approx(expected)


def test_z_agrees_with_statsmodels():
    z, _ = proportions_ztest([511, 499], [1172, 1172])
    assert accuracy.z_score(511 / 1172, 499 / 1172, 1172) == pytest.approx(z, rel=2e-3)


@given(st.integers(10, 100_000))
def test_smallest_difference_is_just_significant(n):
    gap = accuracy.smallest_difference(0.5, n)
    assert gap / (np.sqrt(2) * float(accuracy.standard_error(0.5, n))) == pytest.approx(1.959964)


def test_differences_by_hand():
    """Llama 2 7B at 3 and 4 bits; two tasks."""
    assert float(accuracy.standard_error(0.4360, 1172)) == pytest.approx(0.01449, abs=5e-6)
    assert accuracy.z_score(0.4360, 0.4257, 1172) == pytest.approx(0.50, abs=0.005)
    assert accuracy.smallest_difference(0.4360, 1172) == pytest.approx(0.040, abs=5e-4)
    assert accuracy.smallest_difference(0.57, 10_042) == pytest.approx(0.014, abs=5e-4)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: accuracy.standard_error(1.2, 10), "share must be between 0 and 1, got 1.2"),
        (lambda: accuracy.standard_error(0.5, 1), "questions must be a whole number, 2 or more"),
        (lambda: accuracy.smallest_difference(0.5, 10, 2), "level must be between 0 and 1"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
