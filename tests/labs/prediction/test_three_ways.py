"""Three ways to predict a matrix product: sweeps, models, learners and the frozen board."""

import ctypes.util
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import threadpoolctl
from click.testing import CliRunner
from hypothesis import given, strategies as st
from sklearn.base import clone
from sklearn.linear_model import LinearRegression

from perfmodel.labs.prediction.three_ways import (
    contestants,
    graybox,
    other_machines,
    product_sweep,
)
from perfmodel.labs.prediction.three_ways.product_time import (
    OPENBLAS_AVX512,
    FittedRoofline,
    TiledLibrary,
    by_precision,
    flop,
    least_bytes,
    work,
    work_and_cache,
)
from perfmodel.labs.prediction.three_ways.record_library import cpuinfo, main
from perfmodel.measurement.cpu import blas
from perfmodel.prediction.arena.contest import compete
from perfmodel.prediction.arena.estimators import Priced
from perfmodel.prediction.arena.metrics import mape
from perfmodel.prediction.arena.tuning import Tuned

QUICK = ("roofline, 2 constants", "six prices", "straight line on logs")
MIXED = "six prices x Gaussian process"
SEEDS = range(4)


@pytest.fixture(scope="module")
def runs():
    return contestants.dataset()


def board(runs, names, rounds):
    chosen = [entry for entry in contestants.contestants() if entry.name in names]
    return compete(runs, chosen, rounds).groupby(["test", "contestant"])["mape"].mean()


def test_graybox_beats_whitebox_beats_the_line(runs):
    errors = board(runs, (*QUICK, MIXED), contestants.inside(runs, [100], SEEDS))["inside"]
    assert errors[MIXED] < errors["six prices"] < errors["roofline, 2 constants"]
    assert errors["six prices"] < errors["straight line on logs"] / 2
    assert errors[MIXED] < 0.09


def test_prices_go_on_beyond_and_trees_do_not(runs):
    names = ("six prices", "boosting on seconds", MIXED)
    errors = board(runs, names, contestants.beyond(runs, [30], SEEDS))
    for name in ("six prices", MIXED):
        assert errors["beyond", name] <= 1.3 * errors["inside", name]
    assert errors["above 64 x", "boosting on seconds"] > 0.9


def test_bands_share_the_large_products_out(runs):
    ((_, _, split),) = contestants.beyond(runs, [10], [0])
    size = flop(runs.features)
    cut = np.quantile(size, contestants.SMALL)
    bands = [split.tests[name] for name, _, _ in contestants.BANDS]
    assert sum(map(len, bands)) == (size > cut).sum()
    assert size[split.tests["above 64 x"]].min() > 64 * cut


def test_single_precision_is_told_by_the_same_counts():
    runs = contestants.dataset("fp32")
    errors = board(runs, QUICK, contestants.inside(runs, [30], SEEDS))["inside"]
    assert errors["six prices"] < errors["straight line on logs"] / 2


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
    learning = [
        contender for contender in contestants.contestants() if contender.family != "whitebox"
    ]
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


BOARD = other_machines.scores()
TOLD = {30: 0.08, 100: 0.06, 600: 0.05}


def with_ours(error):
    """Return the board as if the graybox had had one error everywhere new."""
    board = other_machines.scores()
    is_graybox = (board["contestant"] == other_machines.GRAYBOX) & (
        board["dataset"] != other_machines.OLD
    )
    board.loc[is_graybox, "error"] = error
    return board


def test_stored_scores_are_computed_again():
    name = other_machines.MKL
    data = other_machines.dataset(name, "fp64")
    chosen = [entry for entry in contestants.contestants() if entry.name == "six prices"]
    (stored,) = BOARD.query(
        "dataset == @name and rows == 'fp64' and points == 30 and contestant == 'six prices'"
    ).itertuples()
    rounds = other_machines.new_shapes(data, [30], range(stored.seeds))
    again = compete(data, chosen, rounds)
    assert again["mape"].mean() == pytest.approx(stored.error, rel=1e-4)
    assert other_machines.origin()["peers"]


