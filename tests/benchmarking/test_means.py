"""Means, profiles, influence and reversals: worked by hand and by their properties."""

import itertools
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats
from scipy.integrate import trapezoid

from perfmodel.benchmarking import (
    Reversal,
    addition_reversals,
    against_reference,
    arithmetic_mean,
    clamped_ratios,
    geometric_mean,
    harmonic_mean,
    harmonic_weights,
    leave_one_out,
    min_max,
    performance_profile,
    performance_ratios,
    profile_area,
    removal_reversals,
    scores_without_each,
    time_average,
    time_integral,
    total_time_ratio,
)

MEANS = (harmonic_mean, geometric_mean, arithmetic_mean)
RATIOS = st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=30)


@given(RATIOS, st.integers(0, 9))
def test_each_mean_is_scipys_with_the_same_weights(ratios, seed):
    weights = np.random.default_rng(seed).uniform(0.1, 5, len(ratios))
    assert harmonic_mean(ratios, weights) == pytest.approx(stats.hmean(ratios, weights=weights))
    assert geometric_mean(ratios, weights) == pytest.approx(stats.gmean(ratios, weights=weights))
    assert arithmetic_mean(ratios, weights) == pytest.approx(np.average(ratios, weights=weights))


@given(RATIOS)
def test_harmonic_geometric_arithmetic_in_this_order_within_the_range(ratios):
    low, middle, high = (float(mean(ratios)) for mean in MEANS)
    slack = 1 + 1e-9
    assert min(ratios) <= low * slack
    assert low <= middle * slack
    assert middle <= high * slack
    assert high <= max(ratios) * slack


@given(RATIOS, st.floats(1e-3, 1e3))
def test_a_common_factor_comes_out_of_every_mean(ratios, factor):
    for mean in MEANS:
        assert mean(np.multiply(ratios, factor)) == pytest.approx(factor * mean(ratios))


@given(RATIOS)
def test_turning_the_ratios_round_turns_only_the_geometric_mean_round(ratios):
    inverse = 1 / np.array(ratios)
    assert geometric_mean(inverse) == pytest.approx(1 / geometric_mean(ratios))
    assert harmonic_mean(inverse) == pytest.approx(1 / arithmetic_mean(ratios))


@given(RATIOS, st.integers(0, 9))
def test_the_ratio_of_totals_is_a_weighted_harmonic_mean_of_the_speedups(ratios, seed):
    before = np.random.default_rng(seed).lognormal(0, 2, len(ratios))
    after = before / ratios
    assert total_time_ratio(before, after) == pytest.approx(harmonic_mean(ratios, before))
    assert total_time_ratio(before, after) == pytest.approx(arithmetic_mean(ratios, after))


def test_one_bad_task_in_498_by_hand():
    ratios = [0.2] * 497 + [0.0005]
    assert harmonic_mean(ratios) == pytest.approx(498 / (497 / 0.2 + 2000))
    assert harmonic_mean(clamped_ratios(ratios, 0.001)) == pytest.approx(498 / (2485 + 1000))


@given(RATIOS, st.floats(0, 10), st.floats(1, 2))
def test_a_higher_floor_never_lowers_the_clamped_mean(ratios, floor, step):
    for mean in MEANS:
        below, above = (mean(clamped_ratios(ratios, low)) for low in (floor, floor * step))
        assert above >= below * (1 - 1e-9)


def test_means_run_over_the_last_axis():
    table = np.array([[1.0, 4.0], [2.0, 2.0]])
    assert geometric_mean(table) == pytest.approx([2, 2])
    assert harmonic_mean(table, [1, 0]) == pytest.approx([1, 2])
    assert total_time_ratio(table, [1.0, 1.0]) == pytest.approx([2.5, 2])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: harmonic_mean([1, 2], [1]), r"weights must have shape \(2,\), got \(1,\)"),
        (lambda: harmonic_mean([1, 2], [0, 0]), "weights must not all be 0"),
    ],
)
def test_weights_that_leave_nothing_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


TIMES = st.tuples(st.integers(1, 6), st.integers(1, 8)).flatmap(
    lambda shape: arrays(float, shape, elements=st.floats(0.1, 1e5) | st.just(np.inf))
)


def counted_profile(ratios, factor):
    return [sum(r <= factor for r in row) / len(row) for row in ratios]


def stepwise_area(row, r_max):
    """Integrate the step function between its jumps."""
    jumps = sorted({1.0, r_max, *(r for r in row if r < r_max)})
    return sum((b - a) * np.mean(row <= a) for a, b in pairwise(jumps)) / (r_max - 1)


def test_a_column_is_divided_by_its_fastest():
    ratios = performance_ratios([[3.0, np.inf, 8.0], [6.0, np.inf, 2.0]])
    assert ratios.tolist() == [[1.0, np.inf, 4.0], [2.0, np.inf, 1.0]]


@given(TIMES, st.lists(st.floats(0.5, 20), min_size=1, max_size=5))
def test_profile_is_a_share_counted_one_by_one(times, factors):
    ratios = performance_ratios(times)
    profile = performance_profile(ratios, factors)
    assert profile.T.tolist() == [counted_profile(ratios, factor) for factor in factors]


