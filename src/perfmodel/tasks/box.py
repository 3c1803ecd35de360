"""What a check shows: a box that says how the task stands, with a hint and a way folded."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from perfmodel.live import Display

State = Literal["open", "wrong", "slow", "undecided", "right"]
WORDS = {
    "open": "Not done yet",
    "wrong": "Not right yet",
    "slow": "Not fast enough yet",
    "undecided": "Can't tell",
    "right": "Right",
}
_MARKS = {"open": "○", "wrong": "✗", "slow": "✗", "undecided": "≈", "right": "✓"}


@dataclass(frozen=True)
class Outcome:
    """How a task stands after a check, and what is said to it."""

    state: State
    said: str = ""


def box(title: str, outcome: Outcome, hint: str, way: str, todo: str, note: str = "") -> Display:
    """Return the box of one check: how the task stands, with hint and `way` (source code) folded.

    `todo` is what is to be done in the cell, such as "fill in the line"; `note` says what is wrong
    with the progress file.
    """
    from perfmodel.live import Display

    word = WORDS[outcome.state]
    said = _prose(outcome.said)
    if outcome.state == "open":
        said += (
            ' <span class="live-task-book">Open this lab in JupyterLab (<code>make lab</code>) and '
            f'{todo}.</span><span class="live-task-lab">Now {todo} above and run the cell '
            "again.</span>"
        )
    folds = [("Hint", f"<p>{_prose(hint)}</p>")] if hint and outcome.state != "right" else []
    folds += [("One way to do it", f"<pre><code>{escape(way)}</code></pre>")]
    html = (
        f'<section class="live live-task live-task-{outcome.state}" '
        f'aria-label="Now you: {escape(title)}">'
        f"<p><strong>Now you.</strong> {escape(title)}</p>"
        f'<p role="status"><span aria-hidden="true">{_MARKS[outcome.state]}</span> '
        f"<strong>{word}.</strong> {said.strip()}</p>"
        + "".join(f"<details><summary>{name}</summary>{text}</details>" for name, text in folds)
        + (f"<p>{escape(note)}</p>" if note else "")
        + "</section>"
    )
    return Display(html, f"{word}: {title}. {outcome.said}".strip())


def _prose(text: str) -> str:
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text, quote=False))
