"""Optimal transport, mixtures of digits, the line through two pilots, and the lab's study."""

import re

import numpy as np
import ot
import pytest
from click.testing import CliRunner
from hypothesis import given, settings, strategies as st
from scipy.optimize import linear_sum_assignment
from scipy.stats import wasserstein_distance
from sklearn.linear_model import LinearRegression

from perfmodel.labs.forecasting.projektor import (
    mixtures,
    projections,
    record,
    regressors,
    sentences,
)
from perfmodel.labs.forecasting.projektor.mixtures import (
    EVALUATION,
    PILOTED,
    PILOTS,
    SOURCES,
    TARGET,
    MixtureRuns,
    counted,
    measure,
    mixture_grid,
    shuffled_digits,
)
from perfmodel.labs.forecasting.projektor.moved_mass import MIXTURE, VALIDATION, moved_mass
from perfmodel.labs.forecasting.projektor.optimal_transport import (
    labelled_cost,
    misplaced_mass,
    sinkhorn_plan,
    transport_cost,
)
from perfmodel.labs.forecasting.projektor.projections import (
    noise_amplification,
    projected,
    projection_weights,
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


STUDY_SIZES = st.floats(10, 1e6)
RATIOS = st.floats(1.05, 50)
RHO = st.floats(-1, 1)


def test_worked_by_hand():
    """log(10)/log(1.5) and log(10/1.5)/log(1.5), of pilots at 1,000 and 1,500."""
    weights = projection_weights(1_000, 1_500, 10_000)
    assert weights.large == pytest.approx(5.67887, abs=5e-6)
    assert weights.small == pytest.approx(-4.67887, abs=5e-6)
    assert projected(0.40, 0.45, 1_000, 1_500, 10_000) == pytest.approx(0.68394, abs=5e-6)
    assert noise_amplification(1_000, 1_500, 10_000) == pytest.approx(7.358, abs=5e-4)


@given(STUDY_SIZES, RATIOS, st.floats(0.1, 1000), st.floats(-5, 5), st.floats(-5, 5))
def test_a_line_in_the_logarithm_is_met(small, ratio, further, slope, level):
    large, target = small * ratio, small * further

    def line(size):
        return level + slope * np.log(size)

    result = projected(line(small), line(large), small, large, target)
    assert result == pytest.approx(line(target), rel=1e-6, abs=1e-6)


@given(STUDY_SIZES, RATIOS)
def test_at_a_pilot_only_that_pilot_counts(small, ratio):
    large = small * ratio
    assert projected(0.3, 0.7, small, large, small) == pytest.approx(0.3)
    assert projected(0.3, 0.7, small, large, large) == pytest.approx(0.7)
    assert noise_amplification(small, large, large) == pytest.approx(1)


@given(STUDY_SIZES, RATIOS, RATIOS, RHO)
def test_noise_by_units_and_what_is_shared(small, ratio, further, rho):
    large, target = small * ratio, small * ratio * further
    result = noise_amplification(small, large, target, rho)
    assert result == pytest.approx(
        noise_amplification(1000 * small, 1000 * large, 1000 * target, rho)
    )
    assert noise_amplification(small, large, target, 1) == pytest.approx(1, rel=1e-6)
    assert result <= noise_amplification(small, large, target, -1) + 1e-9
    assert noise_amplification(small, large, target) > 1


@given(STUDY_SIZES, RATIOS, RATIOS)
def test_pilots_further_apart_are_better(small, ratio, further):
    target = small * ratio * further
    wide = noise_amplification(small / 2, small * ratio, target)
    assert wide <= noise_amplification(small, small * ratio, target) + 1e-9


@pytest.mark.parametrize("rho", [0.0, 0.6, -0.4])
def test_noise_as_simulated(rho):
    rng = np.random.default_rng(1)
    errors = rng.multivariate_normal([0, 0], 0.01**2 * np.array([[1, rho], [rho, 1]]), 40_000)
    ends = projected(0.4 + errors[:, 0], 0.45 + errors[:, 1], 60, 90, 300)
    expected = 0.01 * noise_amplification(60, 90, 300, rho)
    assert ends.std() == pytest.approx(expected, rel=4 / np.sqrt(2 * 40_000))


def test_many_targets_at_once():
    weights = projection_weights(10, 20, [20, 40])
    assert weights.large == pytest.approx([1, 2])
    assert weights.small == pytest.approx([0, -1])


@pytest.fixture(scope="module")
def beyond():
    return {
        name: np.array(
            [
                regressors.error_beyond(runs, size, name)
                for runs in record.recorded()
                for size in PILOTS
            ]
        )
        for name in regressors.REGRESSIONS
    }


def studied(draws, pilots=PILOTS, form="accuracy"):
    outs = [projections.projection_errors(r, draws, pilots, form) for r in record.recorded()]
    return projections.Projected(*np.mean(outs, axis=0))


def made_study(curve, scatter=0.0, draws=8, seed=0):
    """Return runs of a grid whose accuracy is `curve` of the size, with noise for pilots only."""
    rng, fractions = np.random.default_rng(seed), mixture_grid(10)
    accuracy = {
        size: curve(size) + rng.normal(0, scatter if size != TARGET else 0, (66, draws))
        for size in (30, *PILOTS, TARGET)
    }
    far = np.linspace(4, 8, 66)[:, None]
    return MixtureRuns(fractions, accuracy, dict.fromkeys(PILOTS, far))


def test_the_kept_study_is_computed_again():
    """Of one shuffle some mixtures at the smallest size, which is drawn first."""
    data, rng, kept = shuffled_digits(2), np.random.default_rng([2, 1]), record.recorded()[2]
    size, grid = record.SMALLEST, mixture_grid(record.PARTS)
    chosen = [[data.drawn(counted(p, size), rng) for _ in range(record.DRAWS)] for p in grid]
    for k in (3, 30, 50):
        again = [data.accuracy(draw) for draw in chosen[k]]
        assert kept.accuracy[size][k] == pytest.approx(again, abs=0.006)
        far = np.mean([data.distance(draw) for draw in chosen[k]])
        assert kept.distance[size][k, 0] == pytest.approx(far, abs=1e-5)


def test_origin_says_how_long_and_by_what():
    about = record.origin()
    assert about["command"] == record.COMMAND
    assert 0 < about["seconds"] < 1000
    assert about["host"]["processor"]


def test_command_keeps_what_is_read_back(tmp_path, monkeypatch):
    small = measure(0, parts=record.PARTS, draws=1, sizes=[30])
    monkeypatch.setattr(record, "measure", lambda *_: small)
    out = tmp_path / "study.csv"
    done = CliRunner().invoke(record.main, ["--shuffles", "1", "--out", str(out)])
    assert done.exit_code == 0, done.output
    import pandas as pd

    read = record._runs_of(pd.read_csv(out))
    assert read.fractions == pytest.approx(small.fractions)
    assert read.accuracy[30] == pytest.approx(small.accuracy[30])
    assert read.distance[30] == pytest.approx(small.distance[30], abs=1e-5)


class TestWhatTheTextSaysOfTheStudy:
    def test_distance_alone_beats_it_with_shares_and_ridge_helps_a_little(self, beyond):
        assert (beyond["distance alone"] < beyond["distance and shares"]).all()
        medians = {name: np.median(off) for name, off in beyond.items()}
        assert medians["distance alone"] < medians["the same, ridge"]
        assert 0.5 < medians["the same, ridge"] / medians["distance and shares"] < 0.9

    def test_the_forest_does_as_well_as_the_line(self, beyond):
        line, forest = (np.median(beyond[n]) for n in ("distance alone", "forest on both"))
        assert forest == pytest.approx(line, rel=0.1)
        assert np.median(beyond["forest on shares"]) > 3 * forest

    def test_pilots_left_out_do_not_warn(self):
        for runs in record.recorded()[:2]:
            out = regressors.errors(runs, 90, "distance and shares")
            line = regressors.errors(runs, 90, "distance alone")
            assert out.leave_one_out < line.leave_one_out
            assert out.beyond > 5 * out.leave_one_out

    def test_noise_is_as_computed_and_the_bias_stays(self):
        by_draws = {draws: studied(draws) for draws in (1, 2, 4, 8)}
        for out in by_draws.values():
            assert out.scatter == pytest.approx(out.noise, rel=0.1)
            assert out.bias == pytest.approx(by_draws[1].bias)
        assert by_draws[1].error > by_draws[1].last_value

    def test_pilots_apart_have_less_noise_and_more_bias_and_the_form_matters_more(self):
        near, wide = studied(8), studied(8, (30, 90))
        assert wide.noise < 0.6 * near.noise
        assert wide.bias > near.bias
        assert wide.error == pytest.approx(near.error, rel=0.03)
        assert studied(1, (30, 90)).error < 0.7 * studied(1).error
        assert studied(8, form="log of the error").error < min(near.error, wide.error) / 2

    def test_the_dull_rule_takes_the_best_mixtures(self):
        left = [projections.regrets(runs) for runs in record.recorded()]
        means = {rule: np.mean([item[rule] for item in left]) for rule in left[0]}
        assert min(means, key=means.get) == "highest large pilot"
        assert max(means, key=means.get) == "highest projection of both pilots"
        assert means["nearest to equal shares"] < 0.006

    def test_gains_are_unlike_and_the_order_holds(self):
        assert re.search(r"keep their order.*gain between 0\.00 and 0\.24\.", sentences.says_order(
            record.recorded()))  # fmt: skip


def test_a_line_in_the_logarithm_is_met_without_noise():
    out = projections.projection_errors(made_study(lambda n: 0.1 * np.log(n)), 8)
    assert out.error == pytest.approx(0, abs=1e-12)
    assert out.noise == pytest.approx(0, abs=1e-12)
    assert out.last_value == pytest.approx(0.1 * np.log(300 / 90))


def test_a_power_law_of_the_error_is_met_by_its_logarithm():
    runs = made_study(lambda n: 1 - 3 / n**0.7)
    assert projections.projection_errors(runs, 8, form="log of the error").error < 1e-12
    assert projections.projection_errors(runs, 8).bias > 0.02


@pytest.mark.parametrize(("draws", "pilots"), [(1, (60, 90)), (4, (60, 90)), (2, (30, 90))])
def test_scatter_is_the_noise_of_pilots_alone(draws, pilots):
    runs = made_study(lambda n: 0.1 * np.log(n), scatter=0.02, draws=80)
    out = projections.projection_errors(runs, draws, pilots)
    expected = 0.02 / draws**0.5 * float(noise_amplification(*pilots, TARGET))
    assert out.noise == pytest.approx(expected, rel=0.05)
    assert out.scatter == pytest.approx(expected, rel=0.1)


def test_rules_take_what_they_have_pilots_of_and_pay_for_them():
    runs = made_study(lambda n: 0.1 * np.log(n))
    few = runs.fractions[:, 1] < 0.45
    for size in PILOTS:
        runs.accuracy[size][:] = np.where(few, 0.2, 0.5)[:, None] + runs.accuracy[size] / 100
    runs.distance[90][~few] = 1.0
    chosen = projections.chosen_mixtures(runs)
    assert few[[chosen[rule] for rule in projections.OF_ITS_OWN]].all()
    assert not few[chosen["least distance, no pilot"]]
    paid = projections.runs_paid(runs)
    assert list(paid) == list(chosen)
    assert list(paid.values()) == [45 * 8, 2 * 45 * 8, 0, 2 * 45 * 8, 0]


def test_regret_is_of_the_mixture_taken():
    runs = made_study(lambda n: 0.1 * np.log(n), scatter=0.01)
    runs.accuracy[TARGET][:] = np.linspace(0.5, 0.9, 66)[:, None]
    chosen, left = projections.chosen_mixtures(runs), projections.regrets(runs)
    assert list(chosen) == list(left)
    for rule, index in chosen.items():
        assert left[rule] == pytest.approx(0.4 * (65 - index) / 65)
    assert chosen["least distance, no pilot"] == 0


def test_sentences_follow_the_outcome():
    errors = {
        "distance alone": regressors.Errors(0.03, 0.03, 0.02),
        "distance and shares": regressors.Errors(0.01, 0.02, 0.3),
    }
    said = sentences.says_regressions(errors, 90)
    assert "**distance and shares** is best on its pilots, with an error of 0.010" in said
    assert said.endswith("Best beyond them is **distance alone**, with 0.020.")
    one = {"distance alone": errors["distance alone"]}
    assert sentences.says_regressions(one, 90).endswith("It is best there as well.")
    beyond = {"distance alone": np.array([1, 2, 9]), "distance and shares": np.array([3, 3, 3])}
    forests = {"forest on both": np.full(3, 9.0), "forest on shares": np.array([9.0, 20, 30])}
    said = sentences.says_shuffles(beyond | forests)
    assert "and shares, in 2. The forest has a median error of 9.000" in said
    assert said.endswith("20.000 without it, so the distance carries it beyond the pilots.")
    alike = {"forest on both": np.ones(3), "forest on shares": np.ones(3)}
    assert "the distance doesn't help it" in sentences.says_shuffles(beyond | alike)
    assert "of 3 studies, distance alone is best" in said
    noisy = projections.Projected(0.2, 0.0, 0.2, 0.1, 0.1, 0.0)
    good = noisy._replace(error=0.05)
    assert "explains 50 % of it" in sentences.says_projection({1: noisy, 4: good})
    assert "needs 4 draws of each pilot" in sentences.says_projection({1: noisy, 4: good})
    assert "with no tested number of draws" in sentences.says_projection({1: noisy})
    same = {1: noisy._replace(noise=0.19)}
    assert "nearly all of it" in sentences.says_projection(same)
    assert "not less than the 0.050 of 4 draws" in sentences.says_pilot_distance(
        {1: noisy, 4: good}, {1: good}, noisy
    )
    spread = sentences.says_pilot_distance({1: noisy, 4: noisy}, {1: good, 4: noisy}, good)
    assert "from 0.200 to 0.050 with 1 draw and from 0.200 to 0.200 with 4 draws" in spread
    assert "0.050. This is less than the 0.200 of 4 draws" in spread
    cheap = sentences.says_sinkhorn({1.0: 1.2, 0.1: 0.99}, {1.0: 0.0, 0.1: 0.013})
    assert "a smoothing of 0.1" in cheap
    assert "0.990 of the least cost, because 1.3 % of the mass" in cheap
    assert sentences.says_sinkhorn({1.0: 1.2}, {1.0: 0.1}).startswith("No plan is cheaper")
    choice = sentences.says_choice({"a": [0.0, 0.02], "b": [0.04]})
    assert "“a” loses least, 0.010, and “b” loses most, 0.040" in choice


def test_order_is_said_to_hold_where_it_does():
    kept = made_study(lambda n: 0.1 * np.log(n))
    kept.accuracy[90][:] = np.linspace(0.2, 0.6, 66)[:, None]
    kept.accuracy[TARGET][:] = np.linspace(0.3, 0.9, 66)[:, None] ** 2
    said = sentences.says_order([kept])
    assert said.startswith("**The mixtures keep their order**")
    assert said.endswith("gain between -0.11 and 0.21.")
    kept.accuracy[TARGET][:] = kept.accuracy[TARGET][::-1]
    said = sentences.says_order([kept])
    assert said.startswith("**The mixtures change their order** from ")
    assert ": the correlation of ranks is -1.00 to -1.00, depending" in said


def drawn(name, smoothing, steps):
    return dict(moved_mass(smoothing, steps).values)[name]


class TestTheDrawing:
    @pytest.mark.parametrize("smoothing", [0.05, 0.1, 0.5])
    def test_every_state_can_be_read(self, smoothing):
        scenes = [moved_mass(smoothing, steps) for steps in (1, 2, 3, 4, 6, 10, 20, 40)]
        assert not [fault for scene in scenes for fault in scene.faults()]
        assert len({scene.height for scene in scenes}) == 1
        assert drawn("misplaced mass", smoothing, 40) < drawn("misplaced mass", smoothing, 1)

    def test_what_the_text_says_of_it(self):
        """Two threes must become eights: 0.2 of the 0.203 that the cheapest plan costs."""
        threes = [sum(digit == "3" for _, digit in side) for side in (MIXTURE, VALIDATION)]
        assert threes == [4, 2]
        assert re.search(r"the cheapest plan 0\.203\.$", moved_mass(0.1, 1).says)
        assert drawn("cost", 0.1, 1) < 0.203 < drawn("cost", 0.1, 40) < drawn("cost", 0.5, 40)

    def test_the_bars_are_the_sums(self):
        finished = moved_mass(0.5, 40).shapes
        widths = [shape.width for shape in finished if getattr(shape, "fill", "") == "hatch"]
        assert sum(w == pytest.approx(64 / 5, abs=1e-3) for w in widths) == 5


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: studied(9), "draws must be 8 or fewer, got 9"),
    ],
)
def test_more_draws_than_there_are_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