@given(TIMES, st.floats(1.1, 50))
def test_area_is_the_integral_of_the_steps(times, r_max):
    ratios = performance_ratios(times)
    expected = [stepwise_area(row, r_max) for row in ratios]
    assert profile_area(ratios, r_max) == pytest.approx(expected, abs=1e-9)


@given(TIMES, st.integers(2, 300))
def test_trapezoids_are_off_by_less_than_half_a_step(times, points):
    ratios = performance_ratios(times)
    error = np.abs(profile_area(ratios, 4.0, points) - profile_area(ratios, 4.0))
    assert (error <= 0.5 / (points - 1) + 1e-9).all()


@given(TIMES, st.data())
def test_area_keeps_its_limits_and_ignores_units(times, data):
    ratios = performance_ratios(times)
    area = profile_area(ratios)
    assert ((area >= 0) & (area <= 1)).all()
    units = data.draw(arrays(float, times.shape[1], elements=st.sampled_from([0.5, 2.0, 64.0])))
    assert profile_area(performance_ratios(times * units)).tolist() == area.tolist()
    assert profile_area(np.ones(times.shape[1])) == 1


@given(TIMES, st.data())
def test_a_slower_run_never_helps_its_owner(times, data):
    row = data.draw(st.integers(0, times.shape[0] - 1))
    column = data.draw(st.integers(0, times.shape[1] - 1))
    slower = times.copy()
    slower[row, column] *= data.draw(st.floats(1, 100))
    before, after = (profile_area(performance_ratios(t))[row] for t in (times, slower))
    assert after <= before + 1e-12


def test_a_batch_of_rows_has_the_profile_of_each():
    ratios = np.arange(1.0, 25.0).reshape(2, 3, 4)
    batch = performance_profile(ratios, [3.0, 17.5])
    assert batch.shape == (2, 3, 2)
    assert batch[0, 0].tolist() == [0.75, 1.0]
    assert batch[1, 1].tolist() == [0.0, 0.25]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: performance_ratios([1.0, 2.0]), r"times must be a table .*got shape \(2,\)"),
        (lambda: performance_profile([], [1]), "ratios must hold one task or more"),
    ],
)
def test_times_that_are_no_table_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


SPEEDUPS = st.lists(st.floats(1e-4, 1e4), min_size=2, max_size=12)
THREE_MEANS = (arithmetic_mean, geometric_mean, harmonic_mean, lambda x: np.median(x, axis=-1))


@given(SPEEDUPS)
def test_leaving_one_out_is_a_loop_over_the_tasks(ratios):
    for mean in THREE_MEANS:
        loop = [float(mean(np.delete(ratios, i))) for i in range(len(ratios))]
        assert leave_one_out(ratios, mean) == pytest.approx(loop)


def test_systems_are_kept_apart():
    table = np.array([[1.0, 2, 9], [4, 4, 1]])
    both = leave_one_out(table, arithmetic_mean)
    assert both.tolist() == [leave_one_out(row, arithmetic_mean).tolist() for row in table]


@given(st.lists(st.floats(0.01, 100), min_size=2, max_size=12))
def test_a_share_tells_the_harmonic_mean_without_its_task(ratios):
    fractions, count = harmonic_weights(ratios), len(ratios)
    assert fractions.sum() == pytest.approx(1)
    without = harmonic_mean(ratios) * (count - 1) / count / (1 - fractions)
    assert leave_one_out(ratios, harmonic_mean) == pytest.approx(without)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: leave_one_out([1.0], np.median), r"two tasks or more, got shape \(1,\)"),
        (lambda: leave_one_out(1.0, np.median), r"two tasks or more, got shape \(\)"),
        (lambda: leave_one_out([1.0, 2.0], np.median), "statistic must reduce the last axis alone"),
    ],
)
def test_fewer_than_two_tasks_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


TABLES = st.tuples(st.integers(2, 6), st.integers(1, 5)).flatmap(
    lambda shape: arrays(float, shape, elements=st.integers(1, 60).map(float))
)


def area_of(times):
    return profile_area(performance_ratios(times))


def spread_mean(table):
    return min_max(table).mean(axis=1)


def reversals_one_by_one(table, score):
    """Try every third competitor and every pair, with lists alone."""
    result = []
    rows = list(range(len(table)))
    before = dict(zip(rows, score(table), strict=True))
    for third in rows:
        kept = [row for row in rows if row != third]
        after = dict(zip(kept, score(table[kept]), strict=True))
        result += [
            Reversal(third, a, b)
            for a, b in itertools.permutations(kept, 2)
            if before[a] > before[b] + 1e-9 and after[b] > after[a] + 1e-9
        ]
    return result


@settings(max_examples=50)
@given(TABLES, st.sampled_from([area_of, spread_mean]))
def test_every_reversal_is_found_and_no_other(table, score):
    assert removal_reversals(table, score) == reversals_one_by_one(table, score)