def test_board_is_whole():
    new = BOARD[BOARD["dataset"] != other_machines.OLD]
    assert set(new["dataset"]) == set(other_machines.SWEEPS)
    for _, part in new.groupby(["dataset", "rows", "points"]):
        assert {"LightGBM, s/FLOP", "CatBoost, s/FLOP"} < set(part["contestant"])
        assert {"whitebox", "ml", "graybox"} == set(part["family"])
    assert len(new.groupby(["dataset", "rows", "points"])) == 2 * 3 * 4
    rows = other_machines.table(BOARD, other_machines.MKL, "fp64")
    assert all(len(row) == 2 + len(other_machines.BUDGETS) for row in rows)
    assert [row[3] for row in rows] == sorted(row[3] for row in rows)


def test_bars_met_and_missed():
    assert "both chosen) meets all 18 bars.**" in other_machines.against_bars(with_ours(0.01))
    worse = other_machines.against_bars(with_ours(0.10))
    assert "meets 6 of 18 bars.** It misses one by most with 600 rows (MKL" in worse
    assert "its error is 10.0 %. Each bar is a largest error" in worse
    assert "12 % with 30, 9 % with 100, 6 % with 600 training rows" in worse


def test_who_leads():
    first = other_machines.against_others(with_ours(0.001))
    assert "**No learner alone is ahead of it** in any of 24 comparisons. The best" in first
    assert first.endswith("No other model is ahead of it either.")
    behind = other_machines.against_others(with_ours(9.0))
    assert "**A learner is ahead of it** in 24 of 24 comparisons, by at most 89" in behind
    assert "Another model, no learner, is ahead in 24 comparisons, by at most 89" in behind


def test_optimism():
    assert "**Part of its lead over a learner came from" in other_machines.optimism(
        with_ours(0.5), TOLD
    )
    fine = other_machines.optimism(with_ours(0.001), TOLD)
    assert "with 30/100/600 products" in fine
    assert "had 8.0/6.0/5.0 % on the old sweep" in fine
    assert "0.1/0.1/0.1 % with MKL" in fine
    assert "**Its lead over a learner did not shrink.**" in fine
    mixed = with_ours(0.5)
    is_graybox = mixed["contestant"] == other_machines.GRAYBOX
    mixed.loc[is_graybox & (mixed["dataset"] == other_machines.OPENBLAS), "error"] = 0.001
    assert "shrank with MKL only.**" in other_machines.optimism(mixed, TOLD)


BOTH = contestants.dataset(["fp64", "fp32"])
ROWS = np.random.default_rng(3).permutation(len(BOTH))


def test_alignment_and_fill_by_hand():
    features = BOTH.features.iloc[:2].assign(
        m=[8.0, 6.0], n=[512.0, 20.0], k=[4.0, 385.0], word=8.0
    )
    assert graybox.alignment(features).tolist() == [[0, 1], [0.5, 0]]
    filled = graybox.padding(features)
    assert filled.shape == (2, 11)
    assert filled[0, 3:].tolist() == pytest.approx([0, 0, 0, 0, 0, np.log(2), 0, np.log(96)])
    padded = [24 / 20, 32 / 20, 32 / 20, 8 / 6, 8 / 6, 16 / 6, 388 / 385, 768 / 385]
    assert np.exp(filled[1, 3:]).tolist() == pytest.approx(padded)
    singles = graybox.padding(features.assign(word=4.0))
    assert np.exp(singles[1, 3]) == pytest.approx(32 / 20)


def test_mixed_precision_is_no_harder_than_one():
    train, test = ROWS[:100], ROWS[-200:]
    learned = clone(graybox.chosen_graybox()).fit(BOTH.features.iloc[train], BOTH.target[train])
    guess = learned.predict(BOTH.features.iloc[test])
    assert mape(BOTH.target[test], guess) < 0.10
    blind = BOTH.features.assign(word=8.0)
    unseeing = clone(graybox.boosted_graybox()).fit(blind.iloc[train], BOTH.target[train])
    assert mape(BOTH.target[test], unseeing.predict(blind.iloc[test])) > 0.15


