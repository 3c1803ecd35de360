"""Runs seen in part: regressions on prefixes, stopping, and budgets by the frontier."""

from math import erf, sqrt

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings, strategies as st
from scipy.optimize import minimize_scalar

from perfmodel.forecasting import (
    TWO_VARIABLE_LAW,
    allocation_exponent,
    compute_optimal,
    early_stopping_search,
    lifetime_optimal,
    prefix_regression,
    probability_of_losing,
    published_curves,
)


def made(curves=30, epochs=6, seed=0):
    rng = np.random.default_rng(seed)
    return np.cumsum(rng.normal(0.1, 0.05, (curves, epochs)), axis=1)


@pytest.mark.parametrize("seen", [1, 3, 5])
def test_coefficients_and_intervals_are_those_of_ordinary_least_squares(seen):
    curves, new = made(), made(4, seed=1)
    line = prefix_regression(curves, seen)
    fit = sm.OLS(curves[:, -1], sm.add_constant(curves[:, :seen])).fit()
    theirs = fit.get_prediction(sm.add_constant(new[:, :seen], has_constant="add"))
    frame = theirs.summary_frame(alpha=0.1)
    assert line.coefficients == pytest.approx(fit.params)
    assert line.forecast(new) == pytest.approx(frame["mean"].to_numpy())
    low, high = line.interval(new, 0.9)
    assert low == pytest.approx(frame["obs_ci_lower"].to_numpy())
    assert high == pytest.approx(frame["obs_ci_upper"].to_numpy())


@given(st.integers(0, 1000), st.integers(1, 5))
def test_the_closed_form_is_leaving_each_curve_out(seed, seen):
    curves = made(12, seed=seed)
    line = prefix_regression(curves, seen)
    for k in (0, 7):
        without = prefix_regression(np.delete(curves, k, axis=0), seen)
        assert line.leave_one_out_errors[k] == pytest.approx(
            float(curves[k, -1] - without.forecast(curves[k]))
        )


@pytest.mark.parametrize(
    ("seen", "r2"), [(2, 0.7676), (3, 0.8716), (5, 0.9349), (8, 0.9864), (15, 0.9985)]
)
def test_share_explained_of_900_nets_after_100(seen, r2):
    nets = published_curves("metaqnn_cifar10")
    off = prefix_regression(nets.results[:100], seen).forecast(nets.results[100:])
    off = off - nets.final[100:]
    assert 1 - (off**2).sum() / ((nets.final[100:] - nets.final[100:].mean()) ** 2).sum() == (
        pytest.approx(r2, abs=5e-5)
    )


@pytest.mark.parametrize("unit", [1e-12, 1.0, 1e3, 1e5, 1e9, 1e15])
@pytest.mark.parametrize("level", [0.0, 5.0, 1e5])
def test_nothing_depends_on_the_unit(unit, level):
    """The products of columns whose level is high lose twice the digits."""
    rng = np.random.default_rng(0)
    curves = level + 0.05 * rng.normal(size=(20, 6))
    curves[:, -1] += 0.7 * (curves[:, 0] - level)
    away, new = curves - level, curves[:3] + 0.1
    line, exact = prefix_regression(unit * curves, 3), prefix_regression(away, 3)
    off = 1e-9 * max(level, 1)
    assert line.forecast_deviation / unit == pytest.approx(exact.forecast_deviation, abs=off)
    assert line.leave_one_out_errors / unit == pytest.approx(exact.leave_one_out_errors, abs=off)
    for end, right in zip(line.interval(unit * new), exact.interval(new - level), strict=True):
        assert end / unit - level == pytest.approx(right, abs=off)


def test_a_curve_that_alone_fixes_a_coefficient_is_left_out_by_a_second_fit():
    curves = made(8)
    curves[:, 1] = [1.0, *[0.5] * 7]
    line = prefix_regression(curves, 2)
    without = prefix_regression(curves[1:, [0, 2, 3, 4, 5]], 1)
    expected = curves[0, -1] - without.forecast(curves[0, [0]])
    assert line.leave_one_out_errors[0] == pytest.approx(float(expected))


