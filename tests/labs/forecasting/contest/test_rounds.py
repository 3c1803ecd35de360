"""Scores by hand, and tests that nobody has seen."""

import numpy as np
import pytest

from perfmodel.forecasting.laws import RISING_POWER_LAW
from perfmodel.labs.forecasting.contest import curve_contestants, rounds
from perfmodel.labs.forecasting.contest.families import CurveFamily, ModelFamily
from perfmodel.labs.forecasting.contest.forecast import Forecast, none
from perfmodel.labs.forecasting.contest.model_contestants import Models


def test_scores_by_hand():
    actual = np.array([1.0, 2.0, 3.0, 4.0])
    off, below = np.array([[0.1, 0.1, 0.5, 0.5], [-1, -1, 1, 1]])
    found = {
        "last value": Forecast(actual - 1, actual - 2, actual + 2),
        "law": Forecast(actual + off, actual + below, actual + 2),
        "learner": none(4),
    }
    last, law, silent = rounds.scores(actual, found)
    assert (last["error"], last["ratio"], last["coverage"], last["width"]) == (1, 1, 1, 4)
    assert last["behind"] == pytest.approx(0.7)
    assert last["behind_low"] > 0.4
    assert law["ratio"] == pytest.approx(0.3)
    assert law["ratio_low"] == pytest.approx(0.1)
    assert law["ratio_high"] == pytest.approx(0.5)
    assert law["behind"] == law["behind_low"] == law["behind_high"] == 0
    assert law["coverage"] == 0.5
    assert law["width"] == 2
    # Clopper and Pearson's interval of 2 in 4.
    assert (law["coverage_low"], law["coverage_high"]) == pytest.approx((0.0676, 0.9324), abs=1e-4)
    assert np.isnan([silent[name] for name in ("error", "ratio", "coverage", "width")]).all()


def test_a_curve_that_is_forecast_is_not_learned_from(monkeypatch):
    rng = np.random.default_rng(0)
    family = CurveFamily("made", rng.uniform(size=(160, 20)), rng.normal(size=(160, 1)),
                         RISING_POWER_LAW, 1.0, "share")  # fmt: skip
    given = []
    monkeypatch.setattr(curve_contestants, "answers", lambda started: given.append(started) or {})
    seen, actual, _ = rounds.curve_round(family, 0.25, tested=40)
    (started,) = given
    assert seen == 5
    assert started.prefixes.shape == (40, 5)
    assert started.finished.shape == (rounds.FINISHED, 20)
    assert not set(started.finished[:, -1]) & set(actual)


def test_models_that_are_forecast_are_the_dearest_of_their_text():
    rng = np.random.default_rng(0)
    texts = [Models(*np.exp(rng.uniform(2, 9, (2, 40))), rng.uniform(2, 3, 40)) for _ in range(2)]
    seen, actual, found = rounds.model_round(ModelFamily("made", tuple(texts), "nats"), 0.5)
    assert seen == 40
    dearest = [text.loss[np.argsort(text.compute)[-10:]] for text in texts]
    np.testing.assert_array_equal(actual, np.concatenate(dearest))
    assert all(one.middle.shape == (20,) for one in found.values())
