"""Optimal transport against POT and by hand, and mixtures of the digits."""

import numpy as np
import ot
import pytest
from hypothesis import given, settings, strategies as st
from scipy.optimize import linear_sum_assignment
from scipy.stats import wasserstein_distance
from sklearn.linear_model import LinearRegression

from perfmodel.labs.forecasting.projektor import mixtures, regressors
from perfmodel.labs.forecasting.projektor.mixtures import (
    EVALUATION,
    PILOTED,
    PILOTS,
    SOURCES,
    TARGET,
)
from perfmodel.labs.forecasting.projektor.optimal_transport import (
    labelled_cost,
    misplaced_mass,
    sinkhorn_plan,
    transport_cost,
)

SIZES = st.integers(2, 8)
SEEDS = st.integers(0, 10_000)


def cost_of(seed, n, m):
    rng = np.random.default_rng(seed)
    return labelled_cost(
        rng.random((n, 2)), rng.integers(0, 2, n), rng.random((m, 2)), rng.integers(0, 2, m), 0.5
    )


def masses_of(seed, n):
    return np.random.default_rng(seed).dirichlet(np.full(n, 5.0))


@given(SEEDS, SIZES, SIZES)
@settings(deadline=None)
def test_the_plan_is_that_of_pot(seed, n, m):
    cost, a, b = cost_of(seed, n, m), masses_of(seed, n), masses_of(seed + 1, m)
    theirs = ot.sinkhorn(a, b, cost, 0.3, numItermax=400, stopThr=0, warn=False)
    assert sinkhorn_plan(cost, 0.3, 800, a, b) == pytest.approx(theirs, abs=1e-9)


@given(SEEDS, SIZES, SIZES, st.integers(1, 20))
@settings(deadline=None)
def test_each_step_puts_its_own_side_right_and_the_other_no_worse(seed, n, m, steps):
    cost = cost_of(seed, n, m)
    a, b = masses_of(seed, n), masses_of(seed + 1, m)
    plan = sinkhorn_plan(cost, 0.2, steps, a, b)
    if steps % 2:
        assert plan.sum(axis=1) == pytest.approx(a)
    else:
        assert plan.sum(axis=0) == pytest.approx(b)
    after = sinkhorn_plan(cost, 0.2, steps + 1, a, b)
    assert misplaced_mass(after, a, b) <= misplaced_mass(plan, a, b) + 1e-12


@given(SEEDS, SIZES)
@settings(deadline=None)
def test_equal_masses_are_an_assignment(seed, n):
    cost = cost_of(seed, n, n)
    rows, columns = linear_sum_assignment(cost)
    assert transport_cost(cost) == pytest.approx(cost[rows, columns].mean())


@given(SEEDS, SIZES, SIZES)
@settings(deadline=None)
def test_on_a_line_it_is_the_area_between_the_distributions(seed, n, m):
    x, y = np.random.default_rng(seed).random(n), np.random.default_rng(seed + 1).random(m)
    a, b = masses_of(seed, n), masses_of(seed + 1, m)
    cost = np.abs(x[:, None] - y)
    assert transport_cost(cost, a, b) == pytest.approx(wasserstein_distance(x, y, a, b))


@given(SEEDS, SIZES, SIZES)
@settings(deadline=None)
def test_smoothing_costs_more_and_the_cost_falls_with_it(seed, n, m):
    cost = cost_of(seed, n, m)
    paid = [float((sinkhorn_plan(cost, s, 4_000) * cost).sum()) for s in (0.5, 0.1)]
    assert paid[0] >= paid[1] - 1e-9
    assert paid[1] >= transport_cost(cost) - 1e-6


def test_little_smoothing_costs_little_more():
    """At most the smoothing times log n, by which the entropies of two plans can differ."""
    cost, least = cost_of(3, 6, 6), transport_cost(cost_of(3, 6, 6))
    for smoothing in (0.2, 0.1, 0.05):
        plan = sinkhorn_plan(cost, smoothing, 4_000)
        assert misplaced_mass(plan) < 1e-6
        assert least - 1e-6 <= float((plan * cost).sum()) <= least + smoothing * np.log(6)


def test_by_hand():
    kernel = np.exp([[-1.0, -2], [-3, -1]])
    rows = kernel / kernel.sum(axis=1, keepdims=True) / 2
    assert sinkhorn_plan([[1, 2], [3, 1]], 1.0, 0) == pytest.approx(kernel)
    assert sinkhorn_plan([[1, 2], [3, 1]], 1.0, 1) == pytest.approx(rows)
    assert misplaced_mass(rows) == pytest.approx(np.abs(rows.sum(axis=0) - 0.5).sum() / 2)


