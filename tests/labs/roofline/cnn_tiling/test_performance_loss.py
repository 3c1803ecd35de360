"""Losses by hand and over random orders."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.roofline.cnn_tiling.performance_loss import (
    loss_curve,
    loss_of_performance,
    performance_ratio,
)

TIMES = st.lists(st.floats(0.1, 1e3), min_size=1, max_size=30)
# Loss of the analytic score on each of 20 layers, V100, 30 tries, as the artifact of Xu et al.,
# PACT 2022, prints it.
PRINTED = (
    *(0, 0.1581, 0.3187, 0.5506, 0.5004, 0.0629, 0.0236, 0.8146, 0.3101, 1.8458),
    *(0.0178, 2.4443, 0.4723, 0.0542, 0.0951, 0.1828, 0.0575, 0.0792, 0.0163, 0),
)


class TestLoss:
    def test_by_hand(self) -> None:
        assert loss_curve([3, 1, 2, 4], [1.0, 4.0, 2.0, 8.0]).tolist() == [3, 1, 0, 0]
        assert loss_of_performance([3, 1, 2, 4], [1.0, 4.0, 2.0, 8.0], 2) == 1

    def test_equal_scores_keep_their_order(self) -> None:
        assert loss_curve([1, 1], [2.0, 1.0]).tolist() == [1, 0]

    @settings(max_examples=30, deadline=None)
    @given(TIMES, st.integers(0, 1000))
    def test_falls_to_zero(self, times, seed) -> None:
        losses = loss_curve(np.random.default_rng(seed).permutation(len(times)), times)
        assert (np.diff(losses) <= 0).all()
        assert losses[-1] == 0

    @settings(max_examples=30, deadline=None)
    @given(TIMES)
    def test_the_right_order_loses_nothing(self, times) -> None:
        assert loss_of_performance(np.log(times), times, 1) == 0

    def test_more_tries_than_choices(self) -> None:
        assert loss_of_performance([2, 1], [1.0, 2.0], 99) == 0

    def test_performance_ratio(self) -> None:
        assert performance_ratio([0, 0]) == 1
        assert performance_ratio([1, 3]) == pytest.approx((1 / 8) ** 0.5)

    def test_printed_losses_have_the_printed_mean_and_ratio(self) -> None:
        assert np.mean(PRINTED) == pytest.approx(0.4002, abs=5e-5)
        assert performance_ratio(PRINTED) == pytest.approx(0.7647, abs=5e-5)

    def test_bad_input(self) -> None:
        with pytest.raises(ValueError, match="predicted must have 2 values, got 1"):
            loss_curve([1], [1, 2])
        with pytest.raises(ValueError, match="measured must be above 0"):
            loss_curve([1, 2], [0, 2])
        with pytest.raises(ValueError, match="tries must be a whole number, 1 or more, got 0"):
            loss_of_performance([1], [1], 0)
        with pytest.raises(ValueError, match="losses must be 0 or more"):
            performance_ratio([-0.1])
