"""Percentiles from tails: against closed forms, and what is refused."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.queueing.distributions.tails import checked_probability, invert_tail


@given(st.floats(1e-3, 0.9999), st.floats(1e-6, 1e6))
def test_inverts_an_exponential_tail(p, mean):
    time = invert_tail(lambda t: np.exp(-t / mean), p)
    assert time == pytest.approx(-np.log1p(-p) * mean, rel=1e-9, abs=1e-12)


def test_mass_at_zero_gives_zero():
    time = invert_tail(lambda t: 0.3 * np.exp(-t), [0.1, 0.7, 0.85])
    assert time == pytest.approx([0, 0, np.log(2)])


def test_many_at_once_keep_their_shape():
    share = np.array([[0.0, 0.5, 0.9], [0.99, 0.999, 0.9999]])
    assert invert_tail(lambda t: np.exp(-t), share) == pytest.approx(-np.log1p(-share))


@pytest.mark.parametrize("share", [1.0, [0.5, 1.0], -0.1, np.nan])
def test_refuses_what_is_no_share_below_one(share):
    with pytest.raises(ValueError, match="probability must be"):
        checked_probability(share)
