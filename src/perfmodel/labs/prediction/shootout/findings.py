"""What the recorded contest says of families, in sentences and in the decision chart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from perfmodel.labs.prediction.shootout.evidence import (
    CALLED,
    ELSEWHERE,
    FEW,
    LARGER,
    NEAR,
    asking,
    lost,
)
from perfmodel.prediction.arena.contest import FAMILIES

if TYPE_CHECKING:
    import pandas as pd


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


def chart(found: pd.DataFrame) -> list[list[str]]:
    """Return the decision chart: condition, advice, rows that speak for it and against it.

    Parameters
    ----------
    found : pandas.DataFrame
        From `teams`.
    """
    larger, near, elsewhere = (asking(found, kind) for kind in (LARGER, NEAR, ELSEWHERE))
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
