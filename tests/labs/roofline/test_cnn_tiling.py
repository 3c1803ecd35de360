"""Losses by hand and over random orders."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.stats import pearsonr, spearmanr

from perfmodel.labs.roofline.cnn_tiling import predictors
from perfmodel.labs.roofline.cnn_tiling.predictors import (
    analytic,
    calibrated,
    forest,
    gray_forest,
    graybox,
    half_splits,
    loss_curve,
    loss_of_performance,
    regression,
    transfer,
)
from perfmodel.labs.roofline.cnn_tiling.tiled_product import loop_starts, product, words
from perfmodel.labs.roofline.cnn_tiling.tilings import (
    LAYERS,
    RES12,
    V100,
    YOLO18,
    ConvLayer,
    Counts,
    Gpu,
    Tilings,
    Timings,
    analytic_score,
    count,
    parallel_score,
    tile_paths,
    timings,
)
from perfmodel.live.drawing import Cells, Text

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

    def test_every_prediction_needs_its_measurement(self) -> None:
        with pytest.raises(ValueError, match="predicted must have 2 values, got 1"):
            loss_curve([1], [1, 2])


# Predictors that learn only from what they are given, and what they reach on the quoted times.

PREDICTORS = [analytic, calibrated, regression, forest, graybox, gray_forest]
each = pytest.mark.parametrize("predictor", PREDICTORS, ids=lambda p: p.__name__)


class TestAnalytic:
    @pytest.mark.parametrize(
        ("layer", "ranks", "shared", "place"),
        [(RES12, -0.269, 0.012, 53), (YOLO18, 0.601, 0.761, 8)],
        ids=lambda value: getattr(value, "name", None),
    )
    def test_score_and_time(self, layer, ranks, shared, place) -> None:
        case = timings(layer)
        score = analytic(case, case)
        assert spearmanr(score, case.seconds).statistic == pytest.approx(ranks, abs=5e-4)
        correlation = pearsonr(np.log(score), np.log(case.seconds)).statistic
        assert correlation**2 == pytest.approx(shared, abs=5e-4)
        order = np.argsort(score, kind="stable")
        assert np.flatnonzero(order == case.seconds.argmin())[0] + 1 == place

    @pytest.mark.parametrize(
        ("layer", "losses"),
        [
            (RES12, (28.748, 7.000, 1.540, 0.649, 0.054, 0.054)),
            (YOLO18, (6.519, 0.147, 0.147, 0, 0, 0)),
        ],
        ids=lambda value: getattr(value, "name", None),
    )
    def test_losses(self, layer, losses) -> None:
        case = timings(layer)
        score = analytic(case, case)
        for tries, loss in zip((1, 3, 5, 10, 15, 30), losses, strict=True):
            ours = loss_of_performance(score, case.seconds, tries)
            assert ours == pytest.approx(loss, abs=5e-4)


class TestGraybox:
    @pytest.mark.parametrize(
        ("layer", "gray", "white", "error"),
        [(RES12, 0.187, 1.107, 0.37), (YOLO18, 0.018, 0.040, 0.25)],
        ids=lambda value: getattr(value, "name", None),
    )
    def test_on_random_halves(self, layer, gray, white, error) -> None:
        losses, errors = half_splits(layer, graybox)
        assert losses.mean() == pytest.approx(gray, abs=5e-4)
        assert errors.mean() == pytest.approx(error, abs=5e-3)
        assert half_splits(layer, analytic)[0].mean() == pytest.approx(white, abs=5e-4)


@each
class TestPredictors:
    def test_does_not_look_at_the_times_it_is_judged_by(self, predictor) -> None:
        train, test = timings(RES12), timings(YOLO18)
        blind = Timings(test.layer, test.tilings, np.full(len(test.tilings), 1.0))
        assert predictor(train, test).tolist() == predictor(train, blind).tolist()

    def test_more_tries_never_lose_more(self, predictor) -> None:
        losses = transfer(YOLO18, RES12, predictor)
        assert losses.shape == (160,)
        assert (np.diff(losses) <= 0).all()
        assert losses[-1] == 0


class TestRegressions:
    @pytest.mark.parametrize("predictor", [regression, graybox])
    def test_recovers_a_power_law_of_its_own_features(self, predictor) -> None:
        case = timings(RES12)
        counted = count(case.layer, case.tilings)
        made = (
            case.tilings.tk**2 / case.tilings.cm
            if predictor is regression
            else (counted.blocks**0.5 * counted.registers)
        )
        made_up = Timings(case.layer, case.tilings, made)
        assert predictor(made_up, made_up) == pytest.approx(made, rel=1e-8)

    def test_calibration_finds_the_constant_that_made_the_times(self) -> None:
        case = timings(RES12)
        made = predictors.parallel_score(count(case.layer, case.tilings), V100, 16)
        made_up = Timings(case.layer, case.tilings, made)
        assert calibrated(made_up, made_up) == pytest.approx(made)


class TestHalfSplits:
    def test_whitebox_needs_no_luck_with_its_training_half(self) -> None:
        losses, errors = half_splits(RES12, analytic, splits=3)
        assert losses.shape == errors.shape == (3,)
        assert half_splits(RES12, analytic, splits=3)[0].tolist() == losses.tolist()
        assert half_splits(RES12, analytic, splits=3, seed=1)[0].tolist() != losses.tolist()

    def test_structure_helps_the_regression(self) -> None:
        for layer in LAYERS:
            gray, plain = (half_splits(layer, p)[0].mean() for p in (graybox, regression))
            assert gray < plain


# The drawn paths: readable, with the transactions that are counted.

FASTEST, SLOWEST = Tilings(2, 1, 7, 32, 7, 1, 32), Tilings(16, 1, 7, 32, 1, 1, 1)


@pytest.mark.parametrize("tiling", [FASTEST, SLOWEST], ids=["fastest", "slowest"])
def test_paths_can_be_read_and_add_up(tiling):
    scene, counts = tile_paths(RES12, tiling), count(RES12, tiling)
    assert scene.faults() == []
    numbers = [s.words.replace(",", "") for s in scene.shapes if isinstance(s, Text)]
    moved = sum(int(words) for words in numbers if words.isdigit())
    assert moved == counts.global_traffic[0] + counts.shared_traffic[0]


@pytest.mark.parametrize(("tiling", "busy"), [(FASTEST, V100.multiprocessors), (SLOWEST, 7)])
def test_a_multiprocessor_without_a_block_stays_empty(tiling, busy):
    scene = tile_paths(RES12, tiling)
    (grid,) = [shape for shape in scene.shapes if isinstance(shape, Cells)]
    assert len(grid.filled) == busy == scene.values["multiprocessors with work"]


def test_refuses_more_than_one_tiling():
    with pytest.raises(ValueError, match="one choice of tile sizes, got 2"):
        tile_paths(RES12, Tilings([2, 2], [1, 1], [7, 7], [32, 32], [7, 7], [1, 1], [32, 32]))


# The tiled product is the product; its counts have their limits.


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 12), *[st.integers(1, 15)] * 3)
def test_equals_the_product(n, ti, tj, tk) -> None:
    rng = np.random.default_rng(n)
    left, right = rng.normal(size=(2, n, n))
    assert product(left, right, ti, tj, tk) == pytest.approx(left @ right, rel=1e-9, abs=1e-12)


def test_one_tile_moves_each_matrix_once() -> None:
    assert words(10, 10, 10, 10) == 4 * 10**2
    assert words(10, 1, 1, 1) == 4 * 10**3


def test_loops_of_the_inner_columns() -> None:
    assert loop_starts(8, 2, [1, 4, 8], 2).tolist() == [512, 128, 64]


def test_matrices_must_be_square_and_of_one_shape() -> None:
    with pytest.raises(ValueError, match=r"square and of one shape, got \(2, 3\) and \(2, 3\)"):
        product(np.ones((2, 3)), np.ones((2, 3)), 1, 1, 1)


# Counts of data movement by hand, their invariants, and the score with and without parallelism.

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
TILINGS_FASTEST = Tilings(2, 1, 7, 32, 7, 1, 32)


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
        assert getattr(count(RES12, TILINGS_FASTEST), path) == transactions

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
        assert analytic_score(count(RES12, TILINGS_FASTEST), V100) == pytest.approx(
            770.73, abs=5e-3
        )

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


def test_tile_sizes_are_whole_and_of_one_length() -> None:
    with pytest.raises(ValueError, match=r"th must be whole numbers, got \[1\.5\]"):
        Tilings(1, 1.5, 1, 32, 1, 1, 1)
    with pytest.raises(ValueError, match="tile sizes must have one length"):
        Tilings([1, 2], 1, 1, 32, 1, 1, 1)


# The quoted times of 217 tilings.


class TestTimings:
    def test_all_rows_and_no_row_twice(self) -> None:
        assert [len(timings(layer).tilings) for layer in LAYERS] == [160, 57]
        for layer in LAYERS:
            rows = timings(layer).tilings.matrix
            assert len(np.unique(rows, axis=0)) == len(rows)

    def test_tiles_fit_their_layer(self) -> None:
        for layer in LAYERS:
            assert (count(layer, timings(layer).tilings).blocks >= 1).all()

    def test_other_layers(self) -> None:
        with pytest.raises(ValueError, match="layer must be one of res12, yolo18, got 'res6'"):
            timings(ConvLayer("res6", 128, 28, 128))
