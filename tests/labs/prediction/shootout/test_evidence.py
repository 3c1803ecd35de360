"""Tables and sentences on the contest: each way in which they can come out."""

import numpy as np
import pandas as pd
import pytest

from perfmodel.labs.prediction.shootout import evidence, findings, leaderboards
from perfmodel.prediction.arena.contest import FAMILIES
from perfmodel.prediction.own_data.decision_chart import ELSEWHERE, LARGER, NEAR

ERRORS = {
    # dataset, split, test, points: errors of whitebox, regression, ml, graybox; who ties
    ("a", "random", "inside", 10): ((0.10, 0.30, 0.40, 0.12), ("graybox",)),
    ("a", "random", "inside", 100): ((0.10, 0.20, 0.05, 0.09), ()),
    ("a", "larger", "inside", 10): ((0.50, 0.50, 0.01, 0.50), ()),
    ("a", "larger", "beyond", 10): ((0.11, 0.44, 0.50, 0.10), ("whitebox",)),
    ("b", "unseen machine", "beyond", 40): (
        (0.30, 0.25, 0.35, 0.31),
        ("ml", "graybox", "whitebox"),
    ),
}


def board(errors=ERRORS, constant=0.9):
    rows = []
    for (dataset, split, test, points), (by_family, tied) in errors.items():
        least = min(by_family)
        for family, error in zip(evidence.FAMILIES, by_family, strict=True):
            rows.append(
                {
                    "dataset": dataset,
                    "split": split,
                    "test": test,
                    "points": points,
                    "contestant": evidence.TEAM,
                    "family": family,
                    "error": error,
                    "low": np.nan if dataset == "b" else error - 0.12,
                    "high": np.nan if dataset == "b" else error + 0.01,
                    "least": error / 2,
                    "most": error * 2,
                    "units": 3 if dataset == "b" else 50,
                    "ties": error == least or family in tied,
                    "fit_seconds": 2.0,
                    "noise": np.nan if dataset == "b" else 0.02,
                    "rows": 80,
                    "unit": "row",
                    "written": "before",
                    "blind": dataset == "b",
                    "measured_seconds": 12.0,
                    "modeller_hours": 7.2,
                }
            )
        rows.append({**rows[-1], "contestant": "somebody", "error": 0.001})
        rows.append({**rows[-1], "contestant": "constant", "error": constant})
    return pd.DataFrame(rows)


@pytest.fixture(name="found")
def _found():
    return evidence.teams(board())


def test_teams_alone_count_and_larger_runs_only_beyond(found):
    assert len(found) == 4
    assert found["first"].tolist() == ["whitebox", "ml", "graybox", "regression"]
    assert found["level"].tolist()[0] == ("graybox",)
    assert set(found["clear"][0]) == {"regression", "ml"}


def test_rows_show_an_interval_or_the_units(found):
    rows = evidence.rows(found)
    assert rows[0][-2:] == ["whitebox (0.0 to 11.0)", "graybox"]
    assert rows[1][-1] == "none"
    assert rows[-1][-2] == "regression (units: 12.5 to 50.0)"


def test_the_answer_counts_clear_winners_of_the_largest_budgets(found):
    assert "only 1 of the 3 questions with the most training runs" in findings.answer(found)


def test_firsts_are_counted_by_what_was_seen_and_collections_vote_once():
    errors = {
        ("matrix products, one", "random", "inside", 10): ((0.1, 0.3, 0.4, 0.2), ()),
        ("matrix products, two", "random", "inside", 10): ((0.1, 0.3, 0.4, 0.2), ()),
        ("HELP x", "random", "inside", 10): ((0.2, 0.3, 0.4, 0.1), ()),
        ("FBNet y", "random", "inside", 10): ((0.2, 0.3, 0.1, 0.4), ()),
        ("b", "random", "inside", 10): ((0.2, 0.3, 0.1, 0.4), ()),
    }
    assert [row[1:] for row in findings.firsts(evidence.teams(board(errors)))] == [
        [5, 2, 0, 2, 1],
        [3, 0, 0, 2, 1],
        [1, 0, 0, 1, 0],
        [4, 2, 0, 1, 1],
        [3, "1.0", "0.0", "1.5", "0.5"],
    ]


def test_smaller_budgets_are_left_out(found):
    assert findings.firsts(found)[0] == ["all", 3, 0, 1, 1, 1]


