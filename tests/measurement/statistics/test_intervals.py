"""Intervals, quantiles and power: exact values, coverage and printed tables."""

import ast
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

import perfmodel
from perfmodel.measurement.simulated import SimulatedMachine
from perfmodel.measurement.statistics.comparison import compare
from perfmodel.measurement.statistics.hypothesis_tests import (
    equivalence,
    paired,
    power_of_test,
    samples_needed,
    welch,
)
from perfmodel.measurement.statistics.intervals import (
    bootstrap_interval,
    hodges_lehmann,
    median_interval,
    percentile_interval,
    prediction_interval,
    signed_rank_interval,
)
from perfmodel.measurement.statistics.least_squares import centred_roots, products_inverse
from perfmodel.measurement.statistics.quantiles import quantile_positions, sample_quantile
from perfmodel.measurement.statistics.resolution import NOT_RESOLVED, resolution

TIED = [10, 11, 11, 12, 12, 13, 15, 40]
"""Their median stays 12 whichever one is left out, so that the jackknife of BCa doesn't vary."""


def test_signed_rank_interval_is_the_inverse_of_scipys_test():
    values = np.random.default_rng(5).normal(0.3, 1, 15)
    low, high = signed_rank_interval(values)
    assert (
        stats.wilcoxon(values - low - 1e-9).pvalue
        > 0.05
        > stats.wilcoxon(values - low + 1e-9).pvalue
    )
    assert stats.wilcoxon(values - high + 1e-9).pvalue > 0.05


@pytest.mark.parametrize("count", [12, 80])
def test_signed_rank_interval_covers_the_centre(count):
    rng = np.random.default_rng(7)
    ends = np.array([signed_rank_interval(rng.laplace(0, 1, count)) for _ in range(300)])
    covered = ((ends[:, 0] <= 0) & (ends[:, 1] >= 0)).mean()
    assert 0.92 <= covered <= 0.98


def test_too_few_blocks_say_nothing():
    assert signed_rank_interval([1.0, 2.0, 3.0, 4.0, 5.0]) == (-np.inf, np.inf)


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=30), st.floats(-3, 3))
def test_the_centre_moves_with_the_sample(values, shift):
    moved = hodges_lehmann(np.array(values) + shift)
    assert moved == pytest.approx(hodges_lehmann(values) + shift, abs=1e-9)
    assert min(values) <= hodges_lehmann(values) <= max(values)


def test_an_interval_of_exactly_the_level_counts():
    """Of five values the least and the largest hold the median with 1 - 2 / 2^5."""
    for level in (1 - 2 / 2**5, 1 - 2 / 2**5 + 1e-15):
        assert median_interval(range(1, 6), level) == (1, 5)
        assert signed_rank_interval(range(1, 6), level) == (1, 5)
        assert signed_rank_interval(range(1, 6), level + 1e-6) == (-np.inf, np.inf)
        assert median_interval(range(1, 6), level + 1e-6) == (-np.inf, np.inf)


def test_bca_without_acceleration():
    """By hand: where the median doesn't move, BCa shifts by the bias alone; ties count half."""
    resampled = np.sort(
        np.median(np.random.default_rng(1).choice(TIED, (40_000, len(TIED))), axis=1)
    )
    bias = stats.norm.ppf(((resampled < 12).mean() + (resampled <= 12).mean()) / 2)
    levels = stats.norm.cdf(2 * bias + stats.norm.ppf([0.025, 0.975]))
    low, high = bootstrap_interval(TIED, method="BCa")
    assert (low, high) == (11, 15)
    assert np.mean(resampled < low) < levels[0] < np.mean(resampled <= low)
    assert np.mean(resampled < high) < levels[1] < np.mean(resampled <= high)


@given(
    st.lists(st.integers(0, 4), min_size=2, max_size=12),
    st.sampled_from(["percentile", "BCa", "basic"]),
    st.sampled_from([np.median, np.mean]),
)
def test_every_bootstrap_interval_has_two_ends_in_order(values, method, statistic):
    low, high = bootstrap_interval(values, statistic, method=method)
    assert np.isfinite([low, high]).all()
    assert low <= high


