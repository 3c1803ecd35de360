"""What the recorded contest says of families, in sentences and in the decision chart."""

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
from perfmodel.prediction.own_data.decision_chart import CHART, FEW, LARGER, NEAR, Branch

if TYPE_CHECKING:
    import pandas as pd


def summary(found: pd.DataFrame) -> str:
    """Return who is first how often with the largest budgets, and how often that is clear.

    Parameters
    ----------
    found : pandas.DataFrame
        From `teams`.
    """
    most = found[found["most_points"]]
    return (
        f"{found['dataset'].nunique()} data sets, {len(most)} questions. With the largest budget "
        f"first: {_firsts(most)}. In {_alone(most)} of {len(most)} the first is clearly ahead of "
        f"all others; in the rest at least one family can't be told from it."
    )


def _firsts(some: pd.DataFrame) -> str:
    firsts = [(name, int((some["first"] == name).sum())) for name in FAMILIES]
    firsts.sort(key=lambda pair: -pair[1])
    return ", ".join(f"{CALLED[name]} {count}" for name, count in firsts)


def _alone(some: pd.DataFrame) -> int:
    return int((some["level"].map(len) == 0).sum())


def by_collection(found: pd.DataFrame) -> str:
    """Return the same without matrix products, and with one vote for each collection.

    Parameters
    ----------
    found : pandas.DataFrame
        From `teams`.
    """
    most = found[found["most_points"]]
    of = most["dataset"].map(collection)
    rest = most[of != PRODUCTS]
    votes = (1 / of.groupby(of).transform("size")).groupby(most["first"]).sum()
    shares = [(name, float(votes.get(name, 0.0))) for name in FAMILIES]
    shares.sort(key=lambda pair: -pair[1])
    told = ", ".join(f"{CALLED[name]} {share:.1f}" for name, share in shares)
    return (
        f"{len(most) - len(rest)} of these {len(most)} questions are about matrix products. In the "
        f"other {len(rest)}, first are: {_firsts(rest)}. If each of the {of.nunique()} collections "
        f"of data sets has one vote, shared by its questions: {told}."
    )


def by_what_was_seen(found: pd.DataFrame) -> str:
    """Return the same for whiteboxes settled before a row was recorded, and for the others.

    Parameters
    ----------
    found : pandas.DataFrame
        From `teams`.
    """
    most = found[found["most_points"]]
    blind, seen = most[most["blind"]], most[~most["blind"]]
    return (
        f"Where the whiteboxes were settled before a row of the data set was recorded "
        f"({blind['dataset'].nunique()} sets, {len(blind)} questions), first are: "
        f"{_firsts(blind)}. In the others ({seen['dataset'].nunique()} sets, {len(seen)} "
        f"questions): {_firsts(seen)}."
    )


def graybox_or_learner(found: pd.DataFrame) -> str:
    """Return which of the two errs less among a question's like, where there are many runs.

    Parameters
    ----------
    found : pandas.DataFrame
        From `teams`.
    """
    near = asking(found, NEAR)
    many = near[(near["points"] > FEW) & near["graybox"].notna()]
    if many.empty:
        return f"No question with more than {FEW} runs among their like had a graybox."
    rest = many[many["dataset"].map(collection) != PRODUCTS]
    other = f" Without matrix products: {_ahead(rest)}." if len(rest) else ""
    return f"With more than {FEW} runs among their like: {_ahead(many)}.{other}"


def _ahead(some: pd.DataFrame) -> str:
    ahead = int((some["graybox"] < some["ml"]).sum())
    ratio = (some["ml"] / some["graybox"]).median()
    return (
        f"the graybox erred less than the learner in {ahead} of {len(some)} questions, and the "
        f"learner's error was {ratio:.2f} times the graybox's at the median"
    )


def whitebox_or_graybox(found: pd.DataFrame) -> str:
    """Return which of the two errs less beyond the range of the training rows.

    Parameters
    ----------
    found : pandas.DataFrame
        From `teams`.
    """
    far = asking(found, LARGER)
    far = far[far["graybox"].notna()]
    if far.empty:
        return "No question on larger runs had a graybox."
    ahead = int((far["whitebox"] < far["graybox"]).sum())
    ratio = (far["graybox"] / far["whitebox"]).median()
    return (
        f"Of larger runs the whitebox alone erred less than the graybox in {ahead} of {len(far)} "
        f"questions; the graybox's error was {ratio:.2f} times the whitebox's at the median. What "
        f"corrects a model among small runs is a guess beyond them."
    )


