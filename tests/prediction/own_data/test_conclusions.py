"""Every sentence and every branch of the chart, from boards written by hand."""

import numpy as np
import pandas as pd
import pytest

from perfmodel.prediction.arena.standings import FAMILY_CHOICE
from perfmodel.prediction.own_data.conclusions import branches, conclusions


class Data:
    noise = None


class Repeated:
    noise = 0.02


def board(errors, split="random", points=100, ties=(), interval=True):
    """One question's teams, best first, and the constant."""
    rows = [
        {
            "split": split,
            "test": "beyond" if split == "larger" else "inside",
            "points": points,
            "contestant": FAMILY_CHOICE,
            "family": family,
            "error": error,
            "low": 0.9 * error if interval else np.nan,
            "high": 1.1 * error if interval else np.nan,
            "least": error / 2,
            "most": 2 * error,
            "units": 50 if interval else 3,
            "ties": index == 0 or family in ties or not interval,
            "sent": "forest 6",
        }
        for index, (family, error) in enumerate(errors.items())
    ]
    rows.append({**rows[0], "contestant": "constant", "family": "regression", "error": 0.5})
    return pd.DataFrame(rows)


ALL = {"graybox": 0.05, "ml": 0.06, "regression": 0.2, "whitebox": 0.3}


def test_the_first_its_interval_and_who_is_behind():
    (said,) = conclusions(board(ALL, ties=["ml"]), Data)
    assert said == (
        "Another run of this kind, from 100 runs: the graybox has the smallest error, 5 % on "
        "average (95 % interval 4.5 % to 5.5 %). Its model: forest. Clearly behind: regression, "
        "whitebox. Not clearly behind: learner. A constant is off by 50 %."
    )


def test_whom_a_team_sent_is_told_with_how_often():
    sent = board(ALL).assign(sent="own model 1, second own model 5")
    assert "Its model: own model once, second own model 5 times." in conclusions(sent, Data)[0]


def test_few_groups_rank_nobody():
    said = conclusions(board(ALL, interval=False), Repeated, "machine")
    assert "2.5 % to 10 % by machine; 3 are too few for an interval" in said[0]
    assert "these 3, the order may differ: learner 6 %, regression 20 %, whitebox 30 %." in said[0]
    assert said[1] == "Repeats of a run differ by 2 %: no model gets far below."


@pytest.mark.parametrize(
    ("split", "start"),
    [("larger", "Runs larger than any"), ("unseen machine", "Unseen machine, from 100 runs")],
)
def test_each_question_has_its_words(split, start):
    assert conclusions(board(ALL, split), Data)[0].startswith(start)


@pytest.mark.parametrize(
    ("split", "points", "condition"),
    [
        ("larger", 100, "something larger"),
        ("random", 30, "similar runs, at most 30"),
        ("random", 31, "similar runs, more than 30"),
        ("unseen machine", 10, "a new machine, mixture"),
    ],
)
def test_the_branch_is_that_of_question_and_budget(split, points, condition):
    (branch,) = branches(board(ALL, split, points))
    assert branch[0].startswith(condition)
    assert branch[2] == "the same. The graybox is first"


@pytest.mark.parametrize(
    ("errors", "ties", "here"),
    [
        ({"ml": 0.1, "regression": 0.2}, (), "no model took part; the learner is first"),
        ({"graybox": 0.1, "ml": 0.2}, ("ml",), "the same. The graybox is first, but not clearly"),
        ({"ml": 0.1, "graybox": 0.2}, ("graybox",), "open: the learner is first"),
        ({"ml": 0.1, "graybox": 0.2}, (), "otherwise: the learner is clearly ahead"),
        ({"ml": 0.6, "graybox": 0.7}, (), "nobody does better than a constant"),
    ],
)
def test_where_own_runs_say_otherwise(errors, ties, here):
    assert branches(board(errors, points=30, ties=ties))[0][2].startswith(here)


@pytest.mark.parametrize(
    ("errors", "here"),
    [
        ({"ml": 0.1, "graybox": 0.2}, "the same. The learner is first"),
        ({"ml": 0.1, "regression": 0.2}, "no model took part; the learner is first"),
        ({"whitebox": 0.1, "graybox": 0.2}, "open: the whitebox is first"),
    ],
)
def test_with_many_runs_graybox_and_learner_are_one_advice(errors, here):
    told = branches(board(errors, points=31, ties=["graybox", "regression"]))[0][2]
    assert told.startswith(here)