def test_pairs_leave_out_questions_without_a_graybox(found):
    assert [row[1:] for row in findings.pairs(found)] == [
        ["0 of 1", "1 of 1", "1 of 1"],
        ["1 of 1", "0 of 1", "0 of 1"],
        ["0 of 1", "1 of 1", "0 of 1"],
        ["0 of 1", "1 of 1", "1 of 1"],
        ["1 of 4", "3 of 4", "2 of 4"],
        ["1 of 4", "3 of 4", "2 of 4"],
    ]
    none = found.assign(graybox=np.nan)
    assert findings.pairs(none)[4][1:] == ["1 of 4", "0 of 0", "0 of 0"]
    products = found.assign(dataset="matrix products, here")
    assert findings.pairs(products)[5][1:] == ["0 of 0", "0 of 0", "0 of 0"]


def test_branches_without_a_clear_result_are_named(found):
    assert findings.unclear(found) == (
        '**No clear result** supports the row "a new machine, mixture or workload": use it as a '
        "first attempt only."
    )
    assert findings.unclear(found[:1]).count('"') == 6
    clear = {**ERRORS, ("c", "unseen machine", "beyond", 40): ((0.1, 0.3, 0.4, 0.2), ())}
    assert findings.unclear(evidence.teams(board(clear))).startswith("Each row")


def test_where_a_constant_does_as_well_nothing_is_counted():
    found = evidence.teams(board(constant=0.25))
    assert findings.useless(found).startswith("In 1 of 4 questions no family beats a constant.")
    assert findings.short_chart(found)[3][2:] == ["0 of 0", "0"]


def test_absurd_errors_are_told_as_such():
    errors = {("a", "random", "inside", 10): ((0.1, 12.0, 0.2, 10.0), ())}
    (row,) = evidence.rows(evidence.teams(board(errors)))
    assert row[3:7] == ["10.0", "over 1,000", "20.0", "1000.0"]


def test_losses_of_both_sides(found):
    assert findings.losses(found) == [
        ["whitebox and graybox", "1 of 4", "1.8", "1.8"],
        ["regression and learner", "2 of 4", "3.7", "4.4"],
        ["whitebox", "1 of 4", "2.0", "2.0"],
        ["regression", "3 of 4", "4.0", "4.4"],
        ["learner", "2 of 4", "4.5", "5.0"],
        ["graybox", "1 of 4", "1.8", "1.8"],
    ]
    none = evidence.teams(board({key: ERRORS[key] for key in list(ERRORS)[:1]}))
    assert findings.losses(none)[0] == ["whitebox and graybox", "0 of 1", "", ""]


def test_counts_by_question_and_budget(found):
    assert evidence.counted(found) == [
        [NEAR, "at most 30", 1, 1, 0, 0, 0, 0, 0],
        [NEAR, "above 30", 1, 0, 0, 1, 0, 0, 1],
        [LARGER, "at most 30", 1, 0, 0, 0, 1, 1, 0],
        [ELSEWHERE, "above 30", 1, 0, 1, 0, 0, 0, 0],
    ]


def test_the_chart_counts_what_is_first_and_clearly(found):
    assert [row[2:] for row in findings.short_chart(found)] == [
        ["1 of 1", "1"],
        ["1 of 1", "1"],
        ["1 of 1", "1"],
        ["0 of 1", "0"],
    ]


def test_the_recorded_contest_supports_the_answer():
    found = evidence.teams(leaderboards.recorded())
    larger, few, many, _ = findings.short_chart(found)
    for first, _, asked in (row[2].split() for row in (larger, few, many)):
        assert int(first) > 0.75 * int(asked)
    clear = (found[found["most_points"]]["level"].map(len) == 0).mean()
    assert clear < 0.25
    every = dict(zip(FAMILIES, findings.firsts(found)[0][2:], strict=True))
    assert abs(every["whitebox"] - every["graybox"]) <= 0.05 * len(found)


def test_the_recorded_pairs_support_the_sentences_about_them():
    rows = {
        name: [tuple(map(int, cell.split(" of "))) for cell in cells]
        for name, *cells in findings.pairs(evidence.teams(leaderboards.recorded()))
    }
    for asked in ("similar runs, at most 30 measured", "larger runs"):
        (ahead, count), *_ = rows[asked]
        assert ahead <= count / 2, asked
    *_, (ahead, count) = rows["larger runs"]
    assert ahead > count / 2


def test_budgets_next_to_rows():
    products = pd.DataFrame(
        {
            "dataset": ["stable sorts", "matrix products, CPU", "FBNet raspi4"],
            "points": [100, 600, 30],
            "rows": [300, 800, 5000],
        }
    )
    assert evidence.budgets(products) == (
        "No question allows more than 600 training runs. Outside matrix products the limit is 100, "
        "although 1 of 3 data sets have 1,000 rows or more."
    )


def test_sets_and_costs():
    rows = evidence.sets(board())
    assert rows[0] == ["a", 80, "row", "2.0", "before"]
    assert rows[1][3] == "not repeated"
    assert evidence.costs(board())[0] == ["a", 100, "12", "2", "2", "2", "7"]
