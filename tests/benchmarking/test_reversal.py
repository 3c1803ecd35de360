"""Rank reversal: found where it is planted, and never where scores ignore who else is there."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import arrays

from perfmodel.benchmarking import (
    Reversal,
    addition_reversals,
    against_reference,
    geometric_mean,
    min_max,
    performance_ratios,
    profile_area,
    removal_reversals,
    scores_without_each,
)

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