def test_bootstrap_refuses_what_it_cannot_tell():
    def distinct(values, axis):
        return 1 + (np.diff(np.sort(values, axis=axis), axis=axis) > 0).sum(axis=axis)

    assert bootstrap_interval(range(6), distinct)[0] >= 1
    with pytest.raises(ValueError, match="for BCa, got 30 beyond all"):
        bootstrap_interval(range(30), distinct, method="BCa")
    with (
        pytest.raises(ValueError, match="statistic must be finite on every resample"),
        np.errstate(divide="ignore"),
    ):
        bootstrap_interval([0.0, 0.0, 1.0], lambda v, axis: 1 / v.mean(axis=axis))


def test_percentiles_beyond_all_resamples():
    assert percentile_interval([1.0, 2.0, np.inf, np.inf]) == (
        pytest.approx(1 + 0.025 * 3),
        np.inf,
    )


SOURCE = Path(perfmodel.__file__).parent.parent


@given(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=40), st.floats(0, 1))
def test_is_that_of_numpy(values, level):
    assert sample_quantile(values, level) == pytest.approx(np.quantile(values, level), abs=1e-5)
    assert sample_quantile(values, 0.5) == pytest.approx(np.median(values), abs=1e-9)


@given(
    st.lists(st.tuples(st.floats(-9, 9), st.integers(0, 4)), min_size=1, max_size=20),
    st.sampled_from([0, 0.1, 0.5, 0.75, 1]),
)
def test_counts_are_repeated_values(pairs, level):
    values, counts = np.array([[-10.0, 1], *pairs]).T
    repeated = np.repeat(values, counts.astype(int))
    result = sample_quantile(values, level, counts.astype(int))
    assert result == pytest.approx(np.quantile(repeated, level), abs=1e-9)


@pytest.mark.parametrize("size", [11, 101, 1001])
def test_every_whole_position_is_whole(size):
    """0.7 times 10 is 7.000000000000001 in places where the level was computed, such as 1 - 0.3."""
    ranks = np.arange(size)
    for levels in (ranks / (size - 1), 1 - ranks[::-1] / (size - 1)):
        rank, fraction = quantile_positions(levels, size)
        assert rank.tolist() == ranks.tolist()
        assert not fraction.any()


def test_a_neighbour_at_infinity_counts_only_where_it_is_reached():
    values = [1.0, 2.0, 3.0, np.inf, np.inf]
    assert sample_quantile(values, [0.5, 1 - 0.5, 0.51, 0.9]).tolist() == [3, 3, np.inf, np.inf]
    assert sample_quantile([-np.inf, 1.0, 2.0], [0.2, 0.5]).tolist() == [-np.inf, 1]


def test_no_other_definition_is_asked_for_in_the_package():
    """NumPy and pandas have a dozen; a call that names one is a second definition."""
    named = [
        f"{path.relative_to(SOURCE)}:{call.lineno}"
        for path in SOURCE.rglob("*.py")
        for call in ast.walk(ast.parse(path.read_text()))
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr in {"quantile", "percentile", "nanquantile", "nanpercentile"}
        and {"method", "interpolation"} & {keyword.arg for keyword in call.keywords}
    ]
    assert named == []


MACHINES = [
    {"log_deviation": 0.11},
    {"log_deviation": 0.31},
    {"log_deviation": 0.2, "drift": 2e-4},
    {"log_deviation": 0.2, "step": 0.3},
]


@pytest.mark.parametrize("noise", MACHINES)
def test_ten_percent_is_flagged_and_nothing_else_in_nine_of_ten(noise):
    result = false = 0
    for seed in range(20):
        machine = SimulatedMachine(**noise, seed=seed)
        work, slow = machine.job(1.0), machine.job(1.1)
        plan = {"detect": 0.1, "power": 0.98, "max_seconds": 3600, "clock": machine.clock}
        known = resolution(work, **plan)
        result += known.conclusion(compare(work, slow, **plan)) == "slower"
        false += known.conclusion(compare(work, work, **plan)) in ("slower", "faster")
    assert result >= 18
    assert false <= 2


