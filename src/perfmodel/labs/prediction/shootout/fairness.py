"""What isn't equal in the contest, counted: who holds whom, and how few runs there were.

A graybox holds a learner and a whitebox, so that it is hardly ever clearly behind one of them, and
whoever counts it on one side decides who wins. `head_to_head` leaves it out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfmodel.labs.prediction.shootout.evidence import PRODUCTS, asking, collection
from perfmodel.prediction.own_data.decision_chart import ELSEWHERE, FEW, LARGER, NEAR

if TYPE_CHECKING:
    import pandas as pd

MANY = 1000
"""Rows of a data set from which on far more could have been learned from than were."""


def alone(found: pd.DataFrame) -> str:
    """Return how often the learner errs less than the whitebox with the largest budgets.

    Parameters
    ----------
    found : pandas.DataFrame
        From `perfmodel.labs.prediction.shootout.evidence.teams`.
    """
    most = found[found["most_points"]]
    return (
        "Leave out the grayboxes, which hold a model and a learner each: then the learner erred "
        f"less than the whitebox in {_learner_ahead(most)}."
    )


def head_to_head(found: pd.DataFrame) -> str:
    """Return how often the learner errs less than the whitebox, whatever the graybox does.

    Parameters
    ----------
    found : pandas.DataFrame
        From `perfmodel.labs.prediction.shootout.evidence.teams`.
    """
    near = asking(found, NEAR)
    kinds = (
        (f"among their like with at most {FEW} runs", near[near["points"] <= FEW]),
        ("with more", near[near["points"] > FEW]),
        ("of larger runs", asking(found, LARGER)),
        ("of what is unseen or hardly seen", asking(found, ELSEWHERE)),
    )
    told = ", ".join(f"{_learner_ahead(some)} {asked}" for asked, some in kinds if len(some))
    rest = found[found["dataset"].map(collection) != PRODUCTS]
    return (
        f"The learner erred less than the whitebox in {_learner_ahead(found)} questions: {told}. "
        f"Of the questions that are not about matrix products it did in {_learner_ahead(rest)}."
    )


def _learner_ahead(some: pd.DataFrame) -> str:
    return f"{int((some['ml'] < some['whitebox']).sum())} of {len(some)}"


def budgets(board: pd.DataFrame) -> str:
    """Return how few training runs the questions allow, and how many rows some data sets have.

    Parameters
    ----------
    board : pandas.DataFrame
        From `perfmodel.labs.prediction.shootout.leaderboards.recorded`.
    """
    products = board["dataset"].map(collection) == PRODUCTS
    rows = board.drop_duplicates("dataset")["rows"]
    return (
        f"No question allows more than {board['points'].max():.0f} training runs, and none that "
        f"isn't about matrix products more than {board.loc[~products, 'points'].max():.0f}, though "
        f"{int((rows >= MANY).sum())} of {len(rows)} data sets have {MANY:,} rows or more."
    )
