"""The drawn history: readable, and its deciding bits counted."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from sklearn.linear_model import LogisticRegression

from perfmodel.labs.roofline.sparse_branch import predictors as bp, storage as sb
from perfmodel.labs.roofline.sparse_branch.predictors import history_view
from perfmodel.live.drawing import Cells


@pytest.mark.parametrize(
    ("seen", "found"), [((), 0), (range(1, 13), 0), (range(1, 65), 1), ((37, 71), 2)]
)
def test_view_can_be_read_and_counts_what_decides(seen, found):
    scene = history_view(seen, 10)
    assert scene.faults() == []
    assert scene.values["deciding bits seen"] == found
    (grid,) = [shape for shape in scene.shapes if isinstance(shape, Cells)]
    assert len(grid.filled) == len(seen)


def test_lags_lie_row_by_row():
    (grid,) = [s for s in history_view([16, 17], 2, [17]).shapes if isinstance(s, Cells)]
    assert set(grid.filled) == {(0, 15), (1, 0)}
    assert list(grid.outlined) == [(1, 0)]


# Branch predictors on made traces.

TRACE = bp.synthetic_trace(6_000)


@given(st.integers(0, 99), st.sampled_from(["or", "xor"]))
@settings(max_examples=20, deadline=None)
def test_outcomes_follow_the_rule_but_for_the_flips(seed, rule):
    trace = bp.synthetic_trace(500, length=9, lags=(2, 9), rule=rule, flips=0, seed=seed)
    new, old = trace.history[:, 1] > 0, trace.history[:, 8] > 0
    expected = new | old if rule == "or" else new ^ old
    np.testing.assert_array_equal(trace.outcomes > 0, expected)


def test_history_moves_on_by_one():
    """The outcome at lag 1 is at lag 2 one branch later."""
    np.testing.assert_array_equal(TRACE.history[:-1, 0], TRACE.history[1:, 1])


def test_flips_are_the_floor():
    clean = bp.synthetic_trace(6_000, flips=0)
    assert np.mean(clean.outcomes != TRACE.outcomes) == pytest.approx(0.02, abs=0.006)


def test_two_bit_counter_by_hand():
    """Starts weakly taken: T N N T T gives T T T N T."""
    outcomes = np.array([1, -1, -1, 1, 1], dtype=np.int8)
    trace = bp.BranchTrace(np.ones((5, 1), dtype=np.int8), outcomes)
    assert bp.gshare(trace, 0).tolist() == [1, 1, 1, -1, 1]


def test_gshare_learns_what_fits_in_its_history():
    trace = bp.synthetic_trace(4_000, length=8, lags=(1, 3))
    assert bp.misses(bp.gshare(trace, 4), trace) < 0.03
    assert bp.misses(bp.gshare(trace, 2), trace) > 0.15


def test_perceptron_sees_a_lag_only_within_its_length():
    short, whole = (bp.misses(bp.perceptron(TRACE, n).predictions, TRACE) for n in (64, 128))
    assert short > 0.22 > 0.2 > whole


def test_dense_online_weights_approach_those_of_the_optimum():
    trace = bp.synthetic_trace(12_000, length=6, lags=(2, 5), flips=0.1)
    online = bp.sgd(trace, penalty=0, rate=0.01)
    best = LogisticRegression(C=1e6).fit(trace.history, trace.outcomes)
    np.testing.assert_allclose(online.weights, best.coef_[0], atol=0.25)
    assert np.abs(best.coef_[0][[1, 4]]).min() > 0.7


def test_penalty_makes_weights_exactly_zero():
    assert bp.sgd(TRACE, penalty=0.01).support == (37, 71)
    assert len(bp.sgd(TRACE, penalty=0).support) == 128


@pytest.mark.parametrize("penalty", [0.0, 1e-3])
def test_turning_the_history_around_turns_the_weights_around(penalty):
    weights = bp.sgd(TRACE, penalty=penalty).weights
    turned = bp.BranchTrace(-TRACE.history, TRACE.outcomes)
    np.testing.assert_allclose(bp.sgd(turned, penalty=penalty).weights, -weights)


def test_no_linear_predictor_learns_an_exclusive_or():
    trace = bp.synthetic_trace(4_000, length=8, lags=(1, 3), rule="xor")
    for predictions in (bp.sgd(trace, penalty=0).predictions, bp.perceptron(trace, 8).predictions):
        assert bp.misses(predictions, trace) == pytest.approx(0.5, abs=0.06)
    assert bp.misses(bp.gshare(trace, 4), trace) < 0.06


def test_majority_is_right_about_the_more_frequent_outcome():
    assert bp.misses(bp.majority(TRACE), TRACE) == pytest.approx(np.mean(TRACE.outcomes < 0))


def test_search_stops_at_the_first_penalty_on_the_other_side():
    trace = bp.synthetic_trace(2_000, length=32, lags=(3, 7))
    down = bp.search_penalty(trace, max_weights=5)
    assert [p for p, _ in down] == [0.01 / 2**i for i in range(len(down))]
    assert all(n <= 5 for _, n in down[:-1])
    assert down[-1][1] > 5
    up = bp.search_penalty(trace, max_weights=5, start=1e-4)
    assert up[0][1] > 5 >= up[-1][1]


def test_comparison_names_every_predictor_once():
    missed = bp.compared(2_000)
    assert len(missed) == 9
    assert all(0 < share < 0.5 for share in missed.values())


def test_on_two_bits_the_sparse_model_misses_least_and_finds_them():
    missed = bp.compared()
    assert min(missed, key=lambda name: missed[name]) == "linear, sparse"
    assert bp.sgd(bp.synthetic_trace(10_000), penalty=0.01).support == (37, 71)


# What a mispredicted branch costs and a sparse model saves.

POSITIVE = st.floats(0.1, 50)


@given(base=POSITIVE, mpki=POSITIVE, penalty=POSITIVE, saved=st.floats(0, 1))
def test_speedup_is_the_share_that_waits_run_through_amdahl(base, mpki, penalty, saved):
    waiting = mpki * penalty / 1000
    share = waiting / (base + waiting)
    expected = 1 / (1 - share * saved)
    assert float(sb.speedup(base, mpki, penalty, saved)) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("saved", "cycles", "faster"), [(0.42, 0.558, 1.0753), (0.023, 0.5977, 1.0038)]
)
def test_savings_of_the_abstract(saved, cycles, faster):
    """CPI 0.5 without misses, 5 misses in 1,000 instructions, 20 cycles each: 0.600 before."""
    assert float(sb.cycles_per_instruction(0.5, 5, 20)) == pytest.approx(0.600, abs=5e-4)
    after = sb.cycles_per_instruction(0.5, 5 * (1 - saved), 20)
    assert float(after) == pytest.approx(cycles, abs=5e-4)
    assert float(sb.speedup(0.5, 5, 20, saved)) == pytest.approx(faster, abs=5e-5)
