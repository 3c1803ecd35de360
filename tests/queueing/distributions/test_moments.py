"""Moments beyond floating point are refused by name, and others are let through as they are."""

import pytest

from perfmodel.queueing import (
    BoundedPareto,
    Deterministic,
    Empirical,
    Erlang,
    Exponential,
    Hyperexponential,
    Lognormal,
    PhaseType,
    Trace,
    Uniform,
    mean_residual,
    scv,
)

LAWS = {
    "exponential": Exponential,
    "deterministic": Deterministic,
    "Erlang": lambda m: Erlang(m, 4),
    "uniform": lambda m: Uniform(m / 2, 3 * m / 2),
    "hyperexponential": lambda m: Hyperexponential.balanced(m, 4.0),
    "lognormal": lambda m: Lognormal(m, 2.0),
    "bounded Pareto": lambda m: BoundedPareto(1.5, m, 9 * m),
    "empirical": lambda m: Empirical((m, 3 * m)),
    "trace": lambda m: Trace((m, 3 * m)),
    "phase-type": lambda m: PhaseType.erlang(m, 3),
}


@pytest.fixture(params=LAWS)
def law(request):
    return LAWS[request.param]


@pytest.mark.parametrize("mean", [1e-300, 1e300])
def test_means_whose_square_no_float_holds(law, mean):
    with pytest.raises(ValueError, match="mean must be closer to 1 s for floating point"):
        law(mean).moment(2)
    assert law(mean).moment(1) == pytest.approx(mean * law(1.0).moment(1))


@pytest.mark.parametrize("mean", [1e-300, 1e300])
@pytest.mark.parametrize("call", [scv, mean_residual])
def test_what_needs_such_a_moment_is_refused_by_name(call, mean):
    for name in LAWS.keys() - {"trace"}:
        with pytest.raises(ValueError, match="mean must be closer to 1 s for floating point"):
            call(LAWS[name](mean))


def test_a_moment_with_fewer_digits_is_refused(law):
    with pytest.raises(ValueError, match="to hold the moment of order 2"):
        law(1e-158).moment(2)


def test_moments_scale_with_the_mean(law):
    for order in (1, 2, 3):
        assert law(3e50).moment(order) == pytest.approx(3e50**order * law(1.0).moment(order))


@pytest.mark.parametrize("width", [1e-3, 1e-9, 1e-15])
def test_a_narrow_range_keeps_its_digits(width):
    for order in (1, 2, 3):
        assert Uniform(1.0, 1.0 + width).moment(order) == pytest.approx(
            1.0 + order * width / 2, rel=width**2 + 1e-14
        )
