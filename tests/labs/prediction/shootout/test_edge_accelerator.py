"""A shared accelerator in the arena: the formula needs no training run."""

import numpy as np
import pandas as pd
import pytest

from perfmodel.labs.prediction.shootout import edge_accelerator
from perfmodel.prediction.arena.metrics import mape


def test_rows_are_those_of_the_mixtures():
    runs = edge_accelerator.dataset()
    assert len(runs) == 5 * (2 + 2 + 3)
    assert (runs.features["modelled"] > runs.features["service"]).all()
    assert runs.features["busy"].between(0, 1).all()


def test_formula_is_near_what_was_measured_and_reloads_matter():
    runs = edge_accelerator.dataset()
    full = edge_accelerator.queue_with_reloads(runs.features)
    np.testing.assert_array_equal(full, runs.features["modelled"])
    assert mape(runs.target, full) < 0.06
    assert mape(runs.target, edge_accelerator.plain_queue(runs.features)) > mape(runs.target, full)


def test_plain_queue_of_one_network_is_the_textbooks():
    alone = pd.DataFrame({"service": [0.1], "own_rate": [5.0], "other_rate": [0.0], "busy": [0.5]})
    assert edge_accelerator.plain_queue(alone) == pytest.approx([0.2])


def test_learners_see_the_moments_that_the_formula_takes():
    """From the columns seen the formula's own answer follows: nothing is kept from learners."""
    runs = edge_accelerator.dataset().features
    pair = runs[: 5 * 2]
    alike = pair["own_rate"] * pair["service"] + pair["other_rate"] * pair["other_service"]
    np.testing.assert_allclose(alike, pair["busy"])
    squares = (
        pair["own_rate"] * pair["service"] ** 2 + pair["other_rate"] * pair["other_service"] ** 2
    )
    np.testing.assert_allclose(squares, pair["squares"])
    assert (runs[list(edge_accelerator.SEEN)] > 0).all(axis=None)
