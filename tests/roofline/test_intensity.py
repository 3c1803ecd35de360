"""Counted intensity against hand values, counted loops and FuseMax's closed forms."""

import pytest
from hypothesis import given, strategies as st

from perfmodel.roofline.cache import gemm_accesses, lru_traffic
from perfmodel.roofline.intensity import (
    attention_kernel,
    fft_kernel,
    gemm_kernel,
    spmv_kernel,
    stream_kernel,
)


class TestStream:
    @pytest.mark.parametrize(
        ("name", "flops", "arrays"),
        [("copy", 0, 2), ("scale", 1, 2), ("add", 1, 3), ("triad", 2, 3)],
    )
    def test_by_hand(self, name, flops, arrays):
        kernel = stream_kernel(name, 100, write_allocate=False)
        assert (kernel.flops, kernel.bytes) == (100 * flops, 800 * arrays)
        assert stream_kernel(name, 100).bytes == 800 * (arrays + 1)


class TestGemm:
    @given(
        st.sampled_from([1, 2, 3, 4, 6, 12]),
        st.sampled_from([1, 2, 3, 4, 6, 12]),
    )
    def test_equals_the_count_of_the_blocked_loop(self, rows, columns):
        # exact count: the block of C stays, A's columns and B's rows stream past it
        n = 12
        capacity = rows * columns + 2 * rows + 2 * columns + 2
        moved = lru_traffic(gemm_accesses(n, (rows, columns, n)), capacity)
        assert moved.words == pytest.approx(
            gemm_kernel(n, n, n, block=(rows, columns), word=1).bytes
        )

    def test_blocks_that_do_not_divide_are_rounded_up(self):
        # n = 10 in blocks of 4: three passes over A and over B
        assert gemm_kernel(10, 10, 10, block=(4, 4), word=1).bytes == 100 * (3 + 3 + 2)

    def test_intensity_grows_with_the_block_up_to_everything(self):
        intensities = [
            gemm_kernel(64, 64, 64, block=(b, b)).intensity for b in (1, 2, 4, 8, 16, 32, 64)
        ]
        assert intensities == sorted(intensities)
        assert intensities[-1] == gemm_kernel(64, 64, 64).intensity == 64 / 16


class TestSparse:
    def test_by_hand(self):
        # 10 nonzeros a row: 12 + 0.8 bytes each, and 4 + 16 bytes a row
        kernel = spmv_kernel(1000, 10_000)
        assert kernel.bytes == pytest.approx(10_000 * 12.8 + 20_000)
        assert kernel.intensity == pytest.approx(2 / (12.8 + 2))

    def test_worst_gather(self):
        assert spmv_kernel(1000, 10_000, gather=1).bytes == 10_000 * 20 + 20_000

    @given(st.integers(1, 10**6), st.integers(1, 10**8), st.floats(0, 1))
    def test_below_the_limit_that_values_and_indices_set(self, rows, nonzeros, gather):
        assert spmv_kernel(rows, nonzeros, gather=gather).intensity < 2 / 12


class TestFft:
    @pytest.mark.parametrize(
        ("cache", "passes"), [(2, 20), (2**10, 2), (2**20, 1), (1500, 2), (1e9, 1)]
    )
    def test_passes(self, cache, passes):
        kernel = fft_kernel(2**20, cache)
        assert kernel.flops == 5 * 2**20 * 20
        assert kernel.bytes == 32 * 2**20 * passes

    def test_refuses_other_sizes(self):
        with pytest.raises(ValueError, match="points must be a power of two, got 12"):
            fft_kernel(12, 4)


class TestAttention:
    @pytest.mark.parametrize("length", [1024, 4096, 65536])
    @pytest.mark.parametrize(("heads", "width"), [(768, 64), (1024, 128)])
    def test_three_passes_are_fusemax_s_unfused_baseline(self, length, heads, width):
        # 8 n L (L + E) bytes
        ours = attention_kernel(length, width, heads=heads, passes=3).bytes
        assert ours == pytest.approx(8 * heads * length * (length + width), rel=1e-12)

    @pytest.mark.parametrize(
        ("length", "bytes"), [(1024, 402_653_184), (65536, 38_654_705_664), (2**20, None)]
    )
    def test_one_pass_is_fusemax(self, length, bytes):
        # BERT, 64 x 12 heads of width 64; as many tiles of 256 queries as divide the length and
        # fit into 16 MiB beside a tile of keys and values
        fit = (16 * 2**20 - 2 * 256 * 128) // (2 * 130 * 256)
        resident = max(d for d in range(1, fit + 1) if (length // 256) % d == 0)
        ours = attention_kernel(length, 64, heads=768, queries=256 * resident)
        closed = 2 * 768 * length * 128 * (1 + (length / 256) / resident)
        assert ours.bytes == pytest.approx(closed, rel=1e-12)
        if bytes:
            assert ours.bytes == pytest.approx(bytes, rel=1e-12)

    @given(st.integers(1, 10**5), st.integers(1, 256))
    def test_each_pass_fewer_saves_a_write_and_a_read_of_the_scores(self, length, width):
        three, two, one = (attention_kernel(length, width, passes=p).bytes for p in (3, 2, 1))
        assert three - two == two - one == 4 * length**2

    def test_one_pass_keeps_gaining_with_length_and_three_do_not(self):
        ratio = [
            attention_kernel(2 * n, 64).intensity / attention_kernel(n, 64).intensity
            for n in (1e3, 1e6)
        ]
        assert ratio == pytest.approx([2, 2])
        limit = attention_kernel(10**7, 64, passes=3).intensity
        assert limit == pytest.approx(2 * 128 / (4 * 2), rel=1e-4)

    def test_refuses_other_passes(self):
        with pytest.raises(ValueError, match="passes must be 1, 2 or 3, got 4"):
            attention_kernel(10, 10, passes=4)
