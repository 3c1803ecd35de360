"""Four summaries of a simulator's errors, and the errors that ship."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.roofline.gpu_cores.simulator_errors import (
    ErrorSummary,
    benchmark_errors,
    error_levels,
)

TIMES = st.lists(st.floats(1, 1e6), min_size=3, max_size=20).filter(lambda t: np.ptp(t) > 1)


class TestErrorLevels:
    def test_by_hand(self) -> None:
        assert error_levels([-1.0, 0.0, 0.0, 0.2]) == pytest.approx((0.3, 0.2 + 0.7 * 0.8, 1.0))

    def test_no_errors(self) -> None:
        with pytest.raises(ValueError, match="errors must"):
            error_levels([])


class TestBenchmarkErrors:
    def test_one_row_a_benchmark(self) -> None:
        table = benchmark_errors()
        assert table.shape == (128, 13)
        assert table.index.is_unique
        assert not table.isna().any(axis=None)

    def test_no_simulated_time_is_negative(self) -> None:
        assert (benchmark_errors() > -1).all(axis=None)


class TestErrorSummary:
    @settings(max_examples=30, deadline=None)
    @given(TIMES, st.floats(1.05, 3))
    def test_a_constant_bias_correlates_perfectly(self, times, bias) -> None:
        summary = ErrorSummary.of(times, bias * np.array(times))
        assert summary.correlation == pytest.approx(1, abs=1e-6)
        assert (summary.mean, summary.p90, summary.worst) == pytest.approx([bias - 1] * 3)

    def test_by_hand(self) -> None:
        summary = ErrorSummary.of([1, 2, 4, 5], [2, 2, 4, 4])
        assert (summary.mean, summary.worst) == pytest.approx((0.3, 1.0))
        assert summary.p90 == pytest.approx(0.2 + 0.7 * 0.8)

    @settings(max_examples=30, deadline=None)
    @given(TIMES)
    def test_ordered(self, times) -> None:
        summary = ErrorSummary.of(times, np.array(times)[::-1])
        assert 0 <= summary.mean <= summary.worst
        assert summary.p90 <= summary.worst

    def test_bad_input(self) -> None:
        with pytest.raises(ValueError, match="simulated must have 2 values, got 3"):
            ErrorSummary.of([1, 2], [1, 2, 3])
        with pytest.raises(ValueError, match="measured must not be all equal, got 2 throughout"):
            ErrorSummary.of([2, 2], [1, 2])
        with pytest.raises(ValueError, match="measured must be above 0"):
            ErrorSummary.of([0, 2], [1, 2])
