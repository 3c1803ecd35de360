"""What the recorded contest says about the four families: the answer, and the tables behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from perfmodel.labs.prediction.shootout.evidence import (
    CALLED,
    PRODUCTS,
    clear_losses,
    collection,
    no_better_than_a_constant,
    of_kind,
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


def answer(questions: pd.DataFrame) -> str:
    """Return the contest's answer in a few sentences, from `evidence.teams`."""
    largest = questions[questions["most_points"]]
    clear = int((largest["level"].map(len) == 0).sum())
    return (
        "**Yes, above all where data are scarce.** If you ask about something larger than you have "
        f"measured, or have at most {FEW} runs, start with a model of the system, alone or "
        "corrected by a learner. With more runs of the same kind use a learner, or a model "
        f"combined with a learner. Clear winners are rare: with as many training runs as we allow, "
        f"only {clear} of {len(largest)} questions have one."
    )


def short_chart(questions: pd.DataFrame) -> list[list[str]]:
    """Return the decision chart: question, advice, how often the advised are first, and clearly."""
    rows = []
    for branch in CHART:
        part = _of(_useful(questions), branch)
        first = int(part["first"].isin(branch.advised).sum())
        clear = len(clear_losses(part, branch.advised, branch.others))
        rows.append([branch.condition, branch.advice, f"{first} of {len(part)}", str(clear)])
    return rows


def firsts(questions: pd.DataFrame) -> list[list[object]]:
    """Return how often each family is first with the most training runs.

    Counted over all questions, without matrix products, by whether the authors of the whiteboxes
    had seen data, and with one vote for each collection of data sets, which its questions share.
    """
    largest = questions[questions["most_points"]]
    of = largest["dataset"].map(collection)
    parts = (
        ("all", largest),
        ("not about matrix products", largest[of != PRODUCTS]),
        ("whitebox designed before a row was recorded", largest[largest["blind"]]),
        ("whitebox designed with rows known", largest[~largest["blind"]]),
    )
    rows: list[list[object]] = [
        [name, len(part), *(int((part["first"] == family).sum()) for family in FAMILIES)]
        for name, part in parts
    ]
    votes = (1 / of.groupby(of).transform("size")).groupby(largest["first"]).sum()
    shares = [f"{votes.get(family, 0.0):.1f}" for family in FAMILIES]
    return [*rows, ["one vote a collection", of.nunique(), *shares]]


def pairs(questions: pd.DataFrame) -> list[list[object]]:
    """Return how often one of two families errs less, by kind of question.

    A graybox contains a learner and a whitebox, so pairs with it aren't pairs of rivals. Questions
    without a graybox are left out of its pairs.
    """
    near = of_kind(questions, NEAR)
    kinds = (
        (f"similar runs, at most {FEW} measured", near[near["points"] <= FEW]),
        (f"similar runs, more than {FEW} measured", near[near["points"] > FEW]),
        ("larger runs", of_kind(questions, LARGER)),
        ("a new machine, mixture or workload", of_kind(questions, ELSEWHERE)),
        ("all", questions),
        ("all but matrix products", questions[questions["dataset"].map(collection) != PRODUCTS]),
    )
    return [
        [name, _less(part, "ml", "whitebox"), _less(part, "graybox", "ml"),
         _less(part, "whitebox", "graybox")]
        for name, part in kinds
    ]  # fmt: skip


def _less(part: pd.DataFrame, family: str, other: str) -> str:
    both = part[part[family].notna() & part[other].notna()]
    return f"{int((both[family] < both[other]).sum())} of {len(both)}"


def losses(questions: pd.DataFrame) -> list[list[object]]:
    """Return how often families lose clearly, and by which factor of the winner's error."""
    sides = (
        ("whitebox and graybox", MODELLED, FREE),
        ("regression and learner", FREE, MODELLED),
        *(
            (CALLED[family], (family,), tuple(f for f in FAMILIES if f != family))
            for family in FAMILIES
        ),
    )
    rows: list[list[object]] = []
    for name, losers, winners in sides:
        where = clear_losses(questions, winners, losers)
        behind = where[list(losers)].min(axis=1) / where[list(winners)].min(axis=1)
        factors = [f"{behind.median():.1f}", f"{behind.max():.1f}"] if len(where) else ["", ""]
        rows.append([name, f"{len(where)} of {len(questions)}", *factors])
    return rows


def unclear(questions: pd.DataFrame) -> str:
    """Return which branches of the chart have no clear result."""
    useful = _useful(questions)
    open_ones = [
        f'"{branch.condition}"'
        for branch in CHART
        if clear_losses(_of(useful, branch), branch.advised, branch.others).empty
    ]
    if not open_ones:
        return "Each row of the table has a clear result."
    single = len(open_ones) == 1
    return (
        f"**No clear result** supports the row{'' if single else 's'} {', '.join(open_ones)}: use "
        f"{'it' if single else 'them'} as a first attempt only."
    )


def useless(questions: pd.DataFrame) -> str:
    """Return in how many questions no family is better than a constant."""
    where = no_better_than_a_constant(questions)
    return (
        f"In {len(where)} of {len(questions)} questions no family beats a constant. They are not "
        "counted in the first table."
    )


def _useful(questions: pd.DataFrame) -> pd.DataFrame:
    return questions.drop(no_better_than_a_constant(questions).index)


def _of(questions: pd.DataFrame, branch: Branch) -> pd.DataFrame:
    asked = zip(questions["split"], questions["points"], strict=True)
    return questions[np.array([branch.asks(*pair) for pair in asked], dtype=bool)]
