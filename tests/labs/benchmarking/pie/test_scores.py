"""The paper's scores: invariants, a hand value, and the do-nothing model against the law."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_allclose

from perfmodel.benchmarking import TimingRatio, beta_rates_through, winners_curse
from perfmodel.labs.benchmarking.pie.inputs import CONDITIONED, SAMPLES, SELF_PLAY, THRESHOLD
from perfmodel.labs.benchmarking.pie.scores import edit_score, null_score

times = st.floats(0.1, 10)
tables = st.integers(1, 6).flatmap(
    lambda n: st.lists(
        st.tuples(times, *[st.tuples(times, st.booleans())] * 3), min_size=n, max_size=n
    )
)


@given(tables)
def test_score_is_the_rule_followed_program_by_program(rows: list[tuple[object, ...]]) -> None:
    ratios, any_right = [], []
    for old, *samples in rows:
        right = [new for new, passed in samples if passed]  # type: ignore[misc]
        ratios.append(old / min(right) if right else 0.0)
        any_right.append(bool(right))
    new = np.array([[sample[0] for sample in row[1:]] for row in rows])  # type: ignore[index]
    passed = np.array([[sample[1] for sample in row[1:]] for row in rows])  # type: ignore[index]
    score = edit_score([row[0] for row in rows], new, passed)  # type: ignore[arg-type]
    assert_allclose(score.optimized, np.mean(np.array(ratios) >= THRESHOLD))
    assert_allclose(score.speedup, np.mean(np.maximum(ratios, 1)))
    assert score.correct == np.mean(any_right)
    assert score.speedup >= 1


@given(tables)
def test_more_samples_never_score_less(rows: list[tuple[object, ...]]) -> None:
    old = [row[0] for row in rows]
    new = np.array([[sample[0] for sample in row[1:]] for row in rows])  # type: ignore[index]
    passed = np.array([[sample[1] for sample in row[1:]] for row in rows])  # type: ignore[index]
    few, more = (edit_score(old, new[:, :k], passed[:, :k]) for k in (1, 3))  # type: ignore[arg-type]
    assert few.optimized <= more.optimized
    assert few.speedup <= more.speedup
    assert few.correct <= more.correct


@pytest.mark.parametrize("noise", [0.02, 0.1, 0.25])
def test_doing_nothing_scores_what_the_law_says(noise: float) -> None:
    score = null_score(200_000, 1, noise, np.random.default_rng(1))
    law = TimingRatio(noise)
    assert_allclose(score.speedup, law.mean_of_clamped(), rtol=4e-3)
    assert_allclose(score.optimized, law.chance_above(THRESHOLD), atol=5e-3)


def test_best_of_eight_that_do_nothing_is_the_winner_s_curse() -> None:
    rng = np.random.default_rng(2)
    new = np.exp(0.1 * rng.standard_normal((100_000, 8)))
    gain = -np.log(new.min(axis=1)).mean()
    assert_allclose(gain, winners_curse(8, 0.0, 0.1).measured, rtol=5e-3)
    assert null_score(100_000, 8, 0.1, rng).speedup > TimingRatio(0.1).mean_of_clamped() + 0.08


def test_samples_of_one_program_are_far_from_independent() -> None:
    """What the sheet of the lab works out: 97.97 % if independent, 70.96 % printed."""
    law = beta_rates_through(*CONDITIONED.correct, SAMPLES)
    assert_allclose(1 - (1 - CONDITIONED.correct[0]) ** SAMPLES, 0.9797, atol=5e-5)
    assert_allclose(law.a + law.b, 1.087, atol=1e-3)
    assert beta_rates_through(*SELF_PLAY.correct, SAMPLES).correlation < law.correlation


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: edit_score([1.0], [1.0], [True]), "new must have a row for each of old"),
        (lambda: edit_score([1.0], [[1.0]], [[1]]), "correct must hold a truth value"),
        (lambda: edit_score([0.0], [[1.0]], [[True]]), "old must be above 0"),
    ],
)
def test_bad_input_is_named(call: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()  # type: ignore[operator]