def test_results_that_say_the_same_count_once():
    curves = made(12)
    twice = np.insert(curves, 1, 3 * curves[:, 0], axis=1)
    same = np.insert(twice, 2, 0.3, axis=1)
    one, other = prefix_regression(curves, 1), prefix_regression(same, 3)
    assert other.forecast(same) == pytest.approx(one.forecast(curves))
    assert other.leave_one_out_errors == pytest.approx(one.leave_one_out_errors)


def test_what_is_not_seen_does_not_count():
    curves, new = made(), made(2, seed=3)
    changed = new.copy()
    changed[:, 3:] = 99
    line = prefix_regression(curves, 3)
    assert (line.forecast(new) == line.forecast(changed)).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: prefix_regression([1.0, 2.0], 1), r"curves must have shape \(curves, n\)"),
        (lambda: prefix_regression(made(), 3).forecast([[1.0]]), "curves must show 3 results"),
    ],
)
def test_curves_that_are_too_short_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@given(st.floats(-3, 3), st.floats(-3, 3), st.floats(0.1, 5))
def test_the_chance_is_the_normal_distributions(best, forecast, spread):
    expected = (1 + erf((best - forecast) / spread / sqrt(2))) / 2
    assert probability_of_losing(best, forecast, spread) == pytest.approx(expected, abs=1e-12)


def by_hand(curves, first, certainty):
    """Epoch by epoch; return the epochs given to each run."""
    epochs = curves.shape[1]
    best = max(curve[-1] for curve in curves[:first])
    given_ = [epochs] * first
    for curve in curves[first:]:
        for seen in range(1, epochs):
            line = prefix_regression(curves[:first], seen)
            if (
                probability_of_losing(best, line.forecast(curve[:seen]), line.forecast_deviation)
                >= certainty
            ):
                given_.append(seen)
                break
        else:
            given_.append(epochs)
            best = max(best, curve[-1])
    return given_


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 1000), st.sampled_from([0.6, 0.9, 0.99]))
def test_a_search_is_a_loop_over_runs_and_epochs(seed, certainty):
    rng = np.random.default_rng(seed)
    curves = np.cumsum(rng.normal(0.1, 0.05, (40, 5)), axis=1)
    result = early_stopping_search(curves, 12, certainty)
    assert result.stopped_after.tolist() == by_hand(curves, 12, certainty)


@pytest.mark.parametrize(
    ("certainty", "total", "best", "lost"),
    [(0.5, 2911, 0.8308, 5), (0.9, 3290, 0.8416, 0), (0.99, 4445, 0.8416, 0)],
)
def test_a_thousand_nets(certainty, total, best, lost):
    result = early_stopping_search(published_curves("metaqnn_cifar10").results, 100, certainty)
    assert (result.total, result.lost) == (total, lost)
    assert result.best == pytest.approx(best, abs=5e-5)
    assert result.speedup == pytest.approx(20_000 / total)


def test_more_certainty_never_stops_earlier():
    curves = published_curves("metaqnn_cifar10").results[:300]
    loose, strict = (early_stopping_search(curves, 60, c).total for c in (0.8, 0.99))
    assert loose < strict < curves.size


@pytest.mark.parametrize("unit", [1e-15, 1e-9, 1e9])
def test_a_search_does_not_know_the_unit_of_the_results(unit):
    curves = published_curves("metaqnn_cifar10").results[:300]
    result, expected = (early_stopping_search(table, 60, 0.95) for table in (unit * curves, curves))
    assert (result.stopped_after == expected.stopped_after).mean() > 0.99
    assert result.best / unit == pytest.approx(expected.best)


THETA = {"E": 1.8172, "A": 482.01, "B": 2085.43, "alpha": 0.3478, "beta": 0.3658}
exponents = st.floats(0.15, 0.8)


