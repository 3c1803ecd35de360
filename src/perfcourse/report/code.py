"""A student's own code, read again from what was handed in and made fit to be shown."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from markupsafe import Markup, escape

from perfcourse.bank import Bank
from perfcourse.gradebook.answers import Passage, by_answer
from perfcourse.intake.cells import UnreadableError, code_cells
from perfcourse.intake.submissions import Handin, Submission, opened
from perfcourse.isolation.untrusted import no_formulas
from perfcourse.judge.result import Graded

LONG = 25
"""More lines than this are folded."""
MOST = 10_000
"""Characters of one answer that are shown."""


@dataclass(frozen=True)
class Excerpt:
    """Code for one answer as a page shows it."""

    cell: int
    """Counted from 1."""
    code: Markup
    """Escaped."""
    lines: int
    left_out: int
    """Characters that are not shown."""

    @property
    def long(self) -> bool:
        """Whether to fold it."""
        return self.lines > LONG


def own_code(
    handin: Handin, digest: str, bank: Bank, stub: Collection[str] = ()
) -> dict[str, list[Passage]]:
    """Return a hand-in's code by the name of the answer; none where another file was graded.

    Cells of the `stub`, the notebook that was handed out, are left out.
    """
    if not digest or handin.digest != digest:
        return {}
    try:
        cells = code_cells(handin.data, handin.file_name)
    except UnreadableError:
        return {}
    return by_answer(cells, [question.answer for question in bank.questions], stub)


class OwnCode(Mapping[str, dict[str, list[Passage]]]):
    """What each student wrote, by submission and answer, as far as the file is there.

    It is read again from the file each time, so that a class's code isn't in memory all at once.
    """

    def __init__(
        self,
        graded: Iterable[Graded],
        submissions: Iterable[Submission],
        bank: Bank,
        stub: Collection[str],
    ) -> None:
        there = {submission.name: submission for submission in submissions}
        self._of = {one.name: (there[one.name], one.digest) for one in graded if one.name in there}
        self._how = bank, stub

    def __getitem__(self, name: str) -> dict[str, list[Passage]]:
        """Return a submission's code by the name of the answer."""
        submission, digest = self._of[name]
        return own_code(opened(submission), digest, *self._how)

    def __iter__(self) -> Iterator[str]:
        """Return the submissions' names."""
        return iter(self._of)

    def __len__(self) -> int:
        """Return how many submissions there are."""
        return len(self._of)


def excerpts(passages: Iterable[Passage]) -> list[Excerpt]:
    """Return the passages of one answer to show, the first `MOST` characters together."""
    shown: list[Excerpt] = []
    remaining = MOST
    for cell, code in passages:
        text = code.strip("\n")
        if text.strip():
            excerpt = visible(text[:remaining])
            shown.append(
                Excerpt(cell, as_markup(excerpt), _lines(text), max(0, len(text) - remaining))
            )
            remaining = max(0, remaining - len(text))
    return shown


def _lines(text: str) -> int:
    return text.count("\n") + 1


def as_markup(text: str) -> Markup:
    """Return a text escaped for HTML, and for HTML within Markdown with formulas."""
    return Markup(no_formulas(str(escape(text))))


def visible(text: str) -> str:
    r"""Return code with a sign for each character that is none: escapes, marks of direction.

    >>> visible("a\x1b[31m\u202eb\tc\r\n")
    'a␛[31m\\u202eb\tc\n'
    """
    text = text.replace("\r\n", "\n")
    if text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return "".join(map(_sign, text))


def _sign(character: str) -> str:
    if character in "\n\t" or unicodedata.category(character)[0] != "C":
        return character
    code = ord(character)
    return chr(0x2400 + code) if code < 0x20 else f"\\u{code:04x}"
