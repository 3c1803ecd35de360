"""The recorded contest's results for the families, as rows of tables, all from its board.

`teams` are the families' own choices, one row for each data set, question and budget.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from perfmodel.prediction.arena.contest import FAMILIES
from perfmodel.prediction.arena.standings import FAMILY_CHOICE
from perfmodel.prediction.own_data.decision_chart import NEAR, kind

if TYPE_CHECKING:
    import pandas as pd

CALLED = {
    "whitebox": "whitebox",
    "regression": "regression",
    "ml": "learner",
    "graybox": "graybox",
}
"""How pages call the families."""
QUESTION = ["dataset", "split", "points"]
HUGE = 10.0
"""Error, as a share, above which only that it was above is told."""
MANY = 1000
"""Rows of a data set that would have allowed far more training runs."""
PRODUCTS = "matrix products"
"""Collection of half a dozen data sets, whose work is counted more easily than most."""
COLLECTIONS = {
    "HELP ": "networks on devices",
    "FBNet ": "networks on devices",
    "NCCL ": "collectives",
    "learning curves": "learning curves",
    PRODUCTS: PRODUCTS,
}
"""By the beginnings of names of data sets; any other is a collection of its own."""


def teams(board: pd.DataFrame) -> pd.DataFrame:
    """Return one row for each data set, question and budget of a board of the arena's `standings`.

    Columns: `dataset`, `split`, `points`, `blind` (whether the whiteboxes' authors had seen
    nothing), for each family its team's error (a fraction, NaN if it didn't enter), `constant`
    (error of that entry), `most_points` (whether no budget of the question is larger), `first`
    (family), `low`, `high` and `units` of the first, `least` and `most`, `level` (families whose
    difference to the first may be nothing), and `clear` (those whose difference isn't), both
    tuples. Of larger runs only the errors beyond the training range.
    """
    import pandas as pd

    beyond = board[~board["split"].str.startswith("larger") | (board["test"] == "beyond")]
    asked = beyond[beyond["contestant"] == FAMILY_CHOICE]
    flat = beyond[beyond["contestant"] == "constant"].set_index(QUESTION)["error"]
    largest = asked.groupby(QUESTION[:2])["points"].max()
    rows = []
    for key, part in asked.groupby(QUESTION, sort=False):
        by_family = part.set_index("family").sort_values("error")
        first = by_family.iloc[0]
        level = tuple(by_family.index[1:][by_family["ties"].iloc[1:].to_numpy(dtype=bool)])
        rows.append(
            {
                **dict(zip(QUESTION, key, strict=True)),
                **{family: float(by_family["error"].get(family, np.nan)) for family in FAMILIES},
                "blind": bool(first["blind"]),
                "constant": float(flat[key]),
                "most_points": key[2] == largest[key[:2]],
                "first": by_family.index[0],
                **{name: first[name] for name in ("low", "high", "least", "most", "units")},
                "level": level,
                "clear": tuple(name for name in by_family.index[1:] if name not in level),
            }
        )
    return pd.DataFrame(rows)


def collection(dataset: str) -> str:
    """Return what a data set has in common with others: who measured what.

    >>> collection("HELP pixel2"), collection("stable sorts")
    ('networks on devices', 'stable sorts')
    """
    return next((to for start, to in COLLECTIONS.items() if dataset.startswith(start)), dataset)


def data_sets(board: pd.DataFrame) -> list[list[object]]:
    """Return a row for each data set: name, rows, units, noise floor in per cent, who saw what."""
    once = board.drop_duplicates("dataset")
    varied = board.groupby("dataset")["unit"].unique()
    return [
        [
            row.dataset,
            int(row.rows),
            ", ".join(varied[row.dataset]),
            "not repeated" if np.isnan(row.noise) else f"{100 * row.noise:.1f}",
            row.written,
        ]
        for row in once.itertuples()
    ]


def rows(questions: pd.DataFrame) -> list[list[object]]:
    """Return the rows of the main table, one for each question and budget."""
    return [
        [
            row["dataset"],
            row["split"],
            int(row["points"]),
            *(_error(row[name]) for name in FAMILIES),
            f"{CALLED[row['first']]} ({_range(row)})",
            ", ".join(CALLED[name] for name in row["level"]) or "none",
        ]
        for _, row in questions.iterrows()
    ]


def _error(share: float) -> str:
    if np.isnan(share):
        return ""
    return f"{100 * share:.1f}" if share <= HUGE else f"over {100 * HUGE:,.0f}"


def _range(row: Any) -> str:
    if np.isnan(row["low"]):
        return f"units: {100 * row['least']:.1f} to {100 * row['most']:.1f}"
    return f"{100 * max(row['low'], 0):.1f} to {100 * row['high']:.1f}"


def budgets(board: pd.DataFrame) -> str:
    """Return how few training runs the questions allow, and how many rows some data sets have."""
    products = board["dataset"].map(collection) == PRODUCTS
    rows = board.drop_duplicates("dataset")["rows"]
    return (
        f"No question allows more than {board['points'].max():.0f} training runs. Outside matrix "
        f"products the limit is {board.loc[~products, 'points'].max():.0f}, although "
        f"{int((rows >= MANY).sum())} of {len(rows)} data sets have {MANY:,} rows or more."
    )


def clear_losses(
    questions: pd.DataFrame, winners: Iterable[str], losers: Iterable[str]
) -> pd.DataFrame:
    """Return the questions where one of some families is first and others are clearly behind.

    Every loser that entered is clearly behind, and one entered at least.
    """
    ahead, behind = set(winners), set(losers)

    def beaten(row: Any) -> bool:
        entered = {name for name in behind if not np.isnan(row[name])}
        return row["first"] in ahead and bool(entered) and entered <= set(row["clear"])

    return questions[[beaten(row) for _, row in questions.iterrows()]]


def no_better_than_a_constant(questions: pd.DataFrame) -> pd.DataFrame:
    """Return the questions in which a constant errs no more than the family that is first."""
    rows = questions["first"].map({name: index for index, name in enumerate(FAMILIES)})
    least = questions[list(FAMILIES)].to_numpy()[np.arange(len(questions)), rows]
    return questions[questions["constant"] <= least]


def of_kind(questions: pd.DataFrame, asked: str) -> pd.DataFrame:
    """Return the questions of one kind: `NEAR`, `LARGER` or `ELSEWHERE`."""
    return questions[[kind(split) == asked for split in questions["split"]]]


def costs(board: pd.DataFrame) -> list[list[object]]:
    """Return what the largest budget of each data set costs.

    `measured_seconds` are those of the training runs with their repeats; fitting is the tuning of
    all that a family may send.
    """
    sent = board[board["contestant"] == FAMILY_CHOICE]
    answer: list[list[object]] = []
    for name, part in sent.groupby("dataset", sort=False):
        largest = part[part["points"] == part["points"].max()]
        inside = largest[[kind(split) == NEAR for split in largest["split"]]]
        largest = largest if inside.empty else inside
        largest = largest[largest["split"] == largest["split"].iloc[0]].drop_duplicates("family")
        fit = largest.set_index("family")["fit_seconds"]
        row = largest.iloc[0]
        answer.append(
            [
                name,
                int(row["points"]),
                _seconds(row["measured_seconds"], 3),
                *(_seconds(fit.get(name, np.nan)) for name in ("whitebox", "ml", "graybox")),
                f"{row['modeller_hours']:.0f}",
            ]
        )
    return answer


def _seconds(value: float, digits: int = 2) -> str:
    return "" if np.isnan(value) else f"{value:.{digits}g}"
