"""A shared accelerator in the arena: the formula needs no training run."""

import numpy as np

from perfmodel.labs.prediction.shootout import edge_accelerator
from perfmodel.prediction.arena.contest import compete, leaderboard
from perfmodel.prediction.arena.splits import unseen_split


def test_rows_are_those_of_the_mixtures():
    runs = edge_accelerator.dataset()
    assert len(runs) == 5 * (2 + 2 + 3)
    assert (runs.features["modelled"] > runs.features["service"]).all()
    assert runs.features["busy"].between(0, 1).all()


def test_formula_is_best_on_a_mixture_that_is_new():
    runs = edge_accelerator.dataset()
    chosen = [entry for entry in edge_accelerator.contestants() if "forest" not in entry.name]
    rounds = [
        (15, seed, unseen_split(runs, "machine", name, 15, seed)) for seed, name in enumerate("ABC")
    ]
    board = leaderboard(compete(runs, chosen, rounds)).set_index("contestant")["error"]
    assert board["queueing formula, nothing fitted"] < 0.06
    assert board["ridge on logs"] > 2 * board["queueing formula, nothing fitted"]


def test_formula_is_the_column():
    runs = edge_accelerator.dataset()
    model = edge_accelerator.contestants()[0].estimator.fit(runs.features, runs.target)
    np.testing.assert_array_equal(model.predict(runs.features), runs.features["modelled"])
