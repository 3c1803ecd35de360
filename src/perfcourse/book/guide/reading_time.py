"""How long a page takes: what a reader sees of it is counted, and minutes follow from the counts.

What is folded or hidden doesn't count: it is there for those who look for more. Machine time is
extra. An exercise takes as long as its first level.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import nbformat
from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin

from perfcourse.book import about, sources
from perfcourse.book.guide import folds

PACE = (130, 200)
"""Words that a slow and a fast reader take in per minute."""
MINUTES = {"prompts": 1.5, "figures": 2.5, "stills": 1, "equations": 1.5, "tasks": 5}
"""Minutes for each thing on a page that isn't prose."""
TRUE_WITHIN = 0.2
"""How far the minutes that a page states may be from the count, as a fraction of the count."""

STEP = 5
"""Pages state their minutes in steps of these."""

LEVEL_1 = "level 1 takes about {} minutes"
"""How an exercise states its minutes in its text."""

_GONE = {"hide-cell", "remove-cell"}
_NO_CODE = {*_GONE, "hide-input", "remove-input"}
_NO_OUTPUT = {*_GONE, "hide-output", "remove-output"}
_WORD = re.compile(r"[A-Za-z0-9][\w'’%-]*")
_FOLDED = re.compile(r"<details(?:(?!<details).)*?</details>|<script.*?</script>", re.DOTALL)
"""A fold without another fold in it, or what no reader sees."""
_PROSE = re.compile(r'<p class="live-prose">(.*?)</p>', re.DOTALL)
_MOVED = re.compile(r'data-live="(?:figure|drawing|queue|gallery)"')
_STILL = re.compile(r'<figure class="live">|<table')
_MARKDOWN = MarkdownIt("commonmark").enable("table").use(dollarmath_plugin)


@dataclass(frozen=True)
class Count:
    """What a reader sees of a page."""

    words: int = 0
    """Words of prose, also of the sentences that the page computes."""
    prompts: int = 0
    """Questions to answer before reading on, also those of a quiz."""
    figures: int = 0
    """Figures and drawings that the reader moves."""
    stills: int = 0
    """Tables, and pictures without a control."""
    equations: int = 0
    """Numbered equations."""
    tasks: int = 0
    """Lines of code to write, and examples to work."""
    cells: int = 0
    """Cells of which anything is shown."""
    coded: int = 0
    """Cells whose code is shown."""

    def __add__(self, other: Count) -> Count:
        return Count(*(getattr(self, name) + getattr(other, name) for name in COUNTED))

    @property
    def minutes(self) -> float:
        """The time that the page takes: the mean of a slow and a fast reader's.

        >>> Count(words=1600, prompts=3, figures=2, stills=3, equations=3, tasks=3).minutes
        42.2
        """
        reading = sum(self.words / pace for pace in PACE) / len(PACE)
        others: float = sum(each * getattr(self, name) for name, each in MINUTES.items())
        return round(reading + others, 1)

    def agrees(self, stated: float) -> bool:
        """Return whether `stated` minutes are true within a fifth.

        >>> Count(tasks=10).agrees(45), Count(tasks=10).agrees(30)
        (True, False)
        """
        return abs(stated - self.minutes) <= TRUE_WITHIN * self.minutes


COUNTED = tuple(field.name for field in fields(Count))
"""What is counted, in the order of `Count`."""


def count(project: Path, page: str) -> Count:
    """Return what a reader sees of `page`; its outputs are those stored last."""
    file = sources.path(project, page)
    if file is None:
        raise FileNotFoundError(f"there is no page {page}")
    notebook = sources.read(file) or nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_markdown_cell(_without_front(file.read_text("utf-8")))]
    )
    stored = sources.recording(file)
    outputs = _outputs(stored) if stored.is_file() else []
    total, text = Count(), _Text()
    for cell in folds.closed(notebook).cells:
        if cell.cell_type == "code":
            shown = _code(cell, outputs.pop(0) if outputs else [])
            total += Count() if text.folds else shown
            continue
        if page.startswith("exercises/") and cell.source.startswith("## Level 2"):
            break
        total += text.read(cell.source)
    return total


