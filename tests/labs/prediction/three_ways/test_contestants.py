"""The founding question on matrix products: what the lab says must follow from the data."""

import numpy as np
import pytest

from perfmodel.labs.prediction.three_ways import contestants
from perfmodel.labs.prediction.three_ways.product_time import flop
from perfmodel.prediction.arena.contest import compete, leaderboard

QUICK = ("roofline, 2 constants", "six prices", "straight line on logs")
MIXED = "six prices x Gaussian process"
SEEDS = range(4)


@pytest.fixture(scope="module")
def runs():
    return contestants.dataset()


def board(runs, names, rounds):
    chosen = [one for one in contestants.contestants() if one.name in names]
    scores = leaderboard(compete(runs, chosen, rounds))
    return scores.set_index(["test", "contestant"])["error"]


def test_graybox_beats_whitebox_beats_the_line(runs):
    found = board(runs, (*QUICK, MIXED), contestants.inside(runs, [100], SEEDS))["inside"]
    assert found[MIXED] < found["six prices"] < found["roofline, 2 constants"]
    assert found["six prices"] < found["straight line on logs"] / 2
    assert found[MIXED] < 0.09


def test_prices_go_on_beyond_and_trees_do_not(runs):
    names = ("six prices", "boosting on seconds", MIXED)
    found = board(runs, names, contestants.beyond(runs, [30], SEEDS))
    for name in ("six prices", MIXED):
        assert found["beyond", name] <= 1.3 * found["inside", name]
    assert found["above 64 x", "boosting on seconds"] > 0.9


def test_bands_share_the_large_products_out(runs):
    ((_, _, split),) = contestants.beyond(runs, [10], [0])
    size = flop(runs.features)
    cut = np.quantile(size, contestants.SMALL)
    bands = [split.tests[name] for name, _, _ in contestants.BANDS]
    assert sum(map(len, bands)) == (size > cut).sum()
    assert size[split.tests["above 64 x"]].min() > 64 * cut


def test_single_precision_is_told_by_the_same_counts():
    runs = contestants.dataset("fp32")
    found = board(runs, QUICK, contestants.inside(runs, [30], SEEDS))["inside"]
    assert found["six prices"] < found["straight line on logs"] / 2


def test_alignment_by_hand(runs):
    features = runs.features.iloc[:2].assign(n=[512.0, 20.0])
    assert np.asarray(contestants.alignment(features)).tolist() == [[0, 1], [0.5, 0]]
