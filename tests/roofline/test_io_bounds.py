"""Lower bounds on traffic: kept by every counted run, and met within a factor by a good one."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.roofline.cache import gemm_accesses, lru_traffic
from perfmodel.roofline.intensity import fft_kernel, gemm_kernel
from perfmodel.roofline.io_bounds import (
    best_block,
    fft_bound,
    gemm_bound,
    intensity_bound,
    three_block,
)


class TestGemm:
    def test_hand_value(self):
        # 2 x 64^3 / sqrt(64) - 128 + 4096
        assert gemm_bound(64, 64, 64, 64) == 65536 - 128 + 4096
        assert gemm_bound(4, 4, 4, 1000) == 64

    @pytest.mark.parametrize(("n", "fast", "side"), [(24, 56, 6), (32, 90, 8), (30, 136, 10)])
    def test_met_within_a_factor_of_two_by_a_counted_blocked_product(self, n, fast, side):
        moved = lru_traffic(gemm_accesses(n, (side, side, n)), fast)
        bound = float(gemm_bound(n, n, n, fast))
        assert bound <= moved.words < 1.5 * bound

    @pytest.mark.parametrize("fast", [48, 108])
    def test_even_three_equal_blocks_stay_below_two(self, fast):
        side = three_block(fast)
        moved = lru_traffic(gemm_accesses(24, (side, side, side)), fast)
        assert moved.words < 2 * gemm_bound(24, 24, 24, fast)

    def test_the_plain_loop_does_not(self):
        moved = lru_traffic(gemm_accesses(24, (24, 1, 24)), 56)
        assert moved.words > 3 * gemm_bound(24, 24, 24, 56)

    @settings(max_examples=25)
    @given(
        st.sampled_from([1, 2, 3, 4, 6, 12]),
        st.sampled_from([1, 2, 3, 4, 6, 12]),
        st.sampled_from([1, 2, 3, 4, 6, 12]),
        st.integers(3, 500),
    )
    def test_no_counted_order_goes_below(self, rows, columns, steps, fast):
        moved = lru_traffic(gemm_accesses(12, (rows, columns, steps)), fast)
        assert moved.words >= gemm_bound(12, 12, 12, fast)

    @given(st.integers(100, 10**6))
    def test_the_best_block_meets_the_leading_term(self, fast):
        side = best_block(fast)
        assert side**2 + 2 * side <= fast < (side + 1) ** 2 + 2 * (side + 1)
        n = side * 1000
        ratio = gemm_kernel(n, n, n, block=(side, side), word=1).bytes / gemm_bound(n, n, n, fast)
        assert 1 <= ratio < 1 + 2.5 / np.sqrt(fast) + 0.01

    def test_more_memory_never_asks_for_more_traffic(self):
        bounds = gemm_bound(500, 500, 500, np.arange(3, 10**5, 500))
        assert (np.diff(bounds) <= 0).all()

    def test_the_bound_caps_the_intensity(self):
        cap = intensity_bound(2 * 24**3, gemm_bound(24, 24, 24, 56))
        assert gemm_kernel(24, 24, 24, block=(6, 6)).intensity <= cap
        assert cap == pytest.approx(np.sqrt(56) / 8, rel=0.15)


class TestFft:
    @given(st.integers(1, 60), st.integers(1, 60))
    def test_kept_by_the_passes_and_met_within_a_constant(self, log_points, log_fast):
        n, fast = 2**log_points, 2**log_fast
        passes = fft_kernel(n, fast, word=1).bytes
        assert fft_bound(n, fast) <= passes
        if fast >= 8:
            assert passes <= 25 * fft_bound(n, fast)

    def test_compulsory_traffic(self):
        assert fft_bound(1024, 1024) == 2048

    def test_from_k_results_at_most_k_log_k_more_follow(self):
        # the lemma behind the bound, by trying all choices on the butterfly of 4 points
        nodes = list(itertools.product(range(3), range(4)))
        for size in range(1, 8):
            most = max(_reachable(set(c)) for c in itertools.combinations(nodes, size))
            assert most <= 2 * size * np.log2(max(size, 2))

    def test_refuses_other_sizes(self):
        with pytest.raises(ValueError, match="points must be powers of two, got 12"):
            fft_bound(12, 4)


def _reachable(known):
    """Count butterfly results on 4 points that follow from `known`, those not counted."""
    before = len(known)
    for level, place in itertools.product((1, 2), range(4)):
        needs = {(level - 1, place), (level - 1, place ^ (1 << (level - 1)))}
        if needs <= known:
            known.add((level, place))
    return len(known) - before
