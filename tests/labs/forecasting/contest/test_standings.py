"""Tables, figures and sentences say what the board says, whatever that is."""

import pandas as pd
import pytest

from perfmodel.labs.forecasting.contest import record, sentences, standings

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
        "Of 2 rounds on learning curves the smallest error is that of the regression in 2; in 1 of "
        "them the best can't be told from the next. Of 1 rounds on larger models the smallest "
        "error is that of the law in 1; in 0 of them the best can't be told from the next."
    )


def test_losses_of_the_law_are_named(board):
    text = sentences.says_losses(board).text
    assert (
        "an answer in 2 of 3 rounds. In the others it has too few points, or too few sizes" in text
    )
    assert "In 1 it is behind the best beyond chance, furthest for curves A at 50 %" in text
    assert "6 times that of the regression (from unrounded errors)" in text
    assert "In 1 even the last value does better." in text
    assert sentences.names_losses(board).text == (
        "The rounds in which the law loses, by name. No answer: curves A at 10 %. Behind the best: "
        "curves A at 50 %. Behind the last value: curves A at 50 %."
    )
    only = board[board["test"] == "models"]
    assert sentences.says_losses(only).text == (
        "The law has an answer in 1 of 1 rounds. Nowhere does the last value beat it beyond chance."
    )


def test_promises_are_counted(board):
    text = sentences.says_coverage(board).text
    assert "2 of 2 for the last value (median coverage 95 %), 0 of 1 for the law (median" in text


def test_table_shows_ratio_interval_and_ties(board):
    html = standings.contest_table(board).html
    for cell in ("no answer", "3.00 (2.70 to 3.30)", "regression, learner", "50\u00a0%: 7 models"):
        assert cell in html


def test_best_leaves_out_who_has_no_answer(board):
    found = [standings.best_of(entries) for _, _, entries in standings.rounds_of(board)]
    assert found == [["regression", "learner"], ["regression"], ["law"]]


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
