"""What the recorded contest says about the four families: the answer, and the tables behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from perfmodel.labs.prediction.shootout.evidence import (
    CALLED,
    PRODUCTS,
    asking,
    collection,
    lost,
    no_better_than_a_constant,
)
from perfmodel.prediction.arena.contest import FAMILIES
from perfmodel.prediction.own_data.decision_chart import (
    CHART,
    ELSEWHERE,
    FEW,
    FREE,
    LARGER,
    MODELLED,
    NEAR,
    Branch,
)

if TYPE_CHECKING:
    import pandas as pd


def answer(found: pd.DataFrame) -> str:
    """Return the contest's answer in a few sentences, from `evidence.teams`."""
    most = found[found["most_points"]]
    clear = int((most["level"].map(len) == 0).sum())
    return (
        "**Yes, above all where data are scarce.** If you ask about something larger than you have "
        f"measured, or have at most {FEW} runs, start with a model of the system. With more runs "
        "of the same kind use a learner, or a model combined with a learner. Clear winners are "
        f"rare: only {clear} of the {len(most)} questions with the most training runs have one."
    )


def short_chart(found: pd.DataFrame) -> list[list[str]]:
    """Return the decision chart: question, advice, how often the advised are first, and clearly."""
    rows = []
    for branch in CHART:
        part = _of(_told(found), branch)
        first = int(part["first"].isin(branch.advised).sum())
        clear = len(lost(part, branch.advised, branch.others))
        rows.append([branch.condition, branch.advice, f"{first} of {len(part)}", str(clear)])
    return rows


def firsts(found: pd.DataFrame) -> list[list[object]]:
    """Return how often each family is first with the most training runs.

    Counted over all questions, without matrix products, by whether the authors of the whiteboxes
    had seen data, and with one vote for each collection of data sets, which its questions share.
    """
    most = found[found["most_points"]]
    of = most["dataset"].map(collection)
    parts = (
        ("all", most),
        ("not about matrix products", most[of != PRODUCTS]),
        ("whitebox settled before a row was recorded", most[most["blind"]]),
        ("whitebox settled with rows in view", most[~most["blind"]]),
    )
    rows: list[list[object]] = [
        [name, len(part), *(int((part["first"] == family).sum()) for family in FAMILIES)]
        for name, part in parts
    ]
    votes = (1 / of.groupby(of).transform("size")).groupby(most["first"]).sum()
    shares = [f"{votes.get(family, 0.0):.1f}" for family in FAMILIES]
    return [*rows, ["one vote a collection", of.nunique(), *shares]]


def pairs(found: pd.DataFrame) -> list[list[object]]:
    """Return how often one of two families errs less, by kind of question.

    A graybox contains a learner and a whitebox, so pairs with it aren't pairs of rivals. Questions
    without a graybox are left out of its pairs.
    """
    near = asking(found, NEAR)
    kinds = (
        (f"similar runs, at most {FEW} measured", near[near["points"] <= FEW]),
        (f"similar runs, more than {FEW} measured", near[near["points"] > FEW]),
        ("larger runs", asking(found, LARGER)),
        ("a new machine, structure or order", asking(found, ELSEWHERE)),
        ("all", found),
        ("all but matrix products", found[found["dataset"].map(collection) != PRODUCTS]),
    )
    return [
        [name, _less(part, "ml", "whitebox"), _less(part, "graybox", "ml"),
         _less(part, "whitebox", "graybox")]
        for name, part in kinds
    ]  # fmt: skip


def _less(part: pd.DataFrame, one: str, other: str) -> str:
    both = part[part[one].notna() & part[other].notna()]
    return f"{int((both[one] < both[other]).sum())} of {len(both)}"


def losses(found: pd.DataFrame) -> list[list[object]]:
    """Return how often families lose clearly, and by which factor of the winner's error."""
    sides = (
        ("whitebox and graybox", MODELLED, FREE),
        ("regression and learner", FREE, MODELLED),
        *((CALLED[one], (one,), tuple(f for f in FAMILIES if f != one)) for one in FAMILIES),
    )
    rows: list[list[object]] = []
    for name, losers, winners in sides:
        where = lost(found, winners, losers)
        behind = where[list(losers)].min(axis=1) / where[list(winners)].min(axis=1)
        factors = [f"{behind.median():.1f}", f"{behind.max():.1f}"] if len(where) else ["", ""]
        rows.append([name, f"{len(where)} of {len(found)}", *factors])
    return rows


def unclear(found: pd.DataFrame) -> str:
    """Return which branches of the chart have no clear result."""
    told = _told(found)
    open_ones = [
        f'"{branch.condition}"'
        for branch in CHART
        if lost(_of(told, branch), branch.advised, branch.others).empty
    ]
    if not open_ones:
        return "Each row of the table has a clear result."
    one = len(open_ones) == 1
    return (
        f"**No clear result** supports the row{'' if one else 's'} {', '.join(open_ones)}: use "
        f"{'it' if one else 'them'} as a first attempt only."
    )


def useless(found: pd.DataFrame) -> str:
    """Return in how many questions no family is better than a constant."""
    where = no_better_than_a_constant(found)
    return (
        f"In {len(where)} of {len(found)} questions no family beats a constant. They are not "
        "counted in the table."
    )


def _told(found: pd.DataFrame) -> pd.DataFrame:
    return found.drop(no_better_than_a_constant(found).index)


def _of(found: pd.DataFrame, branch: Branch) -> pd.DataFrame:
    asked = zip(found["split"], found["points"], strict=True)
    return found[np.array([branch.asks(*pair) for pair in asked], dtype=bool)]
