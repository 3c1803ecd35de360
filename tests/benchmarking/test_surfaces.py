"""Quadratic surfaces: planted ones recovered, statsmodels' leave-one-out, a search for the foot."""

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, strategies as st
from scipy.optimize import minimize

from perfmodel.benchmarking import central_composite, fit_quadratic


@given(seed=st.integers(0, 10_000), factors=st.integers(2, 4))
def test_a_planted_quadratic_is_recovered(seed, factors):
    rng = np.random.default_rng(seed)
    square = rng.normal(size=(factors, factors))
    curvature, slope = square @ square.T + np.eye(factors), rng.normal(size=factors)
    points = central_composite(factors, arm=1.4)
    fit = fit_quadratic(
        points, 3 + points @ slope + np.einsum("ni,ij,nj->n", *[points, curvature, points])
    )
    assert fit.constant == pytest.approx(3)
    assert fit.slope == pytest.approx(slope)
    assert fit.curvature == pytest.approx(curvature)
    assert fit.kind == "minimum"
    foot = minimize(lambda x: fit.predict([x])[0], np.zeros(factors), tol=1e-10).x
    assert fit.stationary_point == pytest.approx(foot, abs=1e-4)


@pytest.mark.parametrize(
    ("response", "kind"),
    [
        (lambda a, b: a**2 + b**2 - a, "minimum"),
        (lambda a, b: -(a**2) - 2 * b**2, "maximum"),
        (lambda a, b: a**2 - b**2, "saddle"),
        (lambda a, b: a * b, "saddle"),
        (lambda a, b: (a - b) ** 2, "ridge"),
        (lambda a, b: a + 2 * b, "ridge"),
    ],
)
def test_the_kind_of_the_stationary_point(response, kind):
    points = central_composite(2)
    assert fit_quadratic(points, response(*points.T)).kind == kind


def test_runs_left_out_agree_with_statsmodels():
    rng = np.random.default_rng(1)
    points = central_composite(3, centres=3)
    response = rng.normal(size=len(points))
    rows, columns = np.triu_indices(3)
    terms = np.column_stack([np.ones(len(points)), points, points[:, rows] * points[:, columns]])
    influence = sm.OLS(response, terms).fit().get_influence()
    fit = fit_quadratic(points, response)
    assert fit.left_out == pytest.approx(influence.resid_press)
    assert fit.residuals == pytest.approx(influence.results.resid)


def test_a_saturated_fit_cannot_do_without_any_run():
    fit = fit_quadratic([[-1.0], [0], [1]], [1.0, 5, 2])
    assert np.isinf(fit.left_out).all()
    assert fit.predict([[-1], [0], [1]]) == pytest.approx([1, 5, 2])


def test_a_central_composite_design_has_its_parts():
    design = central_composite(3, arm=2, centres=2)
    assert design.shape == (8 + 6 + 2, 3)
    assert sorted(np.abs(design).sum(axis=1)) == [0, 0] + [2] * 6 + [3] * 8


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fit_quadratic([[1.0, 2]], [1.0]), "6 or more, got 1 for 1 points"),
        (lambda: fit_quadratic([1.0, 2], [1.0, 2]), "points must have rows of one or more factors"),
        (lambda: fit_quadratic([[-1.0], [1], [1], [-1]], [1, 2, 3, 4]), "tell all 3 coefficients"),
        (
            lambda: fit_quadratic([[-1.0], [0], [1]], [1, 2, 3]).predict([[1, 2]]),
            "rows of 1 factors",
        ),
    ],
)
def test_runs_that_determine_no_surface_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