@given(exponents, exponents, st.floats(1, 4), st.floats(1, 4), st.floats(18, 26))
def test_no_other_split_has_less_loss(alpha, beta, size, data, budget):
    theta = {"E": 1.0, "A": 10**size, "B": 10**data, "alpha": alpha, "beta": beta}
    best = compute_optimal(theta, 10**budget)

    def loss(log_size):
        parameters = np.exp(log_size)
        return float(TWO_VARIABLE_LAW.value(theta, parameters, 10**budget / 6 / parameters))

    assert 6 * best.parameters * best.tokens == pytest.approx(10**budget)
    for factor in (0.5, 0.9, 1.1, 2.0):
        assert loss(np.log(best.parameters)) <= loss(np.log(best.parameters * factor)) + 1e-12


def test_the_replications_constants_at_chinchillas_budget():
    best = compute_optimal(THETA, 5.76e23)
    assert best.parameters == pytest.approx(7.22e10, rel=0.01)
    assert best.tokens_per_parameter == pytest.approx(18.4, rel=0.01)
    assert allocation_exponent(THETA) == pytest.approx(0.5126, abs=5e-5)


def test_the_size_grows_by_the_exponent():
    one, hundred = (compute_optimal(THETA, c).parameters for c in (1e20, 1e22))
    assert np.log10(hundred / one) / 2 == pytest.approx(allocation_exponent(THETA))


def test_samples_are_broadcast():
    many = {name: np.array([value, value]) for name, value in THETA.items()}
    assert compute_optimal(many, 1e22).tokens.shape == (2,)


def test_without_use_the_lifetime_is_the_training():
    best = compute_optimal(THETA, 1e22)
    loss = float(TWO_VARIABLE_LAW.value(THETA, best.parameters, best.tokens))
    assert lifetime_optimal(THETA, loss, 0).parameters == pytest.approx(best.parameters, rel=1e-4)


def test_a_model_that_is_used_more_is_smaller_and_trained_longer():
    used = [lifetime_optimal(THETA, 2.0, tokens) for tokens in (0, 1e12, 1e13, 1e14)]
    assert (np.diff([item.parameters for item in used]) < 0).all()
    assert (np.diff([item.tokens for item in used]) > 0).all()
    for item in used:
        assert TWO_VARIABLE_LAW.value(THETA, *item) == pytest.approx(2.0)


@pytest.mark.parametrize("served", [1e25, 1e30, 1e35])
def test_the_most_used_models_have_the_least_size_that_reaches_the_loss(served):
    """Then log(size) is nearly flat, and tokens follow from where its slope meets the training's.

    With shares s and 1 - s of the gap, s / (alpha (1 - s)) = 6 tokens / (2 served beta) to the
    leading order, as 1 - s is small.
    """
    best = lifetime_optimal(THETA, 2.0, served)
    left = THETA["B"] / best.tokens ** THETA["beta"] / (2.0 - THETA["E"])
    assert best.parameters == pytest.approx(
        (THETA["A"] / (2.0 - THETA["E"])) ** (1 / THETA["alpha"]), rel=0.01
    )
    training = 6 * best.tokens / (2 * served * THETA["beta"])
    assert training == pytest.approx(left / THETA["alpha"], rel=0.01)


def test_the_lifetime_cost_is_least():
    served = 5e12

    def cost(log_size):
        gap = 2.0 - THETA["E"] - THETA["A"] * np.exp(-THETA["alpha"] * log_size)
        tokens = (THETA["B"] / gap) ** (1 / THETA["beta"]) if gap > 0 else np.inf
        return np.log(np.exp(log_size) * (6 * tokens + 2 * served))

    smallest = np.log((THETA["A"] / (2.0 - THETA["E"])) ** (1 / THETA["alpha"]))
    result = minimize_scalar(cost, bounds=(smallest + 0.01, smallest + 6), method="bounded")
    best = lifetime_optimal(THETA, 2.0, served)
    assert np.log(best.parameters) == pytest.approx(result.x, abs=1e-3)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: compute_optimal({**THETA, "alpha": -1}, 1e20), "alpha must be above 0"),
    ],
)
def test_a_law_without_an_optimum_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
