"""The contest of forecasts: contestants worked out otherwise, rounds, and the stored table."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy import stats

from perfmodel.forecasting.laws import RISING_POWER_LAW
from perfmodel.labs.forecasting.contest import (
    curve_contestants,
    digit_runs,
    model_contestants,
    record,
    rounds,
    sentences,
    standings,
)
from perfmodel.labs.forecasting.contest.curve_contestants import Started, features
from perfmodel.labs.forecasting.contest.families import FAMILIES, CurveFamily, ModelFamily
from perfmodel.labs.forecasting.contest.forecast import (
    Forecast,
    around,
    forest,
    joined,
    none,
    plane,
    signed_ends,
)
from perfmodel.labs.forecasting.contest.model_contestants import Models
from perfmodel.labs.forecasting.contest.rounds import TESTED


def test_ends_are_order_statistics():
    errors = np.arange(100.0)[::-1]
    # Of 101 places the second from each end leaves at most 2.5 % outside on its side.
    assert signed_ends(errors) == (1.0, 98.0)
    assert signed_ends(errors, 0.5) == (24.0, 75.0)
    assert signed_ends([3.0, -1.0]) == (-1.0, 3.0)


def test_ends_cover_a_skewed_error():
    rng = np.random.default_rng(1)
    inside = 0
    for _ in range(1500):
        errors = rng.exponential(size=101)
        low, high = signed_ends(errors[1:])
        inside += low <= errors[0] <= high
    assert stats.binomtest(inside, 1500, 97 / 101).pvalue > 0.01


def test_plane_is_the_formula_of_textbooks():
    rng = np.random.default_rng(0)
    known = rng.normal(size=(30, 2))
    results = known @ [1.0, -2.0] + 3 + 0.1 * rng.normal(size=30)
    new = rng.normal(size=(4, 2))
    result = plane(
        np.column_stack([known, np.ones(30)]), results, np.column_stack([new, [7.0] * 4])
    )
    x, at = (np.column_stack([np.ones(len(part)), part]) for part in (known, new))
    theta, (rest,), *_ = np.linalg.lstsq(x, results, rcond=None)
    spread = np.sqrt(rest / 27 * (1 + np.sum(at @ np.linalg.inv(x.T @ x) * at, axis=1)))
    np.testing.assert_allclose(result.middle, at @ theta)
    np.testing.assert_allclose(result.high - result.middle, stats.t.ppf(0.975, 27) * spread)


def test_plane_needs_more_runs_than_coefficients():
    rng = np.random.default_rng(0)
    assert np.isnan(plane(rng.normal(size=(3, 2)), np.arange(3.0), np.ones((2, 2))).middle).all()
    assert np.isfinite(plane(rng.normal(size=(4, 2)), np.arange(4.0), np.ones((2, 2))).low).all()


def test_forest_takes_errors_of_trees_that_did_not_see_the_run():
    rng = np.random.default_rng(0)
    known, noise = rng.uniform(size=(200, 1)), rng.normal(size=(400,))
    results = np.where(known[:, 0] > 0.5, 5.0, 0.0) + noise[:200]
    new = rng.uniform(size=(200, 1))
    result = forest(known, results, new)
    actual = np.where(new[:, 0] > 0.5, 5.0, 0.0) + noise[200:]
    inside = np.mean((result.low <= actual) & (actual <= result.high))
    # From errors on what the trees remember the intervals would cover half of that.
    assert 0.9 <= inside <= 0.99


def test_parts_stay_together():
    both = joined([around(np.array([1.0, 2.0]), [-0.5, 1.5]), none(1)])
    np.testing.assert_array_equal(both.low, [0.5, 1.5, np.nan])
    np.testing.assert_array_equal(both.held(0.0, 2.0).high, [2.0, 2.0, np.nan])
    assert isinstance(both, Forecast)


EPOCHS, SEEN, KNOWN = 40, 12, 60


def drawn(seed=0, runs=KNOWN + 40, noise=0.004):
    """Return curves that follow the law, each with parameters and noise of its own."""
    rng = np.random.default_rng(seed)
    ends, falls = rng.uniform(0.5, 0.8, runs), rng.uniform(0.3, 0.45, runs)
    curves = ends[:, None] - falls[:, None] * np.arange(1, EPOCHS + 1) ** -0.7
    return curves + rng.normal(0, noise, curves.shape), rng.normal(size=(runs, 2))


def started(curves, settings, seen=SEEN):
    return Started(
        curves[:KNOWN],
        settings[:KNOWN],
        curves[KNOWN:, :seen],
        settings[KNOWN:],
        RISING_POWER_LAW,
        1.0,
    )


@pytest.fixture(scope="module")
def known_law():
    curves, settings = drawn()
    return curves[KNOWN:, -1], curve_contestants.answers(started(curves, settings))


def test_all_beat_the_last_value_where_the_law_holds(known_law):
    actual, result = known_law
    errors = {name: np.abs(item.middle - actual).mean() for name, item in result.items()}
    assert max(errors[name] for name in errors if name != "last value") < errors["last value"] / 2
    assert errors["law"] == errors["law, calibrated"]


def test_stated_intervals_cover_where_the_law_holds(known_law):
    actual, result = known_law
    for name, item in result.items():
        inside = np.mean((item.low <= actual) & (actual <= item.high))
        assert inside >= 0.85, name
        assert (item.low <= item.high).all()
        assert (item.low >= 0).all()
        assert (item.high <= 1).all()


def test_law_sees_its_own_curve_only():
    curves, settings = drawn(runs=KNOWN + 3)
    first = started(curves, settings)
    other = replace(first, finished=first.finished[::-1] ** 2, settings=first.settings + 1)
    one, two = curve_contestants.answers(first), curve_contestants.answers(other)
    for end in ("middle", "low", "high"):
        np.testing.assert_array_equal(getattr(one["law"], end), getattr(two["law"], end))
    assert not np.allclose(one["law, calibrated"].low, two["law, calibrated"].low)
    assert not np.allclose(one["regression"].middle, two["regression"].middle)


def test_law_has_no_answer_from_as_many_epochs_as_parameters():
    curves, settings = drawn(runs=KNOWN + 3)
    few, more = (curve_contestants.answers(started(curves, settings, seen)) for seen in (3, 4))
    for name in ("law", "law, calibrated"):
        assert np.isnan(few[name].middle).all()
        assert np.isfinite(more[name].low).all()
    assert np.isfinite(few["learner"].middle).all()


def test_long_prefixes_become_blocks():
    prefix = np.arange(17.0)[None]
    result = features(prefix, [[3.0]])
    # The first block has three epochs, the others two.
    np.testing.assert_array_equal(result[0, :2], [1.0, 3.5])
    np.testing.assert_array_equal(result[0, -2:], [16.0, 3.0])
    assert result.shape == (1, 10)
    # Of 12 epochs the last block is the last value.
    np.testing.assert_array_equal(features(prefix[:, :12], [[3.0]])[0, -3:], [10.0, 11.0, 3.0])


@pytest.fixture(scope="module")
def models():
    rng = np.random.default_rng(0)
    size, tokens = np.exp(rng.uniform(np.log(1e7), np.log(1e10), (2, 120)))
    loss = 1.7 + 480 * size**-0.34 + 2000 * (10 * tokens) ** -0.36
    result = Models(size, 10 * tokens, loss * np.exp(rng.normal(0, 0.004, 120)))
    return result.take(np.argsort(result.compute))


def test_law_finds_its_own_and_covers(models):
    cheap, expensive = models.take(np.arange(80)), models.take(np.arange(90, 120))
    result = model_contestants.answers(cheap, expensive)
    errors = {name: np.abs(item.middle - expensive.loss).mean() for name, item in result.items()}
    assert errors["law"] < 0.03 < errors["regression"] < errors["last value"]
    inside = (result["law"].low <= expensive.loss) & (expensive.loss <= result["law"].high)
    assert inside.mean() >= 0.85
    # A mean of leaves cannot be below the least loss seen.
    assert result["learner"].middle.min() >= cheap.loss.min()


def test_losses_of_dear_models_are_not_looked_at(models):
    cheap, expensive = models.take(np.arange(40)), models.take(np.arange(90, 120))
    hidden = Models(expensive.parameters, expensive.tokens, np.full(30, 9.0))
    one, two = model_contestants.answers(cheap, expensive), model_contestants.answers(cheap, hidden)
    for name in one:
        np.testing.assert_array_equal(one[name].parts, two[name].parts)


def test_law_needs_more_models_than_parameters(models):
    expensive = models.take(np.arange(90, 120))
    for count, alone, calibrated in ((5, False, False), (8, True, False), (12, True, True)):
        result = model_contestants.answers(models.take(np.arange(count)), expensive)
        assert np.isfinite(result["law"].middle).all() == alone
        assert np.isfinite(result["law, calibrated"].low).all() == calibrated


def test_last_value_is_the_median_of_the_dearest_tenth(models):
    cheap = models.take(np.arange(40))
    result = model_contestants.answers(cheap, models.take(np.arange(90, 92)))["last value"]
    assert result.middle[0] == pytest.approx(np.median(cheap.loss[36:]))


@pytest.mark.parametrize(("sizes", "able"), [(2, False), (3, True)])
def test_law_needs_three_sizes(models, sizes, able):
    cheap, expensive = models.take(np.arange(30)), models.take(np.arange(90, 120))
    few = Models(np.array([1e7, 1e8, 1e9])[np.arange(30) % sizes], cheap.tokens, cheap.loss)
    result = model_contestants.answers(few, expensive)
    assert np.isfinite(result["law"].middle).all() == able
    assert np.isfinite(result["regression"].middle).all()


def test_settings_are_those_that_are_drawn():
    kept = digit_runs.recorded_runs()
    assert len(kept) == digit_runs.RUNS
    again = digit_runs.draw_settings()
    assert tuple(again) == digit_runs.SETTINGS
    np.testing.assert_allclose(kept[list(again)], again)


@pytest.mark.parametrize("run", [0, 7, 150])
def test_a_stored_net_trained_again(run):
    row = digit_runs.recorded_runs().iloc[run]
    again = digit_runs.train(row, run, epochs=12)
    # Sums in another order, on another processor, are amplified by training.
    kept = row[[f"acc_{epoch}" for epoch in range(1, 13)]].to_numpy(dtype=float)
    assert np.abs(again - kept).mean() < 0.02
    assert np.ptp(kept) > 0.04


def test_command_writes_runs_with_their_origin(tmp_path, monkeypatch):
    monkeypatch.setattr(digit_runs, "EPOCHS", 2)
    monkeypatch.setattr(digit_runs.train, "__defaults__", (2,))
    out = tmp_path / "runs.csv"
    done = CliRunner().invoke(digit_runs.main, ["--runs", "2", "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert len(out.read_text("utf-8").splitlines()) == 3
    assert "scikit-learn" in out.with_suffix(".json").read_text("utf-8")
    assert digit_runs.runs_origin()["versions"]["scikit-learn"]


def test_scores_by_hand():
    actual = np.array([1.0, 2.0, 3.0, 4.0])
    off, below = np.array([[0.1, 0.1, 0.5, 0.5], [-1, -1, 1, 1]])
    result = {
        "last value": Forecast(actual - 1, actual - 2, actual + 2),
        "law": Forecast(actual + off, actual + below, actual + 2),
        "learner": none(4),
    }
    last, law, silent = rounds.scores(actual, result)
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
    seen, actual, result = rounds.model_round(ModelFamily("made", tuple(texts), "nats"), 0.5)
    assert seen == 40
    dearest = [text.loss[np.argsort(text.compute)[-10:]] for text in texts]
    np.testing.assert_array_equal(actual, np.concatenate(dearest))
    assert all(item.middle.shape == (20,) for item in result.values())


KEY = ["family", "budget", "contestant"]


@pytest.mark.parametrize(
    ("family", "budgets"),
    [
        ("Chinchilla", (0.1, 0.5)),
        ("Gadre", (0.1, 0.25)),
        ("MetaQNN, CIFAR-10", (0.1,)),
        ("MetaQNN, SVHN", (0.75,)),
    ],
)
def test_stored_rounds_are_computed_again(family, budgets):
    again = record.run([family], budgets).set_index(KEY)
    kept = record.recorded().set_index(KEY).loc[again.index]
    for column in ("seen", "runs", "error", "ratio", "ratio_high", "behind_low"):
        np.testing.assert_allclose(
            again[column].astype(float), kept[column].astype(float), rtol=0.02, atol=1e-4
        )
    np.testing.assert_allclose(again["coverage"], kept["coverage"], atol=0.03)
    np.testing.assert_allclose(again["width"], kept["width"], rtol=0.1)


def test_every_family_has_rounds_with_intervals():
    board = record.recorded()
    assert list(board["family"].unique()) == list(FAMILIES)
    assert (board["runs"][board["test"] == "curves"] == TESTED).all()
    able = board.dropna()
    assert (able["ratio_low"] <= able["ratio"]).all()
    assert (able["ratio"] <= able["ratio_high"]).all()
    assert (able["coverage_low"] <= able["coverage"]).all()
    # Only a law is ever without an answer, and its two intervals belong to one forecast.
    assert set(board["contestant"][board["coverage"].isna()]) == {"law", "law, calibrated"}
    errors = able.pivot_table(index=KEY[:2], columns=KEY[2], values="error")
    both = errors.dropna()
    assert (both["law"] == both["law, calibrated"]).all()


def test_origin_says_how_long_and_by_what():
    about = record.origin()
    assert about["command"] == record.COMMAND
    assert 0 < about["seconds"] < 300
    assert about["host"]["processor"]


def test_command_runs_one_family(tmp_path):
    out = tmp_path / "board.csv"
    done = CliRunner().invoke(record.main, ["--out", str(out), "Gadre"])
    assert done.exit_code == 0, done.output
    assert len(out.read_text("utf-8").splitlines()) == 1 + 3 * 5
    with pytest.raises(ValueError, match="names must be among MetaQNN.*got 'moon'"):
        record.run(["moon"])


NONE = float("nan")


def made(family, budget, test, **errors):
    """Return the rows of one round; a contestant's error is given, its interval is 10 % wide."""
    best = min(error for error in errors.values() if error == error)
    rows = []
    for name, error in errors.items():
        who = name.replace("_", " ").replace("law calibrated", "law, calibrated")
        ratio, behind = error / errors["last_value"], error - best
        kept = NONE if error != error else 0.5 if who == "law" else 0.95
        rows.append(
            {"family": family, "test": test, "budget": budget, "seen": 7, "unit": "nats",
             "contestant": who, "runs": 20, "error": error, "ratio": ratio,
             "ratio_low": 0.9 * ratio, "ratio_high": 1.1 * ratio,
             "behind": behind, "behind_low": behind - 0.05, "behind_high": behind + 0.05,
             "coverage": kept, "coverage_low": kept - 0.1, "coverage_high": kept + 0.1,
             "width": 2.0}
        )  # fmt: skip
    return rows