def useless(found: pd.DataFrame) -> str:
    """Return where no family is better than a constant.

    Parameters
    ----------
    found : pandas.DataFrame
        From `teams`.
    """
    where = no_better_than_a_constant(found)
    return (
        f"In {len(where)} of {len(found)} questions no family did better than one number for "
        f"all{_named(where)}. They speak for no branch."
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
        f"{len(where)} of {len(found)} questions{_named(where)}."
        f"{_factor(where, ('whitebox', 'graybox'), ('regression', 'ml'))} A whitebox alone was "
        f"clearly behind in {len(alone)}{_named(alone)}."
        f"{_factor(alone, ('whitebox',), ('regression', 'ml', 'graybox'))}"
    )


def _factor(where: pd.DataFrame, losers: tuple[str, ...], winners: tuple[str, ...]) -> str:
    if where.empty:
        return ""
    behind = where[list(losers)].min(axis=1) / where[list(winners)].min(axis=1)
    who = f"the better of {_and(losers)}" if len(losers) > 1 else f"the {CALLED[losers[0]]}"
    best = "better" if len(winners) == 2 else "best"
    return (
        f" There {who} erred {behind.median():.1f} times as much as the {best} of {_and(winners)}, "
        f"at the median; at most {behind.max():.1f} times."
    )


def _and(names: tuple[str, ...]) -> str:
    called = [CALLED[name] for name in names]
    return f"{', '.join(called[:-1])} and {called[-1]}"


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
    alone = lost(found, ("whitebox", "regression", "graybox"), ("ml",))
    return (
        f"Regressions and learners were both clearly behind in {len(where)} of {len(found)} "
        f"questions{_named(where)}."
        f"{_factor(where, ('regression', 'ml'), ('whitebox', 'graybox'))} A learner alone was "
        f"clearly behind in {len(alone)}."
        f"{_factor(alone, ('ml',), ('whitebox', 'regression', 'graybox'))}"
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

    Both sides are asked the same: how often one of theirs is first, and how often all of the other
    side are then clearly behind. Questions in which a constant does as well are left out.

    Parameters
    ----------
    found : pandas.DataFrame
        From `teams`.
    """
    told = found.drop(no_better_than_a_constant(found).index)
    return [
        [
            branch.condition,
            branch.advice,
            _tally(_of(told, branch), branch.advised, branch.others),
            _tally(_of(told, branch), branch.others, branch.advised),
        ]
        for branch in CHART
    ]


def unclear(found: pd.DataFrame) -> str:
    """Return which branches of the chart no row speaks for clearly.

    Parameters
    ----------
    found : pandas.DataFrame
        From `teams`.
    """
    told = found.drop(no_better_than_a_constant(found).index)
    open_ones = [
        f'"{branch.condition}"'
        for branch in CHART
        if lost(_of(told, branch), branch.advised, branch.others).empty
    ]
    if not open_ones:
        return "Each branch has a row that speaks for it clearly."
    one = len(open_ones) == 1
    return (
        f"**No row speaks clearly** for the branch{'' if one else 'es'} {', '.join(open_ones)}: "
        f"take {'it' if one else 'them'} for what to try first, and for nothing more."
    )


def _of(found: pd.DataFrame, branch: Branch) -> pd.DataFrame:
    pairs = zip(found["split"], found["points"], strict=True)
    return found[np.array([branch.asks(*pair) for pair in pairs], dtype=bool)]


def _tally(part: pd.DataFrame, winners: tuple[str, ...], losers: tuple[str, ...]) -> str:
    ahead = part[part["first"].isin(winners)]
    if ahead.empty:
        return f"none of {len(part)}"
    clear = lost(part, winners, losers)
    names = dict.fromkeys(clear["dataset"])
    named = f" ({', '.join(names)})" if names else ""
    few = int(ahead["low"].isna().sum())
    unsure = f"; {few} with too few units to say how clearly" if few else ""
    return f"first in {len(ahead)} of {len(part)}, clearly in {len(clear)}{named}{unsure}"
