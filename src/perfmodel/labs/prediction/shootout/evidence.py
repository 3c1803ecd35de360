"""What the recorded contest says of families, as rows of tables, all from its board.

`teams` are the families' own choices, one row for each data set, question and budget.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from perfmodel.prediction.arena.contest import FAMILIES
from perfmodel.prediction.arena.standings import TEAM

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
FEW = 30
"""Training runs that the decision chart calls few."""
NEAR, LARGER, ELSEWHERE = "among its like", "larger", "unseen, or a few runs of it"
"""Kinds of question, from the names of splits."""
DRAWN_ALIKE = ("unseen shape", "unseen layer")
"""Splits that only keep a row's relatives out of training: shapes and layers are drawn alike."""


def teams(board: pd.DataFrame) -> pd.DataFrame:
    """Return one row for each data set, question and budget.

    Parameters
    ----------
    board : pandas.DataFrame
        As from `perfmodel.prediction.arena.standings.standings`, with teams of all families that
        entered.

    Returns
    -------
    pandas.DataFrame
        `dataset`, `split`, `points`, for each family its team's error (a share, NaN if it didn't
        enter), `first` (family), `low`, `high` and `units` of the first, `least` and `most`,
        `level` (families whose difference to the first may be nothing), and `clear` (those whose
        difference isn't), both tuples. Of larger runs only the errors beyond the training range.
    """
    import pandas as pd

    asked = board[board["contestant"] == TEAM]
    asked = asked[~asked["split"].str.startswith("larger") | (asked["test"] == "beyond")]
    rows = []
    for key, part in asked.groupby(QUESTION, sort=False):
        by_family = part.set_index("family").sort_values("error")
        first = by_family.iloc[0]
        level = tuple(by_family.index[1:][by_family["ties"].iloc[1:].to_numpy(dtype=bool)])
        rows.append(
            {
                **dict(zip(QUESTION, key, strict=True)),
                **{family: float(by_family["error"].get(family, np.nan)) for family in FAMILIES},
                "first": by_family.index[0],
                **{name: first[name] for name in ("low", "high", "least", "most", "units")},
                "level": level,
                "clear": tuple(name for name in by_family.index[1:] if name not in level),
            }
        )
    return pd.DataFrame(rows)


def sets(board: pd.DataFrame) -> list[list[object]]:
    """Return a row for each data set: name, rows, unit, noise floor in per cent, who saw what.

    Parameters
    ----------
    board : pandas.DataFrame
        With the columns `rows`, `unit`, `noise` and `written`.
    """
    once = board.drop_duplicates("dataset")
    return [
        [
            one.dataset,
            int(one.rows),
            one.unit,
            "not repeated" if np.isnan(one.noise) else f"{100 * one.noise:.1f}",
            one.written,
        ]
        for one in once.itertuples()
    ]


def rows(found: pd.DataFrame) -> list[list[object]]:
    """Return the rows of the main table: each question with its smallest and largest budget.

    Parameters
    ----------
    found : pandas.DataFrame
        From `teams`.
    """
    budgets = found.groupby(["dataset", "split"])["points"]
    ends = (found["points"] == budgets.transform("min")) | (
        found["points"] == budgets.transform("max")
    )
    return [
        [
            row["dataset"],
            row["split"],
            int(row["points"]),
            *("" if np.isnan(row[name]) else f"{100 * row[name]:.1f}" for name in FAMILIES),
            f"{CALLED[row['first']]} ({_range(row)})",
            ", ".join(CALLED[name] for name in row["level"]) or "none",
        ]
        for _, row in found[ends].iterrows()
    ]


def _range(row: Any) -> str:
    if np.isnan(row["low"]):
        return f"units: {100 * row['least']:.1f} to {100 * row['most']:.1f}"
    return f"{100 * max(row['low'], 0):.1f} to {100 * row['high']:.1f}"


def lost(found: pd.DataFrame, winners: Iterable[str], losers: Iterable[str]) -> pd.DataFrame:
    """Return the questions where one of some families is first and others are clearly behind.

    Parameters
    ----------
    found : pandas.DataFrame
        From `teams`.
    winners, losers : iterable of str
        Families; every loser that entered is clearly behind, and one entered at least.
    """
    ahead, behind = set(winners), set(losers)

    def beaten(row: Any) -> bool:
        entered = {name for name in behind if not np.isnan(row[name])}
        return row["first"] in ahead and bool(entered) and entered <= set(row["clear"])

    return found[[beaten(row) for _, row in found.iterrows()]]


def counted(found: pd.DataFrame) -> list[list[object]]:
    """Return how often each family is first, by question and budget.

    Parameters
    ----------
    found : pandas.DataFrame
        From `teams`.
    """
    answer: list[list[object]] = []
    for kind in (NEAR, LARGER, ELSEWHERE):
        part = asking(found, kind)
        for label, some in (
            (f"at most {FEW}", part[part["points"] <= FEW]),
            (f"above {FEW}", part[part["points"] > FEW]),
        ):
            if some.empty:
                continue
            answer.append(
                [
                    kind,
                    label,
                    len(some),
                    *(int((some["first"] == name).sum()) for name in FAMILIES),
                    _clearly(some, "graybox", "ml"),
                    _clearly(some, "ml", "whitebox"),
                ]
            )
    return answer


def asking(found: pd.DataFrame, kind: str) -> pd.DataFrame:
    """Return the questions of one kind.

    Parameters
    ----------
    found : pandas.DataFrame
        From `teams`.
    kind : str
        `NEAR`, `LARGER` or `ELSEWHERE`.
    """
    return found[[_kind(split) == kind for split in found["split"]]]


def _kind(split: str) -> str:
    if split.startswith("random") or split in DRAWN_ALIKE:
        return NEAR
    return LARGER if split.startswith("larger") else ELSEWHERE


def _clearly(some: pd.DataFrame, first: str, other: str) -> int:
    clear = [other in row for row in some["clear"]]
    return int(((some["first"] == first) & np.array(clear, dtype=bool)).sum())


def costs(board: pd.DataFrame) -> list[list[object]]:
    """Return what the largest budget of each data set costs.

    Parameters
    ----------
    board : pandas.DataFrame
        With the columns `measured_seconds`, of the training runs with their repeats, and
        `modeller_hours`.
    """
    sent = board[board["contestant"] == TEAM]
    answer: list[list[object]] = []
    for name, part in sent.groupby("dataset", sort=False):
        most = part[part["points"] == part["points"].max()]
        inside = most[[_kind(split) == NEAR for split in most["split"]]]
        most = most if inside.empty else inside
        most = most[most["split"] == most["split"].iloc[0]].drop_duplicates("family")
        fit = most.set_index("family")["fit_seconds"]
        one = most.iloc[0]
        answer.append(
            [
                name,
                int(one["points"]),
                _seconds(one["measured_seconds"], 3),
                *(_seconds(fit.get(kind, np.nan)) for kind in ("whitebox", "ml", "graybox")),
                f"{one['modeller_hours']:.0f}",
            ]
        )
    return answer


def _seconds(value: float, digits: int = 2) -> str:
    return "" if np.isnan(value) else f"{value:.{digits}g}"