@pytest.fixture
def board():
    rows = made("curves A", 0.1, "curves", last_value=2.0, law=NONE, law_calibrated=NONE,
                regression=1.0, learner=1.02)  # fmt: skip
    rows += made("curves A", 0.5, "curves", last_value=1.0, law=3.0, law_calibrated=3.0,
                 regression=0.5, learner=0.9)  # fmt: skip
    rows += made("models B", 0.5, "models", last_value=2.0, law=0.5, law_calibrated=0.5,
                 regression=1.0, learner=2.2)  # fmt: skip
    return pd.DataFrame(rows)


def test_winners_are_counted(board):
    assert sentences.says_winners(board).text == (
        "On learning curves the regression has the smallest error in 2 of 2 rounds. In 1 of the 2 "
        "rounds another contestant may be as good. On larger models the law has the smallest error "
        "in 1 of 1 rounds. In 0 of the 1 rounds another contestant may be as good."
    )


def test_losses_of_the_law_are_named(board):
    text = sentences.says_losses(board).text
    assert "an answer in 2 of 3 rounds. In the others it has too few points or sizes" in text
    assert "In 1 of its rounds it is clearly worse than the best." in text
    assert "It does worst for curves A at 50 %" in text
    assert "6 times the error of the regression." in text
    assert "In 1 of its rounds even the last value is clearly better." in text
    assert sentences.names_losses(board).text == (
        "The rounds in which the law loses, by name. No answer: curves A at 10 %. Behind the best: "
        "curves A at 50 %. Behind the last value: curves A at 50 %."
    )
    only = board[board["test"] == "models"]
    assert sentences.says_losses(only).text == (
        "The law gives an answer in 1 of 1 rounds. The last value never beats it clearly."
    )


