"""Counts of data movement by hand, their invariants, and the score with and without parallelism."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.roofline.cnn_tiling.inputs import RES12, V100, ConvLayer, Gpu
from perfmodel.labs.roofline.cnn_tiling.tilings import (
    Counts,
    Tilings,
    analytic_score,
    count,
    parallel_score,
)

LAYER = ConvLayer("any", 64, 16, 32)
SIZES = [1, 2, 4]
TILINGS = st.builds(
    Tilings,
    st.sampled_from([1, 2]),
    *[st.sampled_from(SIZES)] * 2,
    st.just(32),
    *[st.sampled_from(SIZES)] * 2,
    st.sampled_from([1, 4, 32]),
)


FASTEST = Tilings(2, 1, 7, 32, 7, 1, 32)


class TestCount:
    def test_by_hand(self) -> None:
        tiny = count(ConvLayer("tiny", 64, 4, 8), Tilings(1, 2, 2, 32, 2, 1, 2))
        assert tiny.blocks == (4 / 4) * (4 / 2) * (64 / 32) * 2
        assert tiny.warps_per_block == 2
        assert tiny.global_to_shared == 8 * (4 + 2) * 1 * 4
        assert tiny.shared_to_global == 8 * 1 * 2 * 2 * 1 * 2
        assert tiny.global_to_register == 9 * 1 * 2 * 8 * 4
        assert tiny.shared_to_register == 4 * 4 * 2 * 8 * 4
        assert tiny.register_to_shared == 1 * 2 * 2 * 2 * 8
        assert tiny.registers == 4 + 16 + 1

    @pytest.mark.parametrize(
        ("path", "transactions"),
        [
            ("global_to_shared", 36_864),
            ("shared_to_global", 25_088),
            ("global_to_register", 516_096),
            ("shared_to_register", 774_144),
            ("register_to_shared", 25_088),
        ],
    )
    def test_fastest_tiling_of_res12_by_hand(self, path, transactions) -> None:
        assert getattr(count(RES12, FASTEST), path) == transactions

    def test_wide_rows_take_more_than_one_transaction(self) -> None:
        layer = ConvLayer("wide", 32, 64, 8)
        narrow, wide = (count(layer, Tilings(1, 1, tw, 32, 1, 1, 1)) for tw in (16, 32))
        assert narrow.global_to_shared / narrow.blocks == 3 * 1 * 8
        assert wide.global_to_shared / wide.blocks == 3 * 2 * 8

    @settings(max_examples=30, deadline=None)
    @given(TILINGS)
    def test_every_output_is_written_once_by_each_sharer(self, tiling) -> None:
        counted = count(LAYER, tiling)
        outputs = LAYER.outputs * LAYER.size**2 * tiling.cm
        assert counted.shared_to_global * tiling.bk == pytest.approx(outputs)

    @settings(max_examples=30, deadline=None)
    @given(TILINGS)
    def test_sharing_the_channels_moves_more_results_only(self, tiling) -> None:
        alone = Tilings(*[getattr(tiling, f.name) for f in fields(tiling)[:-1]], 1)
        ours, theirs = count(LAYER, tiling), count(LAYER, alone)
        assert ours.global_to_register == pytest.approx(theirs.global_to_register)
        assert ours.shared_to_register == pytest.approx(theirs.shared_to_register)
        assert ours.shared_to_global == pytest.approx(theirs.shared_to_global * tiling.cm)
        assert ours.blocks == pytest.approx(theirs.blocks * tiling.cm)

    def test_stride_widens_the_input(self) -> None:
        tiling = Tilings(1, 2, 2, 32, 2, 1, 1)
        plain = count(LAYER, tiling)
        strided = count(ConvLayer("strided", 64, 16, 32, stride=2), tiling)
        assert strided.shared_to_register / plain.shared_to_register == pytest.approx(36 / 16)
        assert strided.global_to_shared / plain.global_to_shared == pytest.approx(10 / 6)
        assert strided.shared_to_global == plain.shared_to_global

    def test_a_pointwise_filter_reads_each_input_once(self) -> None:
        counted = count(ConvLayer("1x1", 32, 16, 8, filter=1), Tilings(1, 2, 2, 32, 2, 2, 1))
        assert counted.shared_to_register == 4 * 4 * counted.blocks * 8

    def test_tiles_that_do_not_divide(self) -> None:
        with pytest.raises(ValueError, match="size must be divisible by its tiles, got 7 over 2"):
            count(RES12, Tilings(1, 2, 1, 32, 1, 1, 1))
        with pytest.raises(
            ValueError, match="inputs must be divisible by its tiles, got 512 over 3"
        ):
            count(RES12, Tilings(1, 1, 1, 32, 1, 1, 3))


def counts(**values: float) -> Counts:
    return Counts(**{f.name: np.array([values.get(f.name, 0.0)]) for f in fields(Counts)})


class TestScores:
    def test_fastest_tiling_of_res12_by_hand(self) -> None:
        """(36,864 + 25,088 + 516,096) / 750."""
        assert analytic_score(count(RES12, FASTEST), V100) == pytest.approx(770.73, abs=5e-3)

    def test_the_slower_memory_decides(self) -> None:
        gpu = Gpu("made up", 10, 100, 4)
        near = counts(shared_to_register=500.0, global_to_shared=20.0)
        far = counts(shared_to_register=500.0, global_to_shared=60.0)
        assert analytic_score(near, gpu) == 5
        assert analytic_score(far, gpu) == 6

    def test_enough_warps_leave_the_score_alone(self) -> None:
        gpu = Gpu("made up", 10, 100, 4)
        busy = counts(global_to_shared=60.0, blocks=16.0, warps_per_block=2.0)
        assert parallel_score(busy, gpu, 8) == analytic_score(busy, gpu)
        assert parallel_score(busy, gpu, 32) == 4 * analytic_score(busy, gpu)

    @settings(max_examples=30, deadline=None)
    @given(TILINGS, st.floats(0.1, 64))
    def test_never_below_the_score(self, tiling, warps) -> None:
        counted = count(LAYER, tiling)
        assert (parallel_score(counted, V100, warps) >= analytic_score(counted, V100)).all()


class TestBadInput:
    def test_tilings(self) -> None:
        with pytest.raises(ValueError, match="tk must be above 0, got 0"):
            Tilings(0, 1, 1, 32, 1, 1, 1)
        with pytest.raises(ValueError, match=r"th must be whole numbers, got \[1\.5\]"):
            Tilings(1, 1.5, 1, 32, 1, 1, 1)
        with pytest.raises(ValueError, match="tile sizes must have one length"):
            Tilings([1, 2], 1, 1, 32, 1, 1, 1)

    def test_layer_and_gpu(self) -> None:
        with pytest.raises(ValueError, match="stride must be a whole number, 1 or more, got 0"):
            ConvLayer("none", 1, 1, 1, stride=0)
        with pytest.raises(ValueError, match="shared_bandwidth must be above 0, got 0"):
            Gpu("none", 1, 0, 1)
