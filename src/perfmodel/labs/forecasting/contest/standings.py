"""What the chapter shows of the contest: tables, two figures, and one round computed again.

All but `repeat_table` is read from the stored board, whose origin `sentences.says_recorded` tells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from perfmodel import live
from perfmodel.labs.forecasting.contest import record
from perfmodel.labs.forecasting.contest.families import FAMILIES, TRAINED, CurveFamily
from perfmodel.labs.forecasting.contest.forecast import CONFIDENCE
from perfmodel.live.display import Display
from perfmodel.units import SPACE

if TYPE_CHECKING:
    import pandas as pd

RIVALS = ("law", "regression", "learner")
STATED = ("last value", "law", "law, calibrated", "regression", "learner")
SIDES = {"curves": "learning curves", "models": "larger models"}
NONE = "no answer"
_APART = 1.6
"""Per cent by which marks stand apart so that their intervals can be read."""


def family_table() -> Display:
    """Show the families of runs: what is trained, how many, for how long, and in which lab."""
    rows: list[list[str]] = []
    for name, load in FAMILIES.items():
        family = load()
        if isinstance(family, CurveFamily):
            runs, epochs = family.curves.shape
            counts = [f"{runs:,}", str(epochs)]
        else:
            sizes = [text.loss.size for text in family.texts]
            counts = [" + ".join(map(str, sizes)), "to their end"]
        what, lab = TRAINED[name]
        rows.append([name, what, *counts, lab])
    head = ["family", "what is trained", "runs", "epochs", "lab"]
    return live.table(head, rows, "The families of runs")


def contest_table(board: pd.DataFrame | None = None) -> Display:
    """Show the last value's error in each round, and the others' as multiples of it."""
    rows = [
        [
            *_round(name, budget, entries),
            f"{entries['last value'].error:.2g} {entries['last value'].unit}",
            *(_ratio(entries[rival]) for rival in RIVALS),
            ", ".join(best_of(entries)),
        ]
        for name, budget, entries in rounds_of(board)
    ]
    head = ["family", "seen", "last value errs by", *RIVALS, "smallest error"]
    return live.table(head, rows, "Mean error relative to the last value's, with 95 % interval")


def rounds_of(board: pd.DataFrame | None = None) -> list[tuple[str, float, dict[str, Any]]]:
    """Return family, budget and the row of each contestant, for every round."""
    chosen = record.recorded() if board is None else board
    return [
        (str(name), float(budget), {row.contestant: row for row in part.itertuples()})
        for (name, budget), part in chosen.groupby(["family", "budget"], sort=False)
    ]


def of_test(board: pd.DataFrame | None, test: str) -> list[tuple[str, float, dict[str, Any]]]:
    """Return the rounds of learning curves ("curves") or of larger models ("models")."""
    return [one for one in rounds_of(board) if one[2]["last value"].test == test]


def coverage_table(board: pd.DataFrame | None = None) -> Display:
    """Show in how many rounds the coverage of each contestant's intervals may be 95 %."""
    rows = []
    for who in STATED:
        row = [who]
        for test in SIDES:
            told = [e[who] for _, _, e in of_test(board, test) if not np.isnan(e[who].coverage)]
            kept = sum(one.coverage_high >= CONFIDENCE for one in told)
            middle = 100 * float(np.median([one.coverage for one in told])) if told else np.nan
            row += [f"{kept} of {len(told)}", f"{middle:.0f}" if told else NONE]
        rows.append(row)
    head = [f"{side}: {what}" for side in SIDES.values() for what in ("passed", "coverage (%)")]
    return live.table(
        ["contestant", *head], rows, "Rounds whose stated 95 % intervals pass, and median coverage"
    )


def best_of(entries: Mapping[str, Any]) -> list[str]:
    """Return who has the smallest error, and behind it who can't be told from it."""
    able = [row for name, row in entries.items() if name in (*RIVALS, "last value")]
    level = [row for row in able if not np.isnan(row.error) and row.behind_low <= 0]
    return [row.contestant for row in sorted(level, key=lambda row: float(row.error))]


def _round(name: str, budget: float, entries: Mapping[str, Any]) -> list[str]:
    row = entries["last value"]
    what = "epochs" if row.test == "curves" else "models"
    return [name, f"{100 * budget:.0f}{SPACE}%: {row.seen} {what}"]


def _ratio(row: Any) -> str:
    if np.isnan(row.ratio):
        return NONE
    return f"{row.ratio:.2f} ({row.ratio_low:.2f} to {row.ratio_high:.2f})"


def _covered(row: Any) -> str:
    if np.isnan(row.coverage):
        return NONE
    return f"{100 * row.coverage:.0f}{SPACE}%, {row.width:.2g}"


