"""Predict first: a prompt that takes the reader's answer before it shows the computed one.

The answer stays in the reader's browser. Nothing is sent anywhere, there is no account; the page
made by `predictions()` lists all answers and saves them to a file.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from perfmodel.live.display import Display, packed
from perfmodel.units import number
from perfmodel.validation import finite, positive


def predict(
    key: str, question: str, answer: float, unit: str = "", tolerance: float = 0.1, why: str = ""
) -> Display:
    """Ask for a number, keep it in the reader's browser, then show ours and score the guess.

    Parameters
    ----------
    key : str
        A stable name, unique in the book: lower-case letters, digits and hyphens.
    question : str
        The question; plain text that names the unit.
    answer : float
        The computed answer, in `unit`.
    unit : str
        Shown behind the input and the answer.
    tolerance : float
        The relative error up to which a guess counts as right.
    why : str
        The explanation shown with the answer.

    >>> predict("demo", "How many seconds has a minute?", 60, unit="s").text
    'Predict: How many seconds has a minute? Computed: 60 s.'
    """
    finite("answer", answer)
    positive("tolerance", tolerance)
    shown = f"{number(float(answer))} {unit}".strip()
    data = {
        "key": _checked(key),
        "question": question,
        "unit": unit,
        "shown": shown,
        "answer": float(answer),
        "tolerance": tolerance,
    }
    entry = (
        f'<label for="predict-{key}">Your prediction{f" ({escape(unit)})" if unit else ""}</label>'
        f'<input id="predict-{key}" type="text" inputmode="decimal" autocomplete="off">'
    )
    return _prompt(data, question, entry, shown, why)


def choose(key: str, question: str, options: Sequence[str], answer: str, why: str = "") -> Display:
    """Ask for one of `options`, keep it in the reader's browser, then show which one it is.

    Parameters
    ----------
    key, question, why : str
        As for `predict`.
    options : sequence of str
        What the reader can choose from, two or more.
    answer : str
        The right one of `options`; computed by the caller where it can be.
    """
    if len(options) < 2:
        raise ValueError(f"options must be two or more, got {list(options)!r}")
    if answer not in options:
        raise ValueError(f"answer must be one of {list(options)!r}, got {answer!r}")
    data: dict[str, object] = {
        "key": _checked(key),
        "question": question,
        "shown": answer,
        "answer": answer,
    }
    rows = "".join(
        f'<label><input type="radio" name="predict-{key}" value="{escape(option)}">'
        f"{escape(option)}</label>"
        for option in options
    )
    entry = f'<fieldset><legend class="live-hidden">Your choice</legend>{rows}</fieldset>'
    return _prompt(data, question, entry, answer, why)


def predictions() -> Display:
    """Show every prediction the reader has made in this browser, with buttons to save or clear."""
    html = (
        '<section class="live" data-live="predictions"><p class="live-empty">No predictions are '
        "kept in this browser yet. They appear here once you have answered a prompt in a chapter "
        "or a lab (this list needs JavaScript).</p></section>"
    )
    return Display(html, "The predictions kept in this browser.")


def _checked(key: str) -> str:
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", key):
        raise ValueError(f"key must be lower-case letters, digits and hyphens, got {key!r}")
    return key


def _prompt(data: dict[str, object], question: str, entry: str, shown: str, why: str) -> Display:
    html = (
        f'<section class="live live-predict" data-live="predict" aria-label="Predict first">'
        f'<p class="live-question"><strong>Predict first.</strong> {escape(question)}</p>'
        f'<form hidden>{entry}<button type="submit">Commit</button>'
        f'<button type="button" class="live-skip">Show without predicting</button></form>'
        f'<p class="live-score" role="status"></p>'
        f"<details><summary>The computed answer</summary>"
        f"<p><strong>{escape(shown)}</strong>. {escape(why)}</p></details>"
        f'<script type="application/json">{packed(data)}</script></section>'
    )
    return Display(html, f"Predict: {question} Computed: {shown}.")