def test_what_is_below_the_resolution_is_called_not_resolved():
    machine = SimulatedMachine(log_deviation=0.2)
    known = resolution(machine.job(1.0), max_seconds=400, clock=machine.clock)
    small = compare(machine.job(1.0), machine.job(1.01), max_seconds=400, clock=machine.clock)
    assert known.conclusion(small) == NOT_RESOLVED
    assert known.difference(1.0, 1 + known.smallest / 2) == NOT_RESOLVED
    assert known.difference(1.0, 1 / (1 + known.smallest / 2)) == NOT_RESOLVED
    assert known.difference(2.0, 3.0) == "+50.0 %"
    assert "not resolved" in str(known)
    assert "%" in known._repr_html_()


def test_more_blocks_resolve_more():
    machine = SimulatedMachine(log_deviation=0.2)
    known = resolution(machine.job(1.0), max_seconds=400, clock=machine.clock)
    assert known.smallest_with(4 * len(known.comparison.times)) == pytest.approx(
        known.smallest / 2, rel=0.05
    )
    assert known.detectable > known.smallest


def test_noise_sets_the_resolution():
    quiet, noisy = (
        resolution(m.job(1.0), max_seconds=200, clock=m.clock).smallest
        for m in (SimulatedMachine(0.02), SimulatedMachine(0.3))
    )
    assert quiet < 0.02 < 0.06 < noisy


@pytest.mark.parametrize(("count", "level"), [(3, 0.95), (5, 0.95), (5, 0.8), (30, 0.95)])
def test_it_holds_the_next_value_as_often_as_it_says(count, level):
    random = np.random.default_rng(1)
    draws, held = 2000, 0
    for _ in range(draws):
        *seen, following = np.exp(random.normal(3, 0.1, count + 1))
        low, high = prediction_interval(seen, level)
        held += low <= following <= high
    assert abs(held / draws - level) < 4 * np.sqrt(level * (1 - level) / draws)


@given(st.lists(st.floats(0.1, 10), min_size=2, max_size=20), st.floats(0.1, 10))
def test_units_do_not_matter(values, scale):
    low, high = prediction_interval(values)
    assert low <= high
    scaled = prediction_interval(np.array(values) * scale)
    assert scaled == pytest.approx((scale * low, scale * high), rel=1e-6)


@pytest.mark.parametrize("level", [0, 100, 10**5, 10**7])
def test_inverse_of_products_is_that_of_fractions(level):
    """An intercept and integers far from 0: at 1e7 the products themselves are singular."""
    x = [level + k for k in (0, 1, 3, 7, 8)]
    n, total, squares = 5, sum(x), sum(k * k for k in x)
    scale = Fraction(1, n * squares - total**2)
    exact = np.array([[squares * scale, -total * scale], [-total * scale, n * scale]], float)
    result = products_inverse(np.column_stack([np.ones(5), x]))
    assert result == pytest.approx(exact, rel=1e-8 * max(level, 1) / 1e2)


@given(st.integers(0, 100), st.floats(-12, 12))
def test_units_come_out_squared(seed, power):
    columns = np.random.default_rng(seed).normal(size=(9, 3))
    units = np.array([1.0, 10.0**power, 1e6])
    result = products_inverse(columns * units) * np.outer(units, units)
    assert result == pytest.approx(np.linalg.inv(columns.T @ columns))


def test_columns_that_say_the_same_are_known_badly_and_not_well():
    x = np.arange(1.0, 6)
    assert np.diag(products_inverse(np.column_stack([x, 2 * x]))).min() > 1e20


def test_leverage_is_that_of_the_hat_matrix():
    table = np.random.default_rng(1).normal(size=(10, 3))
    means, roots = centred_roots(table)
    columns = np.column_stack([np.ones(10), table])
    hat = np.diag(columns @ np.linalg.pinv(columns))
    assert 0.1 + (((table - means) @ roots) ** 2).sum(axis=1) == pytest.approx(hat)


def test_constant_columns_have_none():
    means, roots = centred_roots(np.full((7, 2), 0.1))
    assert means == pytest.approx([0.1, 0.1])
    assert roots.shape == (2, 0)


rng = np.random.default_rng(11)
FIRST, SECOND = rng.normal(100, 10, 12), rng.normal(104, 14, 9)


