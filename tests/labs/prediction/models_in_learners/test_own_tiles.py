"""Sentences on searches follow their outcome."""

import numpy as np

from perfmodel.labs.prediction.models_in_learners import own_tiles
from perfmodel.labs.prediction.models_in_learners.own_tiles import OwnSearch
from perfmodel.labs.prediction.models_in_learners.tile_product import Shape, tiles
from perfmodel.labs.prediction.models_in_learners.tile_search import WAYS
from perfmodel.labs.prediction.models_in_learners.tile_times import TileTimes

SMALL = Shape(32, 32, 32)


def timed(noise: float) -> TileTimes:
    every = tiles(SMALL)
    seconds = np.linspace(1e-3, 2e-3, len(every))
    return TileTimes(SMALL, every, seconds, seconds * (1 + noise))


def test_verdicts_on_this_machine():
    quick = {"model's order": 2.0, "by chance": 9.0}
    slow = {"model's order": 9.0, "by chance": 2.0}
    assert "quiet" in own_tiles.verdict(OwnSearch(timed(0.2), quick))
    assert "chance on average at 9" in own_tiles.verdict(OwnSearch(timed(0.01), quick))
    assert "no sooner" in own_tiles.verdict(OwnSearch(timed(0.01), slow))


def test_what_is_told_has_three_outcomes():
    found = {way: np.array([2.0, 2.0, 2.1]) for way in WAYS}
    found["by chance"] = np.array([20.0, 22.0, 21.0])
    found["learner"] = np.array([1.0, 1.1, 1.0])
    found["trees taught by the other shapes"] = np.array([1.0, 9.0, 2.0])
    said = own_tiles.told(found)
    assert "Chance needs 10 times" in said
    assert "needs only 0.5" in said
    assert "no difference shown" in said


def test_a_small_shape_is_timed_and_searched():
    found = own_tiles.search_here(SMALL)
    assert min(found.counts.values()) >= 1
    assert (found.times.seconds > 0).all()
