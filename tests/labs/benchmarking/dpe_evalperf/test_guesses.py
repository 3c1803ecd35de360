"""Guesses of hidden scores: exact where their model holds, and blind to what is hidden."""

import numpy as np
import pytest

from perfmodel.labs.benchmarking.dpe_evalperf.guesses import hidden_errors

RNG = np.random.default_rng(3)
PARTS = np.add.outer(RNG.normal(50, 9, 12), RNG.normal(0, 9, 30))


def test_regression_is_exact_on_sums_of_parts():
    errors = hidden_errors(PARTS)
    assert errors["regression"] == pytest.approx(np.zeros(errors["regression"].size), abs=1e-9)
    assert errors["own mean"].mean() > 1


def test_the_mean_of_the_task_is_exact_where_models_are_alike():
    alike = np.tile(RNG.normal(50, 9, 30), (6, 1))
    errors = hidden_errors(alike)
    assert errors["task mean"] == pytest.approx(np.zeros(errors["task mean"].size), abs=1e-9)
    assert errors["own mean"].mean() > 1


def test_the_nearest_model_is_exact_on_twins():
    twins = np.repeat(RNG.normal(50, 9, (6, 30)), 2, axis=0)
    assert np.median(hidden_errors(twins)["nearest model"]) == 0


def test_a_hidden_score_is_not_looked_at():
    single = PARTS.copy()
    single[4] += 1000.0 * (np.arange(30) == 7)
    plain, spiked = hidden_errors(PARTS, 0.5, seed=1), hidden_errors(single, 0.5, seed=1)
    hidden = np.random.default_rng(1).random(PARTS.size) < 0.5
    assert hidden[4 * 30 + 7]
    assert (spiked["regression"] - plain["regression"]).max() == pytest.approx(1000, abs=1)


def test_a_share_of_all_is_refused():
    with pytest.raises(ValueError, match="share must be between 0.001 and 0.5, got 0.9"):
        hidden_errors(PARTS, 0.9)
