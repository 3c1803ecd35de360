"""Text regression on programs: what tokens show, where it fails, and the analysis beside it."""

import numpy as np
import pytest
from scipy import stats

from perfmodel.labs.prediction.mlir_cost import text_regression
from perfmodel.labs.prediction.mlir_cost.program import generate, parse, pressure
from perfmodel.labs.prediction.mlir_cost.text_regression import (
    FLOW,
    OPERATIONS,
    analysis,
    better_schedule,
    forest,
    ridge,
    table,
)
from perfmodel.prediction.arena import metrics
from perfmodel.prediction.arena.contest import Contestant, compete
from perfmodel.prediction.arena.splits import larger_split, shuffle_split

PROGRAMS = generate(500, seed=2)
LINE = "%5 = xpu.add %3, %4 : tensor<64x64xf32>"


@pytest.fixture(scope="module")
def runs():
    return table(PROGRAMS, "live tensors")


def test_what_each_tokeniser_sees():
    assert text_regression.tokens(LINE) == ["xpu.add", "tensor<64x64xf32>"]
    assert text_regression.tokens(LINE, FLOW) == ["%5", "xpu.add", "%3", "%4", "tensor<64x64xf32>"]
    seen = ridge(FLOW, 2).fit(table(PROGRAMS[:50], "live tensors").features, np.arange(1.0, 51))
    names = seen[0].named_transformers_["tokens"].get_feature_names_out()
    assert {"xpu.add", "%3", "%2 xpu.add"} <= set(names)


def test_the_analysis_reads_the_text_and_is_exact(runs):
    entries = [
        Contestant("liveness", "whitebox", analysis(pressure)),
        Contestant("ridge", "regression", ridge()),
        Contestant("forest", "ml", forest(trees=10)),
    ]
    size = runs.features["instructions"]
    scores = compete(runs, entries, [(150, s, larger_split(runs, size, 150, s)) for s in (0, 1)])
    of = scores.groupby(["contestant", "test"])["mape"].mean()
    assert of["liveness"].tolist() == [0, 0]
    assert (of["ridge"] > 0.05).all()
    assert (of["forest"] > 0.05).all()


def test_a_forest_stays_within_what_it_saw(runs):
    short = (runs.features["instructions"] < 20).to_numpy()
    model = forest(trees=10).fit(runs.features[short], runs.target[short])
    guess = model.predict(runs.features[~short])
    assert guess.max() <= runs.target[short].max() < runs.target[~short].max()
    assert np.mean(guess - runs.target[~short]) < -1


def test_a_bag_of_operations_ties_and_the_analysis_does_not(runs):
    pairs = text_regression.schedules(PROGRAMS[300:360])
    learned = ridge().fit(runs.features[:300], runs.target[:300])
    assert better_schedule(learned, pairs) == 0.5
    assert better_schedule(analysis(pressure), pairs) == 1.0
    assert better_schedule(analysis(lambda p: 100 - pressure(p)), pairs) == 0.0
    alike = [(p, p) for p in PROGRAMS[:3]]
    with pytest.raises(ValueError, match="different pressure at least once"):
        better_schedule(learned, alike)


def test_hidden_scratch_is_beyond_the_analysis_and_not_below_it():
    hidden = table(PROGRAMS[:100], "registers").target
    known = table(PROGRAMS[:100], "live tensors").target
    assert (hidden >= known).all()
    assert (hidden > known).mean() > 0.3
    assert (hidden - known).max() <= max(text_regression.SCRATCH.values())


def test_logarithms_are_taken_and_undone():
    costs = table(PROGRAMS, "operations")
    model = ridge(words=2, logarithm=True).fit(costs.features[:400], costs.target[:400])
    guess = model.predict(costs.features[400:])
    assert (guess > 0).all()
    constant = np.full(100, stats.gmean(costs.target[:400]))
    least = metrics.log_error(costs.target[400:], constant)
    assert metrics.log_error(costs.target[400:], guess) < least / 2


@pytest.fixture(scope="module")
def many():
    return generate(1500)


@pytest.mark.parametrize(
    ("target", "least", "most"), [("live tensors", -1, 0.05), ("operations", 0.05, 1)]
)
def test_names_of_values_help_with_operations_and_not_with_live_tensors(many, target, least, most):
    """R2 of ridge regression that is told the names, and pairs of tokens, less that without."""
    runs = table(many, target)
    label = np.log10(runs.target) if target == "operations" else runs.target
    split = shuffle_split(runs, 1000, 0, 500)
    asked, scores = split.tests["inside"], []
    for pattern, words in ((OPERATIONS, 1), (FLOW, 2)):
        model = ridge(pattern, words).fit(runs.features.iloc[split.train], label[split.train])
        scores.append(metrics.r2(label[asked], model.predict(runs.features.iloc[asked])))
    assert least < scores[1] - scores[0] < most


def test_a_forest_asked_about_longer_programs_answers_within_what_it_learned(many):
    runs = table(many, "live tensors")
    short = (runs.features["instructions"] < 25).to_numpy()
    model = forest().fit(runs.features[short], runs.target[short])
    guess = model.predict(runs.features[~short])
    assert guess.max() <= runs.target[short].max() < runs.target[~short].max()


def test_of_two_schedules_a_bag_of_operations_knows_nothing_and_liveness_all(many):
    runs = table(many, "live tensors")
    pairs = text_regression.schedules(many[1000:1100])
    learned = ridge().fit(runs.features[:1000], runs.target[:1000])
    assert better_schedule(learned, pairs) == 0.5
    assert better_schedule(analysis(pressure), pairs) == 1.0


def test_range_rmse_by_hand():
    assert text_regression.range_rmse([1.0, 5.0], [1.0, 4.0]) == pytest.approx(np.sqrt(0.5) / 4)
    with pytest.raises(ValueError, match="actual must have two different values"):
        text_regression.range_rmse([1.0, 1.0], [1.0, 2.0])


def test_bad_input():
    with pytest.raises(ValueError, match="target must be one of live tensors, registers"):
        table(PROGRAMS[:5], "watts")
    with pytest.raises(ValueError, match="text must define"):
        analysis(pressure, parse).predict({"text": ["x"]})