@given(TABLES, st.data())
def test_a_fixed_reference_lets_nobody_change_places(table, data):
    reference = data.draw(arrays(float, table.shape[1], elements=st.floats(0.5, 50)))
    newcomer = data.draw(arrays(float, table.shape[1], elements=st.floats(1e-3, 1e3)))

    def score(rows):
        return geometric_mean(against_reference(rows, reference, lower_is_better=True))

    assert removal_reversals(table, score) == []
    assert addition_reversals(table, newcomer, score) == []


@given(TABLES)
def test_removing_who_is_never_the_fastest_changes_no_area(times):
    table = np.vstack([times, times.max(axis=0) + 1])
    without = scores_without_each(table, area_of)[-1]
    assert without[:-1].tolist() == area_of(table)[:-1].tolist()
    assert np.isnan(without[-1])


@given(TABLES, st.data())
def test_adding_undoes_removing(table, data):
    last = len(table) - 1
    left = {r for r in removal_reversals(table, spread_mean) if r.third == last}
    came = addition_reversals(table[:-1], table[-1], spread_mean)
    assert {Reversal(r.third, r.behind, r.ahead) for r in came} == left


def test_one_terrible_method_decides_between_two_others():
    # Spread over both: (1, 0) and (0, 1), so the weights decide: 0.4 and 0.6. The third stretches
    # the second column a hundredfold: 0.4 + 0.6 * 97/98 against 0.6 + 0.
    table, weights = np.array([[10.0, 7.0], [6.0, 8.0]]), [0.4, 0.6]
    assert min_max(table) @ weights == pytest.approx([0.4, 0.6])
    terrible = [9.0, -90.0]
    spread = min_max(np.vstack([table, terrible])) @ weights
    assert spread[:2] == pytest.approx([0.4 + 0.6 * 97 / 98, 0.6])
    result = addition_reversals(table, terrible, lambda rows: min_max(rows) @ weights)
    assert result == [Reversal(third=2, ahead=1, behind=0)]


def test_level_scores_are_in_no_order_and_a_flat_task_gives_nothing():
    table = np.array([[1.0, 5.0], [1.0, 5.0], [1.0, 4.0]])
    assert min_max(table).tolist() == [[0, 1], [0, 1], [0, 0]]
    assert removal_reversals(table, spread_mean) == []


def test_the_arithmetic_mean_over_a_reference_hangs_on_the_reference():
    # Fleming and Wallace's point: each machine wins when the other is the reference.
    times = np.array([[1.0, 4.0], [4.0, 1.0]])
    first, second = (against_reference(times, t, lower_is_better=True) for t in times)
    assert first.mean(axis=1).argmax() == 1
    assert second.mean(axis=1).argmax() == 0
    assert geometric_mean(first)[0] == pytest.approx(geometric_mean(first)[1])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: min_max([1.0]), r"values must be a table .* 1 or more rows, got shape \(1,\)"),
        (lambda: against_reference([[1.0]], [1.0, 2.0]), "reference must have a value for each"),
        (lambda: removal_reversals([[1.0]], area_of), "table must be a table .* 2 or more rows"),
        (lambda: removal_reversals([[1.0], [2.0]], np.mean), "score must return one score"),
        (lambda: addition_reversals([[1.0]], [1.0, 2.0], area_of), "newcomer must have a result"),
    ],
)
def test_scores_that_do_not_fit_the_table_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


POINTS = st.lists(st.tuples(st.floats(0.01, 5), st.floats(0, 900)), min_size=2, max_size=30)


@given(points=POINTS)
def test_means_lie_within_the_samples_and_are_the_integral_over_time(points):
    gaps, values = map(np.array, zip(*points, strict=True))
    times = gaps.cumsum()
    straight, held = time_average(times, values), time_average(times, values, "held")
    assert straight == pytest.approx(trapezoid(values, times) / (times[-1] - times[0]))
    steps = sum(v * (b - a) for v, a, b in zip(values, times, times[1:], strict=False))
    assert held == pytest.approx(steps / (times[-1] - times[0]))
    for mean in (straight, held):
        assert values.min() - 1e-9 <= mean <= values.max() + 1e-9


@given(values=st.lists(st.floats(0, 900), min_size=2, max_size=30), gap=st.floats(0.1, 10))
def test_with_even_gaps_the_held_mean_is_that_of_the_samples_but_the_last(values, gap):
    times = gap * np.arange(len(values))
    assert time_average(times, values, "held") == pytest.approx(np.mean(values[:-1]), abs=1e-9)


def test_a_meter_that_samples_the_busy_phase_more_often_is_put_right():
    # 300 W for 2 s sampled each 10 ms, then 100 W for 8 s sampled each second.
    times = np.concatenate([np.arange(0, 2, 0.01), np.arange(2.0, 11.0)])
    watts = np.where(times < 2, 300.0, 100.0)
    assert watts.mean() > 280
    assert time_average(times, watts, "held") == pytest.approx(140)
    assert time_integral(times, watts, "held") == pytest.approx(1400)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: time_integral([0, 0], [1, 1]), "times must rise"),
        (lambda: time_average([0, 1], [1, 2, 3]), "values must be as many as times, 2"),
        (lambda: time_average([0, 1], [1, 2], "last"), "between must be 'straight' or 'held'"),
    ],
)
def test_times_that_do_not_rise_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