def test_prices_of_each_precision_are_told_apart():
    shapes = BOTH.features.iloc[ROWS[:200]]
    rate = np.where(shapes["word"] == 4, 1e-11, 7e-11)
    model = graybox.priced().fit(shapes, rate * flop(shapes))
    assert model.chosen_.endswith("each")
    prices = model.fitted_.prices_
    assert prices["multiply-adds of words of 4"] == pytest.approx(4e-11, rel=1e-6)
    assert prices["multiply-adds of words of 8"] == pytest.approx(14e-11, rel=1e-6)


def test_shares_of_one_count_are_added_over_words():
    train = ROWS[:60]
    shapes, seconds = BOTH.features.iloc[train], BOTH.target[train]
    corrected = graybox.CorrectedPrices(graybox.priced(), None, graybox.alignment)
    corrected.model_ = graybox.priced().fit(shapes, seconds)
    corrected.rate_ = 1.0
    seen = corrected._seen(shapes)
    counts = {name.split(" of words")[0] for name in corrected.model_.fitted_.prices_}
    assert seen.shape == (60, 4 + 2 + len(counts) + 3)
    assert seen[:, 6 : 6 + len(counts)].sum(axis=1) == pytest.approx(1.0)


def test_a_word_without_a_price_is_still_given_a_time():
    singles = BOTH.features[BOTH.features["word"] == 4].index[:30]
    shapes, seconds = BOTH.features.iloc[singles], BOTH.target[singles]
    by_word = Tuned({"each": Priced(by_precision)})
    learned = graybox.CorrectedPrices(by_word, LinearRegression(), graybox.alignment).fit(
        shapes, seconds
    )
    assert (learned.model_.predict(shapes.assign(word=8.0)) == 0).all()
    predicted = learned.predict(shapes.assign(word=8.0))
    assert np.isfinite(predicted).all()
    assert (predicted > 0).all()


def test_average_is_geometric():
    class Says:
        def __init__(self, value):
            self.value = value

        def get_params(self, deep=False):
            return {"value": self.value}

        def fit(self, X, y):
            return self

        def predict(self, X):
            return np.full(len(X), self.value)

    both = graybox.GeometricMean(Says(2.0), Says(8.0)).fit(np.zeros((3, 1)), np.ones(3))
    assert both.predict(np.zeros((3, 1))).tolist() == [4, 4, 4]


def test_kernel_is_searched_on_some_rows_and_used_on_all():
    x = np.linspace(0, 6, 300)[:, None]
    process = graybox.SubsampledGaussianProcess(rows=60).fit(x, np.sin(x[:, 0]))
    assert process.predict(x) == pytest.approx(np.sin(x[:, 0]), abs=0.05)
    assert len(process.process_.X_train_) == 300
    level = graybox.SubsampledGaussianProcess().fit(x[:5], np.ones(5))
    assert level.predict(x[:2]) == pytest.approx(1.0)


@pytest.fixture(scope="module")
def library():
    paths = [str(library["filepath"]) for library in threadpoolctl.threadpool_info()]
    candidates = [path for path in paths if "openblas" in path and "numpy" in path]
    if not candidates:
        pytest.skip("NumPy has another library than OpenBLAS here")
    return Path(candidates[0])


@pytest.mark.parametrize(("precision", "close"), [("fp64", 1e-12), ("fp32", 1e-5)])
def test_products_are_right(library, precision, close):
    random, kind = np.random.default_rng(0), blas.DTYPES[precision]
    a, b = (random.random(size).astype(kind) for size in ((7, 5), (5, 9)))
    c = np.full((7, 9), np.nan, kind)
    product_sweep.product(library, precision)(a, b, c)()
    np.testing.assert_allclose(c, a @ b, rtol=close)


def test_what_is_no_library_is_refused(library):
    without = ctypes.util.find_library("m")
    if without and sys.platform == "linux":
        with pytest.raises(ValueError, match="library must have cblas_dgemm, got libm"):
            product_sweep.product(Path(without))


