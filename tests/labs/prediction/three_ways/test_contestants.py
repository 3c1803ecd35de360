"""The founding question on matrix products: what the lab says must follow from the data."""

import numpy as np
import pytest

from perfmodel.labs.prediction.three_ways import contestants, product_sweep
from perfmodel.labs.prediction.three_ways.product_time import flop
from perfmodel.prediction.arena.contest import compete

QUICK = ("roofline, 2 constants", "six prices", "straight line on logs")
MIXED = "six prices x Gaussian process"
SEEDS = range(4)


@pytest.fixture(scope="module")
def runs():
    return contestants.dataset()


def board(runs, names, rounds):
    chosen = [one for one in contestants.contestants() if one.name in names]
    return compete(runs, chosen, rounds).groupby(["test", "contestant"])["mape"].mean()


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


def test_both_precisions_in_one_data_set():
    both = contestants.dataset(["fp32", "fp64"])
    assert len(both) == 1600
    assert set(both.features["word"]) == {4, 8}
    assert both.groups["precision"].count("fp32") == 800
    assert len(set(both.groups["shape"])) == 800
    with pytest.raises(ValueError, match="precision must name different precisions, got \\[\\]"):
        contestants.dataset([])


def test_every_learner_of_the_lab_sees_the_word():
    both = contestants.dataset(["fp32", "fp64"])
    rows = np.random.default_rng(0).permutation(len(both))[:120]
    twin = both.features.iloc[rows[:1]]
    learning = [one for one in contestants.contestants() if one.family != "whitebox"]
    for entry in learning:
        fitted = entry.estimator.fit(both.features.iloc[rows], both.target[rows])
        doubles, singles = (fitted.predict(twin.assign(word=word))[0] for word in (8.0, 4.0))
        assert doubles != singles, entry.name


def test_a_frame_that_cannot_be_scored_is_refused():
    whole = product_sweep.recorded()
    once = whole[whole["pass"] == 0]
    with pytest.raises(ValueError, match="2 passes or more of every product, got 1 of 16 x"):
        contestants.dataset(frame=once)
    with pytest.raises(ValueError, match="frame must have the columns .* none named pass, best_se"):
        contestants.dataset(frame=whole.drop(columns=["pass", "best_seconds"]))
    bad = whole.assign(best_seconds=whole["best_seconds"].where(whole["k"] != 64))
    with pytest.raises(ValueError, match="best_seconds must be finite"):
        contestants.dataset(frame=bad)
    with pytest.raises(ValueError, match="k must have no missing"):
        contestants.dataset(frame=whole.assign(k=whole["k"].where(whole["k"] != 64)))
    bare = whole.copy()
    bare.attrs = {}
    with pytest.raises(ValueError, match="frame must carry provenance"):
        contestants.dataset(frame=bare)
