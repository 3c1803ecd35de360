"""What a contest on own runs says, in words, and the branch of the decision chart that applies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from perfmodel.prediction.arena.dataset import Dataset
from perfmodel.prediction.arena.intervals import MIN_GROUPS
from perfmodel.prediction.arena.standings import FAMILY_CHOICE
from perfmodel.prediction.own_data.decision_chart import CHART, MODELLED

if TYPE_CHECKING:
    import pandas as pd

FAMILY = {
    "whitebox": "whitebox",
    "regression": "regression",
    "ml": "learner",
    "graybox": "graybox",
}


def family_standings(board: pd.DataFrame) -> pd.DataFrame:
    """Return the families' rows of a board, of larger runs those beyond the training range."""
    sent = board[board["contestant"] == FAMILY_CHOICE]
    return sent[(sent["split"] != "larger") | (sent["test"] == "beyond")]


def conclusions(board: pd.DataFrame, dataset: Dataset, group: str | None = None) -> list[str]:
    """Return a sentence for each question at its largest budget, with the noise floor."""
    told = [
        _sentence(part[part["points"] == part["points"].max()], board, group)
        for _, part in family_standings(board).groupby("split", sort=False)
    ]
    if dataset.noise is not None:
        told.append(f"Repeats of a run differ by {_share(dataset.noise)}: no model gets far below.")
    return told


def _sentence(part: pd.DataFrame, board: pd.DataFrame, group: str | None) -> str:
    first, rest = part.iloc[0], part.iloc[1:]
    level = [FAMILY[item.family] for item in rest.itertuples() if item.ties]
    behind = [FAMILY[item.family] for item in rest.itertuples() if not item.ties]
    text = (
        f"{_question(first['split'])}, from {first['points']} runs: the {FAMILY[first['family']]} "
        f"has the smallest error, {_share(first['error'])} on average ({_range(first, group)}). "
        f"Its model: {family_choice(first['sent'])}."
    )
    if behind:
        text += f" Clearly behind: {', '.join(behind)}."
    if level and np.isnan(first["low"]):
        others = ", ".join(
            f"{FAMILY[item.family]} {_share(item.error)}" for item in rest.itertuples() if item.ties
        )
        text += f" Beyond these {first['units']}, the order may differ: {others}."
    elif level:
        text += f" Not clearly behind: {', '.join(level)}."
    return text + f" A constant is off by {_share(_constant(board, first))}."


def family_choice(chosen: str) -> str:
    """Return what a family chose on the board, and how often if that wasn't always the same.

    >>> family_choice("forest 6"), family_choice("boosting 1, forest 5")
    ('forest', 'boosting once, forest 5 times')
    """
    pairs = [part.rpartition(" ")[::2] for part in chosen.split(", ")]
    if len(pairs) == 1:
        return pairs[0][0]
    return ", ".join(f"{name} {'once' if n == '1' else f'{n} times'}" for name, n in pairs)


def _constant(board: pd.DataFrame, first: pd.Series) -> float:
    same = board["contestant"] == "constant"
    for name in ("split", "test", "points"):
        same &= board[name] == first[name]
    return float(board[same]["error"].iloc[0])


def _question(split: str) -> str:
    if split == "random":
        return "Another run of this kind"
    return "Runs larger than any learned from" if split == "larger" else split.capitalize()


def _range(row: Any, group: str | None) -> str:
    if np.isnan(row["low"]):
        of = "run" if group is None else group
        return (
            f"{_share(row['least'])} to {_share(row['most'])} by {of}; {row['units']} are too few "
            f"for an interval, which needs {MIN_GROUPS}"
        )
    return f"95 % interval {_share(max(row['low'], 0.0))} to {_share(row['high'])}"


def _share(value: float) -> str:
    return f"{100 * value:.3g} %"


def branches(board: pd.DataFrame) -> list[list[str]]:
    """Return the decision chart's branches that were asked: condition, advice, what came out."""
    sent = family_standings(board)
    told = []
    for branch in CHART:
        pairs = zip(sent["split"], sent["points"], strict=True)
        part = sent[np.array([branch.asks(*pair) for pair in pairs], dtype=bool)]
        if not part.empty:
            told.append([branch.condition, branch.advice, _agrees(part, board, branch.advised)])
    return told


def _agrees(part: pd.DataFrame, board: pd.DataFrame, advised: tuple[str, ...]) -> str:
    most = part[part["points"] == part["points"].max()]
    first = most.iloc[0]
    if first["error"] >= _constant(board, first):
        return "nobody does better than a constant"
    if not most["family"].isin(MODELLED).any():
        return f"no model took part; the {FAMILY[first['family']]} is first"
    if first["family"] in advised:
        clear = not most[~most["family"].isin(advised)]["ties"].any()
        doubt = "" if clear else ", but not clearly"
        return f"the same. The {FAMILY[first['family']]} is first{doubt}"
    near = most[most["family"].isin(advised) & most["ties"]]
    if not near.empty:
        return f"open: the {FAMILY[first['family']]} is first, but not clearly"
    return f"otherwise: the {FAMILY[first['family']]} is clearly ahead"
