"""Tables from rules, storage by hand, and four summaries of a simulator's errors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfmodel.labs.roofline.gpu_cores import latencies
from perfmodel.labs.roofline.gpu_cores.dependence_tracking import control_bits, scoreboard_bits
from perfmodel.labs.roofline.gpu_cores.latencies import switching_kernels, vector_latency
from perfmodel.labs.roofline.gpu_cores.simulator_errors import ErrorSummary

TIMES = st.lists(st.floats(1, 1e6), min_size=3, max_size=20).filter(lambda t: np.ptp(t) > 1)


class TestStorage:
    def test_by_hand(self) -> None:
        assert control_bits(48) == 48 * (36 + 4 + 1)
        assert scoreboard_bits(1, 1) == 2 * 332
        assert scoreboard_bits(64, 63) == 64 * 332 * 7

    def test_a_count_of_consumers_needs_its_bits(self) -> None:
        bits = [int(scoreboard_bits(1, c)) // 332 - 1 for c in (1, 2, 3, 4, 7, 8, 63)]
        assert bits == [1, 2, 2, 3, 3, 4, 6]

    def test_arrays(self) -> None:
        assert control_bits([1, 48]).tolist() == [41, 1968]

    def test_bad_input(self) -> None:
        with pytest.raises(ValueError, match="consumers must be a whole number, 1 or more, got 0"):
            scoreboard_bits(48, 0)
        with pytest.raises(ValueError, match="warps must be above 0, got 0"):
            control_bits(0)


class TestVectorLatency:
    def test_two_cycles_for_each_further_word(self) -> None:
        assert [vector_latency(10, words) for words in (1, 2, 4)] == [10, 12, 16]

    def test_bad_input(self) -> None:
        with pytest.raises(ValueError, match="words must be 1, 2 or 4, got 3"):
            vector_latency(10, 3)


class TestSwitchingKernels:
    def test_all_instructions_issue(self) -> None:
        for timeline in switching_kernels().values():
            assert len(timeline.issues) == 4 * 32

    def test_the_last_warp_has_nobody_to_hide_its_stalls(self) -> None:
        kernels = switching_kernels()
        assert kernels["stall"].turns[-1] == (0, 32)
        assert kernels["stall"].bubbles == 15 * 3
        assert kernels["yield"].bubbles == kernels["plain"].bubbles == 0


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


def test_claims_are_met_but_for_shared_loads() -> None:
    results = [claim.check() for claim in latencies.claims()]
    missed = [r.claim.quantity for r in results if not r.met]
    assert len(results) > 50
    assert all("shared load" in quantity for quantity in missed)
    assert all(bool(r.claim.miss) != r.met for r in results)
