"""Tables and sentences on the contest: each way in which they can come out."""

import numpy as np
import pandas as pd
import pytest

from perfmodel.labs.prediction.shootout import evidence, findings
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


def test_summary_counts_only_the_largest_budgets(found):
    said = findings.summary(found)
    assert said.startswith(
        "2 data sets, 3 questions. With the largest budget first: regression 1, learner 1, "
        "graybox 1, whitebox 0."
    )
    assert "In 1 of 3 the first is clearly ahead" in said


def test_blind_whiteboxes_are_counted_apart(found):
    said = findings.by_what_was_seen(found)
    assert "(1 sets, 1 questions), first are: regression 1, whitebox 0" in said
    assert said.endswith("(1 sets, 2 questions): learner 1, graybox 1, whitebox 0, regression 0.")


def test_graybox_against_learner(found):
    assert findings.graybox_or_learner(found) == (
        "With more than 30 runs among their like: the graybox erred less than the learner in 0 of "
        "1 questions, and the learner's error was 0.56 times the graybox's at the median. Without "
        "matrix products: the graybox erred less than the learner in 0 of 1 questions, and the "
        "learner's error was 0.56 times the graybox's at the median."
    )
    few = found[found["points"] <= 30]
    assert findings.graybox_or_learner(few).startswith("No question with more than 30")
    products = found.assign(dataset="matrix products, here")
    assert "Without" not in findings.graybox_or_learner(products)


def test_matrix_products_are_counted_apart_and_collections_vote_once():
    errors = {
        ("matrix products, one", "random", "inside", 10): ((0.1, 0.3, 0.4, 0.2), ()),
        ("matrix products, two", "random", "inside", 10): ((0.1, 0.3, 0.4, 0.2), ()),
        ("HELP x", "random", "inside", 10): ((0.2, 0.3, 0.4, 0.1), ()),
        ("FBNet y", "random", "inside", 10): ((0.2, 0.3, 0.1, 0.4), ()),
        ("b", "random", "inside", 10): ((0.2, 0.3, 0.1, 0.4), ()),
    }
    assert findings.by_collection(evidence.teams(board(errors))) == (
        "2 of these 5 questions are about matrix products. In the other 3, first are: learner 2, "
        "graybox 1, whitebox 0, regression 0. If each of the 3 collections of data sets has one "
        "vote, shared by its questions: learner 1.5, whitebox 1.0, graybox 0.5, regression 0.0."
    )


def test_beyond_the_range_the_whitebox_is_held_against_the_graybox(found):
    assert findings.whitebox_or_graybox(found).startswith(
        "Of larger runs the whitebox alone erred less than the graybox in 0 of 1 questions; the "
        "graybox's error was 0.91 times the whitebox's"
    )
    assert findings.whitebox_or_graybox(found[:2]).startswith("No question on larger runs")


def test_branches_that_no_row_speaks_for_clearly_are_named(found):
    assert findings.unclear(found) == (
        '**No row speaks clearly** for the branch "a machine, mixture or workload is new": take '
        "it for what to try first, and for nothing more."
    )
    assert findings.unclear(found[:1]).count('"') == 6
    clear = {**ERRORS, ("c", "unseen machine", "beyond", 40): ((0.1, 0.3, 0.4, 0.2), ())}
    assert findings.unclear(evidence.teams(board(clear))).startswith("Each branch has a row")


def test_where_a_constant_does_as_well_no_branch_is_spoken_for():
    found = evidence.teams(board(constant=0.25))
    assert findings.useless(found).startswith(
        "In 1 of 4 questions no family did better than one number for all: b (unseen machine 40)."
    )
    assert findings.chart(found)[3][2:] == ["none of 0", "none of 0"]


def test_absurd_errors_are_told_as_such():
    errors = {("a", "random", "inside", 10): ((0.1, 12.0, 0.2, 10.0), ())}
    (row,) = evidence.rows(evidence.teams(board(errors)))
    assert row[3:7] == ["10.0", "over 1,000", "20.0", "1000.0"]


def test_losses_of_both_sides_are_named(found):
    lost = findings.whitebox_losses(found)
    assert "1 of 4 questions: a (random 100)" in lost
    assert "whitebox and graybox erred 1.8 times as much as the better of regression and" in lost
    assert "behind in 1: a (random 100). There the whitebox erred 2.0 times" in lost
    said = findings.learner_losses(found)
    assert "2 of 4 questions: a (random 10, larger 10)" in said
    assert "3.7 times" in said
    assert "4.4" in said
    assert "A learner alone was clearly behind in 2. There the learner erred 4.5 times" in said
    none = evidence.teams(board({key: ERRORS[key] for key in list(ERRORS)[1:2]}))
    assert findings.learner_losses(none).startswith("In no question")
    assert "in 0 of 1 questions." in findings.whitebox_losses(
        evidence.teams(board({key: ERRORS[key] for key in list(ERRORS)[:1]}))
    )


def test_counts_by_question_and_budget(found):
    assert evidence.counted(found) == [
        [NEAR, "at most 30", 1, 1, 0, 0, 0, 0, 0],
        [NEAR, "above 30", 1, 0, 0, 1, 0, 0, 1],
        [LARGER, "at most 30", 1, 0, 0, 0, 1, 1, 0],
        [ELSEWHERE, "above 30", 1, 0, 1, 0, 0, 0, 0],
    ]


def test_the_chart_cites_both_sides(found):
    chart = findings.chart(found)
    assert [row[2] for row in chart] == [
        "first in 1 of 1, clearly in 1 (a)",
        "first in 1 of 1, clearly in 1 (a)",
        "first in 1 of 1, clearly in 1 (a)",
        "none of 1",
    ]
    assert chart[2][3] == "none of 1"
    assert chart[3][3] == "first in 1 of 1, clearly in 0; 1 with too few units to say how clearly"


def test_sets_and_costs():
    rows = evidence.sets(board())
    assert rows[0] == ["a", 80, "row", "2.0", "before"]
    assert rows[1][3] == "not repeated"
    assert evidence.costs(board())[0] == ["a", 100, "12", "2", "2", "2", "7"]
