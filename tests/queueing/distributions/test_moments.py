"""Moments beyond floating point are refused by name, and others are let through as they are."""

import pytest

from perfmodel.queueing import Deterministic, Erlang, Exponential, Lognormal, mean_residual, scv

LAWS = [Exponential, Deterministic, lambda m: Erlang(m, 4), lambda m: Lognormal(m, 2.0)]


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("mean", [1e-300, 1e300])
def test_means_whose_square_no_float_holds(law, mean):
    for call in (scv, mean_residual, lambda one: one.moment(2)):
        with pytest.raises(ValueError, match="mean must be nearer to 1 s for floating point"):
            call(law(mean))
    assert law(mean).moment(1) == pytest.approx(mean)


@pytest.mark.parametrize("law", LAWS)
def test_moments_scale_with_the_mean(law):
    for order in (1, 2, 3):
        assert law(3e50).moment(order) == pytest.approx(3e50**order * law(1.0).moment(order))
