"""A contest on own runs as one HTML file, light and dark, that needs nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from perfmodel.prediction.arena.standings import FAMILY_CHOICE
from perfmodel.prediction.own_data.conclusions import FAMILY, family_choice, family_standings

if TYPE_CHECKING:
    import pandas as pd

STYLE = """
:root { color-scheme: light dark; }
.own-data { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: auto; padding: 1rem; }
.own-data table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
.own-data th, .own-data td { padding: .2rem .6rem; text-align: right;
  border-bottom: 1px solid #8886; }
.own-data th:first-child, .own-data td:first-child, .own-data .words { text-align: left; }
.own-data .wide { overflow-x: auto; }
.own-data svg { width: 580px; max-width: none; height: auto; }
.own-data svg text { fill: currentColor; font: 13px system-ui, sans-serif; }
"""
DASHES = {"whitebox": "", "regression": "6 4", "ml": "2 4", "graybox": "10 3 2 3"}


def page(contest: Any, whole_page: bool = True) -> str:
    """Return the report, with head and title or as the part that a notebook shows."""
    data = contest.dataset
    title = f"Who predicts {data.quantity} of {data.name}?"
    body = [
        f"<h1>{escape(title)}</h1>",
        f"<p>{len(data)} different runs; {escape(data.quantity)} in {escape(data.unit)}.</p>",
        _list(contest.conclusions),
        "<h2>What the decision chart says</h2>",
        _table(["you ask about", "start with", "here"], contest.branches),
        "<h2>Error against training runs</h2>",
        _curves(family_standings(contest.board)),
        "<h2>Families</h2>",
        "<p>A family sends the entry that does best in cross-validation inside the training runs. "
        "Mean error in per cent with its 95 % interval; <em>behind</em> is how much more than the "
        "first, and (open) that the difference may be nothing; seconds are those of one fit, "
        "tuning included.</p>",
        _standings(contest.board[contest.board["contestant"] == FAMILY_CHOICE]),
        "<h2>All entries</h2>",
        _standings(contest.board[contest.board["contestant"] != FAMILY_CHOICE]),
        "<h2>What was done to the table</h2>",
        _list(contest.notes),
        "<h2>Columns</h2>",
        _table(["column", "unit"], [[name, data.units[name]] for name in data.features]),
    ]
    inner = f'<style>{STYLE}</style><main class="own-data">{"".join(body)}</main>'
    if not whole_page:
        return inner
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title></head><body>{inner}</body></html>\n"
    )


def rows(board: pd.DataFrame) -> list[list[str]]:
    """Return the rows of a leaderboard, as from `standings`, as text.

    Columns: question, training runs, entry, family, error and its interval in per cent, by how much
    it is behind, seconds of a fit.
    """
    return [
        [
            _question(item),
            str(item.points),
            family_choice(item.sent) if item.contestant == FAMILY_CHOICE else item.contestant,
            FAMILY[item.family],
            f"{100 * item.error:.1f}",
            _ends(item),
            "first"
            if item.behind == 0
            else f"{100 * item.behind:.1f}{' (open)' * bool(item.ties)}",
            f"{item.fit_seconds:.2f}",
        ]
        for item in board.itertuples()
    ]


HEADS = ["question", "runs", "entry", "family", "error %", "95 %", "behind", "fit s"]
WORDS = ("question", "entry", "family")
"""Heads of columns that hold words, which are aligned to the left."""


def _question(one: Any) -> str:
    if one.split == "random":
        return "another run"
    if one.split == "larger":
        return "larger" if one.test == "beyond" else "no larger"
    return str(one.split)


def _ends(one: Any) -> str:
    if np.isnan(one.low):
        return f"none; {one.units} units: {100 * one.least:.1f} to {100 * one.most:.1f}"
    return f"{100 * max(one.low, 0):.1f} to {100 * one.high:.1f}"


def _standings(board: pd.DataFrame) -> str:
    return _table(HEADS, rows(board), WORDS)


def _table(
    heads: Sequence[str], lines: Iterable[Iterable[str]], words: Sequence[str] | None = None
) -> str:
    kinds = [' class="words"' if words is None or one in words else "" for one in heads]
    head = "".join(
        f'<th scope="col"{kind}>{escape(one)}</th>' for one, kind in zip(heads, kinds, strict=True)
    )
    body = "".join(
        "<tr>"
        + "".join(
            f"<td{kind}>{escape(str(cell))}</td>" for cell, kind in zip(line, kinds, strict=True)
        )
        + "</tr>"
        for line in lines
    )
    return (
        f'<div class="wide" tabindex="0"><table><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _list(lines: Iterable[str]) -> str:
    return "<ul>" + "".join(f"<li>{escape(line)}</li>" for line in lines) + "</ul>"


def _curves(sent: pd.DataFrame) -> str:
    near = sent[sent["split"] == "random"]
    budgets = sorted(near["points"].unique())
    if len(budgets) < 2:
        return "<p>One budget: no curve.</p>"
    ends = np.log([budgets[0], budgets[-1]])
    errors = 100 * near["error"]
    low, high = np.log(errors.min()) - 0.1, np.log(errors.max()) + 0.1

    def across(points: float) -> float:
        return float(70 + 400 * (np.log(points) - ends[0]) / (ends[1] - ends[0]))

    def down(error: float) -> float:
        return float(20 + 240 * (high - np.log(100 * error)) / (high - low))

    parts = []
    last = near[near["points"] == budgets[-1]].sort_values("error")
    spread: dict[str, float] = {}
    # Labels from the lowest error upwards, at least a line of text apart.
    index = np.inf
    for item in last.itertuples():
        index = min(down(item.error), index - 16)
        spread[item.family] = index
    for family, curve in near.groupby("family"):
        ordered = curve.sort_values("points")
        dots = " ".join(
            f"{across(item.points):.1f},{down(item.error):.1f}" for item in ordered.itertuples()
        )
        parts.append(
            f'<polyline points="{dots}" fill="none" stroke="currentColor" stroke-width="2" '
            f'stroke-dasharray="{DASHES[str(family)]}"/>'
            f'<text x="480" y="{spread[family] + 4:.1f}">{FAMILY[str(family)]}</text>'
        )
    ticks = [
        f'<text x="{across(budget):.1f}" y="282" text-anchor="middle">{budget}</text>'
        for budget in budgets
    ]
    for error in (errors.min(), errors.max()):
        ticks.append(
            f'<text x="60" y="{down(error / 100) + 4:.1f}" text-anchor="end">{error:.3g} %</text>'
        )
    return (
        '<div class="wide" tabindex="0"><svg viewBox="0 0 580 310" role="img" '
        'aria-label="Mean error of each family against the number of training runs, both on '
        'logarithmic axes">'
        f"{''.join(parts)}{''.join(ticks)}"
        '<text x="270" y="304" text-anchor="middle">training runs (mean error in per cent, '
        "both axes logarithmic)</text></svg></div>"
    )
