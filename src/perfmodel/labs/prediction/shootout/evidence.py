"""What the recorded contest says of families: rows of tables and sentences, all from its board.

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


def summary(found: pd.DataFrame) -> str:
    """Return who is first how often, and how often that is clear.

    Parameters
    ----------
    found : pandas.DataFrame
        From `teams`.
    """
    firsts = [(name, int((found["first"] == name).sum())) for name in FAMILIES]
    firsts.sort(key=lambda pair: -pair[1])
    alone = int((found["level"].map(len) == 0).sum())
    listed = ", ".join(f"{CALLED[name]} {count}" for name, count in firsts)
    return (
        f"{found['dataset'].nunique()} data sets, {len(found)} questions. First: {listed}. In "
        f"{alone} of {len(found)} the first is clearly ahead of all others; in the rest at least "
        f"one family can't be told from it."
    )


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


def whitebox_losses(found: pd.DataFrame) -> str:
    """Return where whitebox and graybox both lose to a family that knows no system.

    Parameters
    ----------
    found : pandas.DataFrame
        From `teams`.
    """
    where = lost(found, ("regression", "ml"), ("whitebox", "graybox"))
    alone = lost(found, ("regression", "ml", "graybox"), ("whitebox",))
    return (
        f"Knowing the system lost outright, with whitebox and graybox both clearly behind, in "
        f"{len(where)} of {len(found)} questions{_named(where)}. A whitebox alone was clearly "
        f"behind in {len(alone)}{_named(alone)}."
    )


def learner_losses(found: pd.DataFrame) -> str:
    """Return where learners and regressions both lose to a family that knows the system.

    Parameters
    ----------
    found : pandas.DataFrame
        From `teams`.
    """
    where = lost(found, ("whitebox", "graybox"), ("regression", "ml"))
    if where.empty:
        return "In no question were regressions and learners both clearly behind."
    known = np.fmin(where["whitebox"], where["graybox"])
    factor = np.fmin(where["regression"], where["ml"]) / known
    return (
        f"Regressions and learners were both clearly behind in {len(where)} of {len(found)} "
        f"questions{_named(where)}. There the better of them erred {factor.median():.1f} times as "
        f"much as the better of whitebox and graybox, at the median; at most {factor.max():.1f} "
        f"times."
    )


def _named(where: pd.DataFrame) -> str:
    if where.empty:
        return ""
    told = [
        f"{name} ({', '.join(f'{row.split} {row.points}' for row in part.itertuples())})"
        for name, part in where.groupby("dataset", sort=False)
    ]
    return ": " + "; ".join(told)


def counted(found: pd.DataFrame) -> list[list[object]]:
    """Return how often each family is first, by question and budget.

    Parameters
    ----------
    found : pandas.DataFrame
        From `teams`.
    """
    answer: list[list[object]] = []
    for kind in (NEAR, LARGER, ELSEWHERE):
        part = _asking(found, kind)
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
                    int((some["graybox"] < some["ml"]).sum()),
                    int((some["ml"] < some["whitebox"]).sum()),
                ]
            )
    return answer


def _asking(found: pd.DataFrame, kind: str) -> pd.DataFrame:
    return found[[_kind(split) == kind for split in found["split"]]]


def _kind(split: str) -> str:
    if split.startswith("random"):
        return NEAR
    return LARGER if split.startswith("larger") else ELSEWHERE


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
        most = most[most["split"] == most["split"].iloc[0]].drop_duplicates("family")
        fit = most.set_index("family")["fit_seconds"]
        one = most.iloc[0]
        answer.append(
            [
                name,
                int(one["points"]),
                f"{one['measured_seconds']:.3g}",
                *(_seconds(fit.get(kind, np.nan)) for kind in ("whitebox", "ml", "graybox")),
                f"{one['modeller_hours']:.0f}",
            ]
        )
    return answer


def _seconds(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.2g}"


def chart(found: pd.DataFrame) -> list[list[str]]:
    """Return the decision chart: condition, advice, rows that speak for it and against it.

    Parameters
    ----------
    found : pandas.DataFrame
        From `teams`.
    """
    larger, near, elsewhere = (_asking(found, kind) for kind in (LARGER, NEAR, ELSEWHERE))
    modelled = ("whitebox", "graybox")
    free = ("regression", "ml")
    branches: list[tuple[str, str, pd.DataFrame, tuple[str, ...], tuple[str, ...]]] = [
        (
            "you ask beyond what you can measure: larger, longer, more",
            "a form that comes from knowledge: whitebox, or whitebox times a learner",
            larger,
            modelled,
            free,
        ),
        (
            f"at most {FEW} runs, and questions among their like",
            "whitebox or graybox, if anybody can write a model",
            near[near["points"] <= FEW],
            modelled,
            free,
        ),
        (
            f"more than {FEW} runs, and questions among their like",
            "graybox, if there is a model; else the learner that cross-validation chooses",
            near[near["points"] > FEW],
            ("graybox",),
            free,
        ),
        (
            "a machine, mixture or workload that is new",
            "whitebox or graybox, tested with whole groups left out",
            elsewhere,
            modelled,
            free,
        ),
    ]
    return [
        [condition, advice, _tally(part, good, bad), _tally(part, bad, good)]
        for condition, advice, part, good, bad in branches
    ]


def _tally(part: pd.DataFrame, winners: tuple[str, ...], losers: tuple[str, ...]) -> str:
    ahead = part[part["first"].isin(winners)]
    clear = lost(part, winners, losers)
    if ahead.empty:
        return f"none of {len(part)}"
    names = dict.fromkeys(clear["dataset"])
    told = f": {', '.join(names)}" if names else ""
    return f"first in {len(ahead)} of {len(part)}, clearly in {len(clear)}{told}"