def contest_figure(board: pd.DataFrame | None = None) -> Display:
    """Show error against the fraction seen, a family a state."""
    families = _by_family(board)

    def draw(family: str) -> live.Plot:
        marks = [_points(families[family], name, i - 1, "ratio") for i, name in enumerate(RIVALS)]
        one = live.Mark("last value", [0, 85], [1, 1], "dashed")
        y = live.Axis("error / error of the last value", 0.03, 10, scale="log")
        says = _errors_told(family, families[family])
        values = _values(families, family, RIVALS, "ratio")
        return live.Plot(_seen_axis(), y, [*marks, one], says, values)

    return live.figure(
        draw,
        "Mean error relative to the last value's, with 95 % intervals",
        "Errors of law, regression, learner by fraction seen; below 1 beats the last value",
        family=live.Options("Family", {name: name for name in families}),
    )


def coverage_figure(board: pd.DataFrame | None = None) -> Display:
    """Show the coverage of intervals stated at 95 % against the fraction seen, a family a state."""
    families, names = _by_family(board), STATED[1:]

    def draw(family: str) -> live.Plot:
        marks = [
            _points(families[family], name, i - 1.5, "coverage", 100)
            for i, name in enumerate(names)
        ]
        promise = live.Mark("stated", [0, 85], [95, 95], "dashed")
        y = live.Axis("inside of the stated interval", 0, 100, "%")
        says = _coverage_told(family, families[family])
        values = _values(families, family, names, "coverage", 100, " (%)")
        return live.Plot(_seen_axis(), y, [*marks, promise], says, values)

    return live.figure(
        draw,
        "Coverage of the stated 95 % intervals",
        "Fraction of runs inside the stated intervals by fraction seen, and a line at 95 %",
        family=live.Options("Family", {name: name for name in families}),
    )


def _by_family(board: pd.DataFrame | None) -> dict[str, dict[float, dict[str, Any]]]:
    families: dict[str, dict[float, dict[str, Any]]] = {}
    for name, budget, entries in rounds_of(board):
        families.setdefault(name, {})[budget] = entries
    return families


def _values(
    families: Mapping[str, Mapping[float, Mapping[str, Any]]],
    family: str,
    names: Sequence[str],
    what: str,
    scale: float = 1,
    unit: str = "",
) -> dict[str, float]:
    """Return the values at the middle one of the shares at which all have an answer everywhere."""
    answered = [
        {
            fraction
            for fraction, entries in rounds.items()
            if not any(np.isnan(entries[name].error) for name in names)
        }
        for rounds in families.values()
    ]
    shared = sorted(set.intersection(*answered))
    budget = shared[(len(shared) - 1) // 2]
    row = families[family][budget]
    return {
        f"{who}, {100 * budget:.0f} % seen{unit}": scale * getattr(row[who], what) for who in names
    }


def _seen_axis() -> live.Axis:
    return live.Axis("seen of the epochs, or of the models", 0, 85, "%")


def _points(
    rounds: Mapping[float, Mapping[str, Any]], who: str, index: float, what: str, scale: float = 1
) -> live.Mark:
    answered = [(budget, entries[who]) for budget, entries in rounds.items()]
    able = [(budget, row) for budget, row in answered if not np.isnan(row.error)]
    x = [100 * budget + _APART * index for budget, _ in able]
    y, low, high = (
        [scale * getattr(row, what + end) for _, row in able] for end in ("", "_low", "_high")
    )
    return live.Mark(who, x, y, "points", y2=[low, high])


def _errors_told(family: str, rounds: Mapping[float, Mapping[str, Any]]) -> str:
    told = [f"{' or '.join(best_of(entries))} at {100 * b:.0f} %" for b, entries in rounds.items()]
    tied = any(len(best_of(entries)) > 1 for entries in rounds.values())
    chance = " Contestants joined by “or” differ by no more than chance." if tied else ""
    return f"{family}, smallest error: {', '.join(told)}.{chance}"


def _coverage_told(family: str, rounds: Mapping[float, Mapping[str, Any]]) -> str:
    told = [
        f"{100 * entries['law'].coverage:.0f} % at {100 * budget:.0f} %"
        for budget, entries in rounds.items()
        if not np.isnan(entries["law"].coverage)
    ]
    return f"{family}, runs inside of the law's own interval: {', '.join(told)} seen."


def repeat_table(family: str = "Chinchilla", budget: float = 0.5) -> Display:
    """Compute one round again, and show it beside the stored one.

    A round of models takes a second, one of curves up to ten.
    """
    ((_, _, now),) = rounds_of(record.run([family], [budget]))
    (then,) = (kept for name, fraction, kept in rounds_of() if (name, fraction) == (family, budget))
    rows = []
    for who in now:
        pair = (then[who], now[who])
        rows.append([who, *(f"{row.error:.4g}" for row in pair), *map(_covered, pair)])
    head = ["contestant", "error, stored", "error, now", "inside and width, stored", "now"]
    return live.table(head, rows, f"{family}, {100 * budget:.0f} % seen")
