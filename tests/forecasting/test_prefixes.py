"""The regression on prefixes against statsmodels, and its left-out errors against leaving out."""

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, strategies as st

from perfmodel.forecasting import prefix_regression, published_curves


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
        assert line.left_out[k] == pytest.approx(float(curves[k, -1] - without.forecast(curves[k])))


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
    assert line.spread / unit == pytest.approx(exact.spread, abs=off)
    assert line.left_out / unit == pytest.approx(exact.left_out, abs=off)
    for end, right in zip(line.interval(unit * new), exact.interval(new - level), strict=True):
        assert end / unit - level == pytest.approx(right, abs=off)


def test_a_curve_that_alone_fixes_a_coefficient_is_left_out_by_a_second_fit():
    curves = made(8)
    curves[:, 1] = [1.0, *[0.5] * 7]
    line = prefix_regression(curves, 2)
    without = prefix_regression(curves[1:, [0, 2, 3, 4, 5]], 1)
    expected = curves[0, -1] - without.forecast(curves[0, [0]])
    assert line.left_out[0] == pytest.approx(float(expected))


def test_results_that_say_the_same_count_once():
    curves = made(12)
    twice = np.insert(curves, 1, 3 * curves[:, 0], axis=1)
    same = np.insert(twice, 2, 0.3, axis=1)
    one, other = prefix_regression(curves, 1), prefix_regression(same, 3)
    assert other.forecast(same) == pytest.approx(one.forecast(curves))
    assert other.left_out == pytest.approx(one.left_out)


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
