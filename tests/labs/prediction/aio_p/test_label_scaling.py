"""The label transform: hand values, its inverse, and data on which it helps or harms."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.prediction.aio_p.label_scaling import (
    by_work,
    left_over,
    made_up,
    restored,
    standardised,
)


def test_by_hand():
    assert by_work(0.76, 1e9 - 1) == pytest.approx(0.076)
    assert by_work(0.76, 3e8) == pytest.approx(0.08019, abs=5e-6)
    assert by_work([1.0, 2.0], [0, 9]) == pytest.approx([1, 1])
    assert standardised(0.70, 6e8, 0.070, 0.004) == pytest.approx(0.397, abs=0.0005)
    assert restored(-0.5, 1e9 - 1, 0.070, 0.004) == pytest.approx(0.68)


@settings(max_examples=50)
@given(st.floats(-1e3, 1e3), st.floats(0, 1e15), st.floats(-10, 10), st.floats(1e-3, 1e3))
def test_restoring_undoes_the_transform(score, work, mean, deviation):
    label = standardised(score, work, mean, deviation)
    scale = 1 + abs(score) + abs(mean) * 16
    assert abs(restored(label, work, mean, deviation) - score) <= 1e-12 * scale


def test_the_transform_helps_where_scores_grow_with_work_only():
    for seed in range(3):
        plain, by = left_over(*made_up(1, seed=seed))
        assert by < 0.2 * plain
        plain, by = left_over(*made_up(0, seed=seed))
        assert by > 5 * plain


def test_what_is_left_is_the_noise_that_was_put_in():
    score, work, features = made_up(0, 4000)
    plain, _ = left_over(score, work, features)
    assert plain * score.std() == pytest.approx(0.01 * score.mean(), rel=0.05)
    assert (work >= 1e6).all()
    assert (work <= 1e10).all()


def test_constant_work_changes_nothing():
    score, _, features = made_up(0)
    plain, by = left_over(score, np.full(score.size, 1e8), features)
    assert by == pytest.approx(plain)


def test_bad_input():
    with pytest.raises(ValueError, match="work must be 0 or more"):
        by_work(1, -1)
    with pytest.raises(ValueError, match="deviation must be above 0"):
        standardised(1, 1, 0, 0)
    with pytest.raises(ValueError, match="networks must be a whole number, 10 or more, got 5"):
        made_up(1, 5)
    with pytest.raises(ValueError, match="grows must be between 0 and 1, got 2"):
        made_up(2)
    with pytest.raises(ValueError, match=r"features must have shape \(3, p\), got \(2, 1\)"):
        left_over([1, 2, 3], [1, 1, 1], [[1], [2]])