def test_promises_are_counted(board):
    rows = np.array(re.findall("<td[^>]*>(.*?)</td>", standings.coverage_table(board).html))
    assert rows.reshape(5, 5)[:2].tolist() == [
        ["last value", "2 of 2", "95", "1 of 1", "95"],
        ["law", "0 of 1", "50", "0 of 1", "50"],
    ]


def test_table_shows_ratio_interval_and_ties(board):
    html = standings.contest_table(board).html
    for cell in ("no answer", "3.00 (2.70 to 3.30)", "regression, learner", "50\u00a0%: 7 models"):
        assert cell in html


def test_best_leaves_out_who_has_no_answer(board):
    result = [standings.best_of(entries) for _, _, entries in standings.rounds_of(board)]
    assert result == [["regression", "learner"], ["regression"], ["law"]]


def test_stored_board_is_shown_whole():
    rounds = standings.rounds_of()
    assert len(rounds) * len(standings.STATED) == len(record.recorded())
    assert standings.contest_table().text.count(f"{len(rounds)} rows") == 1
    for figure in (standings.contest_figure(), standings.coverage_figure()):
        for name, _, _ in rounds:
            assert name in figure.html


def test_every_family_is_introduced():
    html = standings.family_table().html
    for family in record.recorded()["family"].unique():
        assert family in html
    for cell in ("1,300", "141", "34 + 35 + 35", "to their end"):
        assert cell in html


def test_figures_hold_every_value():
    board = record.recorded().dropna()
    assert board["ratio_low"].min() >= 0.03
    assert board["ratio_high"].max() <= 10


def test_recorded_names_both_commands():
    text = sentences.says_recorded().text
    assert record.COMMAND in text
    assert "contest.digit_runs" in text
    assert "100 finished curves" in sentences.says_information().text


def test_one_round_again():
    assert "5 rows" in standings.repeat_table("Chinchilla", 0.25).text