def test_cost_of_labelled_examples():
    here, there = np.array([[0.0, 0], [3, 4]]), np.array([[0.0, 0], [0, 1], [3, 0]])
    result = labelled_cost(here, [1, 2], there, [1, 2, 1], 5)
    assert result == pytest.approx(np.array([[0, 6, 9], [30, 18, 21]]))
    assert (np.diag(labelled_cost(here, [1, 2], here, [1, 2], 5)) == 0).all()


def test_the_same_sample_is_at_no_distance():
    rng = np.random.default_rng(0)
    points, labels = rng.random((20, 3)), rng.integers(0, 3, 20)
    order = rng.permutation(20)
    cost = labelled_cost(points, labels, points[order], labels[order], 2.0)
    assert transport_cost(cost) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("unit", [1e-15, 1e-9, 1e9, 1e15])
def test_the_least_cost_does_not_know_the_unit(unit):
    cost = np.random.default_rng(1).random((50, 60))
    assert transport_cost(unit * cost) / unit == pytest.approx(transport_cost(cost))
    assert transport_cost(np.zeros((2, 3))) == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sinkhorn_plan([1.0, 2], 1, 1), r"cost must have shape \(n, m\)"),
        (lambda: sinkhorn_plan([[900.0, 1000]], 1, 1), "smoothing must be larger for costs up to"),
        (lambda: sinkhorn_plan([[740.0, 741]], 1, 1), "smoothing must be larger for costs up to"),
        (lambda: sinkhorn_plan([[1.0, 1], [900, 1000]], 1, 0), "smoothing must be larger"),
        (lambda: sinkhorn_plan([[1.0, 900], [1, 1000]], 1, 0), "smoothing must be larger"),
        (lambda: sinkhorn_plan([[1.0, 2]], 1, 1, [1.0], [0.2, 0.3]), "target must add up to 1"),
        (lambda: transport_cost([[1.0, 2]], [0.5, 0.5]), "source must have 1 masses, got 2"),
        (lambda: labelled_cost([[1.0]], [1], [[1.0, 2]], [1], 1), "to_features must have 1 col"),
        (lambda: labelled_cost([[1.0]], [1, 2], [[1.0]], [1], 1), r"labels must have shape \(1,\)"),
        (lambda: labelled_cost([1.0], [1], [[1.0]], [1], 1), "features must have shape"),
    ],
)
def test_masses_and_smoothing_that_do_not_fit_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.fixture(scope="module")
def runs():
    return mixtures.measure(seed=3, parts=4, draws=1)


def made(accuracy):
    """Return runs of a whole grid whose accuracy is a function of shares and distance."""
    fractions = mixtures.mixture_grid(10)
    distance = 4 + ((fractions - 1 / 3) ** 2).sum(axis=1)
    result = accuracy(fractions, distance)[:, None]
    return mixtures.MixtureRuns(fractions, {60: result, 300: result}, {60: distance[:, None]})


@given(st.integers(1, 20))
def test_a_grid_has_every_mixture_once(parts):
    fractions = mixtures.mixture_grid(parts)
    assert (
        len(np.unique(fractions.round(9), axis=0))
        == len(fractions)
        == (parts + 1) * (parts + 2) // 2
    )
    assert fractions.sum(axis=1) == pytest.approx(np.ones(len(fractions)))
    assert (fractions >= 0).all()


@given(st.integers(1, 12), st.integers(0, 90), st.integers(20, 400))
def test_counts_make_up_the_size(parts, place, size):
    fractions = mixtures.mixture_grid(parts)
    mixture = fractions[place % len(fractions)]
    counts = mixtures.counted(mixture, size)
    assert counts.sum() == size
    assert (counts >= 0).all()
    assert np.abs(counts - mixture * size).max() <= 2
    assert (counts[mixture == 0] == 0).all()


def test_nobody_learns_from_what_judges():
    data = mixtures.shuffled_digits(1)
    drawn = data.drawn(np.array([50, 60, 70]), np.random.default_rng(0))
    assert drawn.min() >= EVALUATION
    for part, held in zip(np.split(drawn, [50, 110]), SOURCES, strict=True):
        assert set(data.digits[part]) == set(held)


