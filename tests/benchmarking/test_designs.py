"""Factorial designs and quadratic surfaces: textbook examples and planted coefficients."""

from itertools import combinations
from math import inf, isnan

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, strategies as st
from scipy.optimize import minimize

from perfmodel.benchmarking import (
    central_composite,
    factorial_effects,
    fit_quadratic,
    fractional_factorial,
    full_factorial,
)

SEVEN = ["D=AB", "E=AC", "F=BC", "G=ABC"]
finite_effects = st.floats(-5, 5).map(lambda value: round(value, 3))


def words_of(factors):
    return ["".join(some) for n in range(1, len(factors) + 1) for some in combinations(factors, n)]


@given(planted=st.lists(finite_effects, min_size=16, max_size=16).filter(lambda q: any(q[1:])))
def test_the_effects_of_a_planted_function_of_four_factors_are_recovered(planted):
    design = full_factorial(4)
    a, b, c, d = design.runs.T
    columns = [1 + 0 * a, a, b, c, d, a * b, a * c, a * d, b * c, b * d, c * d]
    columns += [a * b * c, a * b * d, a * c * d, b * c * d, a * b * c * d]
    response = sum(q * column for q, column in zip(planted, columns, strict=True))
    if np.ptp(response) == 0:
        return
    result = factorial_effects(design, response)
    assert list(result.coefficients) == ["I", *sorted(words_of("ABCD"), key=lambda w: (len(w), w))]
    assert list(result.coefficients.values()) == pytest.approx(planted, abs=1e-9)
    assert sum(result.variation_explained.values()) == pytest.approx(1)


def test_jains_example_of_memory_and_cache():
    # Jain (1991), section 17.2: MIPS of a workstation with two sizes of memory and of cache.
    result = factorial_effects(full_factorial(2), [15, 45, 25, 75])
    assert result.coefficients == {"I": 40.0, "A": 20.0, "B": 10.0, "AB": 5.0}
    assert [round(100 * fraction) for fraction in result.variation_explained.values()] == [
        76,
        19,
        5,
    ]
    assert result.variation_unexplained == 0
    assert isnan(result.half_width)


def test_repeated_runs_agree_with_least_squares():
    rng = np.random.default_rng(3)
    design = full_factorial(3)
    responses = design.runs @ [1.0, -0.5, 0.2] + rng.normal(0, 0.3, (4, 8))
    result = factorial_effects(design, responses.T)
    matrix = np.column_stack([design.column(name) for name in result.coefficients])
    fit = sm.OLS(responses.T.ravel(), np.repeat(matrix, 4, axis=0)).fit()
    assert list(result.coefficients.values()) == pytest.approx(fit.params)
    low, high = fit.conf_int().T
    assert [result.interval(name) for name in result.coefficients] == [
        pytest.approx(ends) for ends in zip(low, high, strict=True)
    ]
    assert result.variation_unexplained == pytest.approx(fit.ssr / fit.centered_tss)
    assert sum(result.variation_explained.values()) + result.variation_unexplained == pytest.approx(
        1
    )


def test_intervals_cover_a_planted_effect_as_often_as_they_say():
    rng, design = np.random.default_rng(0), full_factorial(2)
    truth, held = 0.7, 0
    for _ in range(600):
        noisy = truth * design.runs[:, [0]] + rng.normal(0, 1, (4, 3))
        low, high = factorial_effects(design, noisy, 0.9).interval("A")
        held += low <= truth <= high
    assert held / 600 == pytest.approx(0.9, abs=0.04)


@pytest.mark.parametrize(
    ("factors", "generators", "resolution"),
    [(3, ["C=AB"], 3), (4, ["D=-ABC"], 4), (5, ["E=ABCD"], 5), (7, SEVEN, 3), (4, ["D=AB"], 3)],
)
def test_aliases_are_the_columns_that_are_equal_or_opposite(factors, generators, resolution):
    design = fractional_factorial(factors, generators)
    assert design.resolution == resolution
    names = words_of(design.factors)
    for name in names:
        column = design.column(name)
        same = {other for other in names if (design.column(other) == column).all()} - {name}
        opposite = {"-" + other for other in names if (design.column(other) == -column).all()}
        mean = {"I"} if (column == 1).all() else {"-I"} if (column == -1).all() else set()
        assert set(design.aliases(name)) == same | opposite | mean


@pytest.mark.parametrize("design", [full_factorial(3), fractional_factorial(7, SEVEN)])
def test_what_can_be_told_apart_is_orthogonal_and_one_for_each_run(design):
    matrix = np.column_stack([design.column(name) for name in design.effects])
    assert np.array_equal(matrix.T @ matrix, len(design.runs) * np.eye(len(design.runs)))


def test_a_fraction_finds_the_sum_of_aliases():
    full, half = full_factorial(4), fractional_factorial(4, ["D=ABC"])
    keep = full.column("ABCD") == 1
    response = np.exp(0.3 * full.runs[:, 0] - 0.2 * full.runs[:, 3] * full.runs[:, 1])
    all_effects = factorial_effects(full, response).coefficients
    rows = [int(np.flatnonzero((full.runs[keep] == run).all(axis=1))[0]) for run in half.runs]
    result = factorial_effects(half, response[keep][rows]).coefficients
    for name, value in result.items():
        assert value == pytest.approx(
            all_effects[name] + sum(all_effects[alias] for alias in half.aliases(name))
        )


def test_a_full_design_confounds_nothing():
    assert full_factorial(3).resolution == inf
    assert full_factorial(3).aliases("AB") == ()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fractional_factorial(4, ["D=ABE"]), "generators must set D to a product of ABC"),
        (lambda: fractional_factorial(4, ["C=AB"]), "generators must set D"),
        (lambda: fractional_factorial(4, ["ABC"]), "got 'ABC'"),
        (lambda: full_factorial(2).aliases("AC"), "effect must have letters of AB, got 'C'"),
        (lambda: factorial_effects(full_factorial(2), [1, 2, 3]), "responses must have 4 rows"),
        (lambda: factorial_effects(full_factorial(2), [2, 2, 2, 2]), "not be all the same, got 2"),
    ],
)
def test_generators_and_responses_that_do_not_fit_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


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
    assert fit.leave_one_out_errors == pytest.approx(influence.resid_press)
    assert fit.residuals == pytest.approx(influence.results.resid)


def test_a_saturated_fit_cannot_do_without_any_run():
    fit = fit_quadratic([[-1.0], [0], [1]], [1.0, 5, 2])
    assert np.isinf(fit.leave_one_out_errors).all()
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