def test_passes_are_added(library, tmp_path):
    out = tmp_path / "mine"
    asked = [str(library), str(out), "--name", "openblas", "--count", "3", "--runs", "2"]
    for _ in range(2):
        done = CliRunner().invoke(main, asked)
        assert done.exit_code == 0, done.output
    frame = blas.load(out)
    assert frame.groupby(["precision", "pass"]).size().tolist() == [3, 3, 3, 3]
    assert (frame["best_seconds"] <= frame["median_seconds"]).all()
    assert len(frame.attrs["sittings"]) == 2
    assert frame.attrs["library"]["name"] == "openblas"


def test_cpuinfo_is_of_the_first_processor(tmp_path):
    file = tmp_path / "cpuinfo"
    file.write_text("model\t: 7\nfoo : 1\nflags : a b\n\nmodel : 8\n", "utf-8")
    assert cpuinfo(file) == {"model": "7", "flags": "a b"}
    assert cpuinfo(tmp_path / "none") == {}


NAMES = sorted(other_machines.SWEEPS)


@pytest.mark.parametrize("name", NAMES)
def test_sweeps_are_complete(name):
    runs = other_machines.recorded(name)
    passes = runs.groupby(["precision", "m", "n", "k"])["pass"].nunique()
    assert len(passes) == 1600
    assert passes.min() == passes.max() >= 3
    assert len(runs.attrs["sittings"]) == passes.min()
    assert runs.attrs["library"]["name"] in name.lower()
    assert runs.attrs["library"]["version"] != "unknown"
    old = contestants.product_sweep.recorded().attrs["provenance"]["host"]
    assert runs.attrs["provenance"]["host"]["caches"] != old["caches"]
    assert min(runs.attrs["sittings"]) > "2026-11-24T00:10:55"  # when the models were frozen


@pytest.mark.parametrize("name", NAMES)
def test_data_sets_have_what_a_contest_needs(name):
    both = other_machines.dataset(name)
    assert both.name == name
    assert len(both) == 1600
    assert set(both.features) == {*other_machines.LOGGED, *other_machines.PLAIN}
    assert set(both.groups) == {"precision", "shape"}
    assert 0 < both.noise < 0.5
    single = other_machines.dataset(name, "fp32")
    assert single.name == f"{name}, fp32"
    for model in other_machines.WHITEBOXES.values():
        guess = model.fit(both.features, both.target).predict(both.features)
        assert np.median(np.abs(guess / both.target - 1)) < 0.2


def test_test_shapes_are_new_in_both_precisions():
    both = other_machines.dataset()
    ((points, _, split),) = other_machines.new_shapes(both, [600], [3])
    shapes = both.group("shape")
    assert points == len(split.train) == 600
    assert len(split.tests["inside"]) == 200
    assert not set(shapes[split.train]) & set(shapes[split.tests["inside"]])
    ((_, _, fewer),) = other_machines.new_shapes(both, [10], [3])
    np.testing.assert_array_equal(fewer.tests["inside"], split.tests["inside"])
    with pytest.raises(ValueError, match="budgets must be from 1 to 1400 rows here, got 1401"):
        other_machines.new_shapes(both, [1401], [0])


def test_recorded_sweep_is_complete():
    runs = product_sweep.recorded()
    doubles = runs[runs["precision"] == "fp64"]
    passes = doubles.groupby(["m", "n", "k"])["pass"].nunique()
    assert len(passes) == 800
    assert passes.min() == passes.max() >= 6
    assert (runs["best_seconds"] <= runs["median_seconds"] * (1 + 1e-4)).all()
    host = runs.attrs["provenance"]["host"]
    assert host["processor"]
    assert runs.attrs["library"]["version"]
    assert runs.attrs["sittings"]


def test_best_is_over_all_passes():
    times = product_sweep.best(product_sweep.recorded(), "fp32")
    assert (times["word"] == 4).all()
    runs = product_sweep.recorded().query("precision == 'fp32'")
    lowest = runs.groupby(["m", "n", "k"])["best_seconds"].min()
    np.testing.assert_array_equal(times["seconds"], lowest)
    assert (times["second"] >= times["seconds"]).all()