def test_a_source_alone_gets_its_own_digits_at_best(runs):
    alone = runs.fractions.max(axis=1) == 1
    for size in (*PILOTS, TARGET):
        assert runs.accuracy[size][alone].max() < 0.5
    assert runs.accuracy[TARGET][~alone].mean() > runs.accuracy[60][~alone].mean()


def test_distance_says_accuracy(runs):
    pairs = [(runs.distance[size].ravel(), runs.accuracy[size].ravel()) for size in PILOTS]
    for distance, accuracy in pairs:
        assert np.corrcoef(distance, accuracy)[0, 1] < -0.8


def test_the_validation_sample_is_nearest_to_itself():
    data = mixtures.shuffled_digits(0)
    assert data.distance(np.arange(200)) == pytest.approx(0, abs=1e-9)
    assert data.distance(np.arange(200, 400)) > 2


def test_runs_repeat_with_their_seed(runs):
    again = mixtures.measure(seed=3, parts=4, draws=1)
    other = mixtures.measure(seed=4, parts=4, draws=1, sizes=[60])
    assert (runs.accuracy[60] == again.accuracy[60]).all()
    assert (runs.distance[60] != other.distance[60]).any()
    assert list(other.accuracy) == [60]


def test_pilots_are_those_with_little_of_the_second_source(runs):
    assert (runs.fractions[runs.piloted, 1] < PILOTED).all()
    assert (runs.fractions[~runs.piloted, 1] >= PILOTED).all()


@pytest.mark.parametrize(
    ("name", "accuracy"),
    [
        ("linear in shares", lambda p, d: 0.2 + 0.3 * p[:, 0] - 0.1 * p[:, 1]),
        ("quadratic in shares", lambda p, d: 0.2 + p[:, 0] * p[:, 1] - p[:, 1] ** 2),
        ("distance alone", lambda p, d: 1 - 0.1 * d),
        (
            "distance and shares",
            lambda p, d: (0.1 - 0.2 * p[:, 0] + 0.3 * p[:, 1] ** 2) * d + 0.4 * p[:, 1],
        ),
    ],
)
def test_a_regression_finds_its_own_law_beyond_the_pilots(name, accuracy):
    assert regressors.error_beyond(made(accuracy), 60, name) == pytest.approx(0, abs=1e-9)


def test_a_regression_misses_a_law_that_it_does_not_hold():
    law = made(lambda p, d: 0.3 + p[:, 0] * p[:, 1])
    assert regressors.error_beyond(law, 60, "linear in shares") > 0.02


@given(st.integers(0, 500))
@settings(max_examples=20, deadline=None)
def test_more_columns_are_never_worse_on_the_pilots(seed):
    noise = np.random.default_rng(seed).normal(0, 0.05, 66)
    law = made(lambda p, d: 0.5 - 0.1 * d + noise)
    known, actual = law.piloted, law.accuracy[60][:, 0]
    squares = []
    for name in ("distance alone", "distance and shares"):
        off = regressors.forecasts(law, 60, name) - actual
        squares.append((off[known] ** 2).sum())
    assert squares[1] <= squares[0] + 1e-12


def test_errors_are_on_pilots_on_pilots_left_out_and_beyond(runs):
    result = regressors.errors(runs, 90, "distance alone")
    known, far = runs.piloted, runs.distance[90]
    actual = runs.accuracy[90][:, 0]
    line = LinearRegression().fit(far[known], actual[known])
    off = np.abs(line.predict(far) - actual)
    assert result.fitted == pytest.approx(off[known].mean())
    assert result.beyond == pytest.approx(off[~known].mean())
    assert result.beyond == pytest.approx(regressors.error_beyond(runs, 90, "distance alone"))
    assert result.leave_one_out > result.fitted


def test_what_is_forecast_is_not_learned_from(runs):
    changed = {size: table.copy() for size, table in runs.accuracy.items()}
    changed[90][~runs.piloted] = 0.0
    other = mixtures.MixtureRuns(runs.fractions, changed, runs.distance)
    for name in regressors.REGRESSIONS:
        pair = [regressors.forecasts(item, 90, name) for item in (runs, other)]
        assert (pair[0] == pair[1]).all()


def test_each_regression_has_its_coefficients_named():
    fractions, distance = mixtures.mixture_grid(10), np.linspace(4, 8, 66)
    for name in list(regressors.REGRESSIONS)[:5]:
        chosen = regressors.REGRESSIONS[name]
        columns = chosen.columns(fractions, distance)
        assert str(columns.shape[1] + 1) == chosen.coefficients.split(",")[0]
