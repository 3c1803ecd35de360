"""Predictors that learn only from what they are given, and what they reach on the quoted times.

Numbers without another source were worked out from the artifact's data before this package.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr

from perfmodel.labs.roofline.cnn_tiling import predictors
from perfmodel.labs.roofline.cnn_tiling.inputs import RES12, V100, YOLO18
from perfmodel.labs.roofline.cnn_tiling.performance_loss import loss_of_performance
from perfmodel.labs.roofline.cnn_tiling.predictors import (
    analytic,
    calibrated,
    fit_quality,
    forest,
    gray_forest,
    graybox,
    half_splits,
    regression,
    transfer,
)
from perfmodel.labs.roofline.cnn_tiling.tilings import count
from perfmodel.labs.roofline.cnn_tiling.timings import LAYERS, Timings, timings

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
        ("layer", "quality", "gray", "white", "error"),
        [(RES12, 0.884, 0.187, 1.107, 0.37), (YOLO18, 0.939, 0.018, 0.040, 0.25)],
        ids=lambda value: getattr(value, "name", None),
    )
    def test_on_random_halves(self, layer, quality, gray, white, error) -> None:
        assert fit_quality(layer) == pytest.approx(quality, abs=5e-4)
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

    def test_bad_input(self) -> None:
        with pytest.raises(ValueError, match="splits must be a whole number, 1 or more, got 0"):
            half_splits(RES12, analytic, splits=0)