def six(mean, spread):
    """Return six values with exactly this mean and standard deviation."""
    raw = np.array([-2.0, -1.0, -0.5, 0.5, 1.0, 2.0])
    return mean + spread * raw / raw.std(ddof=1)


def test_welch_by_hand():
    # Means 121 W and 112 W, s = 15 W, n = 6: t = -9 / (15 sqrt(2/6)) = -1.039.
    result = welch(six(121, 15), six(112, 15))
    assert result.statistic == pytest.approx(-1.039, abs=5e-4)
    assert result.p_value == pytest.approx(0.323, abs=5e-4)
    assert result.interval == pytest.approx((-28.3, 10.3), abs=0.05)


def test_pairs_take_out_what_both_share():
    # s = 15 W with correlation 0.9 leaves sd 6.708 W for the differences of six pairs: t = 3.286.
    difference = six(9, 15 * np.sqrt(0.2))
    shared = rng.normal(100, 15, 6)
    result = paired(shared, shared + difference)
    assert result.statistic == pytest.approx(3.286, abs=5e-4)
    assert result.p_value == pytest.approx(0.0218, abs=5e-5)


def test_samples_needed_are_those_of_the_exact_t_test():
    assert [samples_needed(9, s) for s in (5, 10, 20, 40)] == [6, 21, 79, 312]
    assert [samples_needed(7, s) for s in (5, 10, 20)] == [10, 34, 130]
    assert [samples_needed(11, s) for s in (5, 10, 20)] == [5, 15, 53]


def test_power_by_hand_and_by_simulation():
    assert power_of_test(9, 10, 3) == pytest.approx(0.138, abs=5e-4)
    assert power_of_test(9, 10, 5) == pytest.approx(0.241, abs=5e-4)
    one, two = rng.normal(0, 10, (2, 4000, 15))
    result = np.mean(stats.ttest_ind(one, two + 9, axis=1).pvalue < 0.05)
    assert result == pytest.approx(power_of_test(9, 10, 15), abs=0.025)


@given(st.floats(0.5, 60))
def test_equivalence_agrees_with_the_90_percent_interval(margin):
    low, high = welch(FIRST, SECOND, confidence=0.9).interval
    inside = -margin < low and high < margin
    assert (equivalence(FIRST, SECOND, margin).p_value < 0.05) == inside


@given(st.floats(0.1, 5), st.floats(0.1, 5), st.integers(2, 60))
def test_power_grows_with_effect_and_samples(effect, spread, count):
    base = power_of_test(effect, spread, count)
    assert power_of_test(1.5 * effect, spread, count) >= base - 1e-9
    assert power_of_test(effect, spread, count + 5) >= base - 1e-9
    assert 0.05 <= base <= 1


@given(st.floats(0.3, 5), st.floats(0.5, 0.95))
def test_samples_needed_is_the_smallest_that_suffice(size, wanted):
    count = samples_needed(size, 1.0, power=wanted)
    assert power_of_test(size, 1.0, count) >= wanted
    assert count == 2 or power_of_test(size, 1.0, count - 1) < wanted


def test_what_varies_by_rounding_only_does_not_vary():
    """The variance of three times 0.1 isn't 0, nor are differences of 0.1 all the same."""
    first = np.array([0.3, 0.7, 1.1])
    for call in (
        lambda: welch([0.1] * 3, [0.7] * 3),
        lambda: equivalence([0.1] * 3, [0.7] * 3, 1.0),
        lambda: paired(first, first + 0.1),
        lambda: paired(1e9 * first, 1e9 * (first + 0.1)),
    ):
        with pytest.raises(ValueError, match="samples must vary"):
            call()


def test_samples_that_cannot_be_compared_are_refused():
    with pytest.raises(ValueError, match="samples must vary"):
        welch([1.0, 1.0], [2.0, 2.0])
    with pytest.raises(ValueError, match="second must have as many values as first, 2, got 3"):
        paired([1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match=r"power must be above alpha \(0.05\)"):
        samples_needed(1, 1, power=0.01)
    with pytest.raises(ValueError, match="over 100000000 runs"):
        samples_needed(1, 1e6)