def test_ones_own_sweep_enters_the_arena(tmp_path):
    own = product_sweep.measure(4, ["fp64"], passes=2, runs=2, progress=False)
    assert len(own) == 8
    product_sweep.save(own, tmp_path / "mine")
    again = contestants.dataset(frame=product_sweep.load(tmp_path / "mine"))
    assert len(again) == 4
    assert again.noise >= 0


RANDOM = np.random.default_rng(6)
SIZES = np.exp(RANDOM.uniform(np.log(16), np.log(2048), (60, 3))).round()
SHAPES = pd.DataFrame(SIZES, columns=list("mnk")).assign(word=8.0)
ODD = pd.DataFrame({"m": [10.0, 300], "n": [17.0, 512], "k": [5.0, 400], "word": [8.0, 4]})


def test_counts_by_hand():
    counts = work(ODD)
    assert counts["multiply-adds"].tolist() == [850, 30_720_000]
    assert counts["partial vectors"].tolist() == [50, 0]
    assert counts["copy of A"].tolist() == [0, 60_000]
    assert counts["copy of B"].tolist() == [0, 102_400]
    assert counts["updates of C"].tolist() == [170, 153_600]
    past = work_and_cache(ODD)["bytes past the cache"]
    moved = 4 * (300 * 400 + 400 * 512 + 300 * 512)
    assert past.tolist() == [0, moved - 2**20]
    assert flop(ODD).tolist() == [1700, 122_880_000]
    assert least_bytes(ODD)[0] == 8 * (50 + 85 + 170)


def test_another_library_counts_otherwise():
    plain = TiledLibrary(vector=16, depth=100, direct=0, cache=0)
    counts = work(ODD, plain)
    assert counts["copy of A"].tolist() == [50, 60_000]
    assert counts["partial vectors"].tolist() == [50, 0]
    assert counts["updates of C"].tolist() == [170, 2 * 153_600]
    assert OPENBLAS_AVX512.vector == 64


@given(st.floats(1e-12, 1e-9), st.floats(1e-12, 1e-8), st.sampled_from([False, True]))
def test_roofline_finds_its_constants(per_flop, per_byte, overhead):
    seconds = np.maximum(per_flop * flop(SHAPES), per_byte * least_bytes(SHAPES))
    seconds = seconds + 2e-5 * overhead
    model = FittedRoofline(overhead).fit(SHAPES, seconds)
    errors = np.abs(np.log(model.predict(SHAPES) / seconds))
    assert np.median(errors) < 0.02


def test_roofline_never_beats_either_roof():
    model = FittedRoofline().fit(SHAPES, 1e-11 * flop(SHAPES) + 1e-6)
    slope, flat = model.constants_
    assert (model.predict(SHAPES) >= slope * flop(SHAPES) * (1 - 1e-12)).all()
    assert (model.predict(SHAPES) >= flat * least_bytes(SHAPES) * (1 - 1e-12)).all()


def test_the_price_past_the_cache_cannot_be_told_from_small_products():
    small = SHAPES[least_bytes(SHAPES) < 2**20]
    model = Priced(work_and_cache).fit(small, 1e-6 + 3e-11 * flop(small))
    assert model.prices_["bytes past the cache"] == 0


def test_counts_want_all_columns_and_a_known_word():
    with pytest.raises(ValueError, match="columns m, n, k, word, got none named k, word"):
        work(ODD[["m", "n"]])
    with pytest.raises(ValueError, match=r"word must be 4 or 8 \(bytes\), got \[2.0, 8.0\]"):
        by_precision(ODD.assign(word=[2, 8]))


def test_each_precision_has_counts_of_its_own():
    apart, together = by_precision(ODD), work(ODD)
    assert len(apart) == 12
    for name, count in together.items():
        assert apart[f"{name} of words of 8"].tolist() == [count[0], 0]
        assert apart[f"{name} of words of 4"].tolist() == [0, count[1]]