def state(project: Path, pages: Iterable[str]) -> list[str]:
    """Write the counted minutes, rounded to five, into pages that state others; return those.

    An exercise also states them in its text.
    """
    changed, contents = [], about.contents(project)
    for page, file in [(page, about.file(project, page)) for page in pages]:
        if file is None:
            raise FileNotFoundError(f"there is no page {page}")
        rounded = max(STEP * round(count(project, page).minutes / STEP), STEP)
        if rounded != (stated := contents[page].minutes):
            text = file.read_text("utf-8")
            mark = re.compile(rf'^( +"?minutes"?: ){stated}\b', re.MULTILINE)
            text = mark.sub(rf"\g<1>{rounded}", text, count=1)
            file.write_text(text.replace(LEVEL_1.format(stated), LEVEL_1.format(rounded)), "utf-8")
            changed.append(page)
    return changed


def _without_front(text: str) -> str:
    return text.split("---\n", 2)[2] if text.startswith("---\n") else text


def _outputs(stored: Path) -> list[list[Any]]:
    return [cell.outputs for cell in nbformat.read(stored, as_version=4).cells if "outputs" in cell]


def _code(cell: Any, outputs: list[Any]) -> Count:
    """Count a cell of code: a task in an exercise is the cell in which the answer goes."""
    tags = set(cell.metadata.get("tags", []))
    coded = not tags & _NO_CODE
    seen = Count() if tags & _NO_OUTPUT else sum(map(_output, outputs), Count())
    task = bool(cell.metadata.get("nbgrader", {}).get("solution"))
    return seen + Count(tasks=task, cells=coded or seen != Count(), coded=coded)


def _output(output: Any) -> Count:
    data = output.get("data", {})
    html = data.get("text/html", "")
    while (shown := _FOLDED.sub("", html)) != html:
        html = shown
    prompts = html.count('data-live="predict"')
    if drawn := re.search(r'data-draw="(\d+)"', html):
        prompts = int(drawn[1])
    return Count(
        words=sum(len(_WORD.findall(re.sub(r"<[^>]*>", " ", p))) for p in _PROSE.findall(html)),
        prompts=prompts,
        figures=len(_MOVED.findall(html)),
        stills=len(_STILL.findall(html)) + ("image/png" in data and not html),
        tasks=html.count('data-live="worked"') + html.count('class="live live-task'),
    )


class _Text:
    """The text of a page, read cell by cell: what one folds may go on in the next."""

    def __init__(self) -> None:
        self.folds = 0
        """How many folds are open."""

    def read(self, source: str) -> Count:
        """Count a cell of text."""
        seen = sum(self._seen(_MARKDOWN.parse(source)), Count())
        return seen + Count(cells=seen != Count())

    def _seen(self, tokens: list[Token]) -> Iterator[Count]:
        table = False
        for token in tokens:
            if token.type in ("html_block", "inline"):
                marks = re.findall(r"<(/?)details", token.content)
                self.folds += sum(-1 if mark else 1 for mark in marks)
            if self.folds:
                continue
            if token.type in ("table_open", "table_close"):
                table = token.type == "table_open"
                yield Count(stills=table)
            elif token.type.startswith("math_block"):
                yield Count(equations=token.type.endswith("label") or r"\tag" in token.content)
            elif token.type == "fence" and _is_shown_box(token):
                yield sum(self._seen(_MARKDOWN.parse(token.content)), Count())
            elif token.type == "inline" and not table:
                yield Count(words=sum(map(_words, token.children or [])))


def _is_shown_box(token: Token) -> bool:
    """Return whether a fence is a box of text, such as a note, that stands open."""
    return token.info.startswith("{") and "dropdown" not in token.content


def _words(token: Token) -> int:
    if token.type == "math_inline":
        return 1
    return len(_WORD.findall(token.content)) if token.type in ("text", "code_inline") else 0
