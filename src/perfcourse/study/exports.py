"""The files that students save on a page with the button *Download my predictions*.

Each holds one student's answers of one moment, marked `before` or `after`; a line is an answer.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from perfcourse.report.tables import cell

COLUMNS = (
    "student",
    "phase",
    "page",
    "box",
    "question",
    "unit",
    "prediction",
    "truth",
    "right",
    "confidence",
    "time",
)
"""The first line of a file; `static/study.js` of the book writes the same."""
PHASES = ("before", "after")
LARGEST = 4_000_000
"""Bytes; a file of a thousand answers has a tenth of it."""


class ExportError(ValueError):
    """A file or a folder that can't be used, with the reason in a sentence."""


@dataclass(frozen=True)
class Answer:
    """One student's answer to one prompt."""

    student: str
    """The id that the student chose."""
    phase: str
    """`before` or `after` the chapter."""
    page: str
    """The page on which the prompt stands."""
    box: str
    """The prompt's key, unique in the book."""
    question: str
    unit: str
    prediction: float | None
    """None where the prompt offers a choice, or the answer was looked at first."""
    truth: float | None
    """The computed answer in the same unit, None where the prompt offers a choice."""
    right: bool | None
    """Whether it was within the prompt's tolerance; None where the answer was looked at first."""
    confidence: float | None
    """How sure the student was to be right, from 0 to 1; None where that wasn't said."""
    time: str
    """When it was given, in ISO 8601."""

    @property
    def given(self) -> bool:
        """Whether the student committed to something."""
        return self.right is not None


def read(path: Path) -> list[Answer]:
    """Return the answers in one file; an `ExportError` names file and line."""
    try:
        if path.stat().st_size > LARGEST:
            raise ExportError(f"{path.name}: larger than {LARGEST / 1e6:g} MB, so no export")
        text = path.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ExportError(f"{path.name}: not text, so no export of predictions") from error
    return parse(text, path.name)


def parse(text: str, name: str) -> list[Answer]:
    """Return the answers in the text of a file; `name` is for messages."""
    try:
        lines = list(csv.reader(io.StringIO(text), strict=True))
    except csv.Error as error:
        raise ExportError(f"{name}: a broken table ({error}); save it again") from error
    if not lines or tuple(lines[0]) != COLUMNS:
        raise ExportError(
            f"{name}: no export of predictions. Its first line must be {','.join(COLUMNS)}; "
            "students get it from 'Download my predictions', not from 'Save as CSV'"
        )
    answers = [_answer(line, f"{name}, line {i}") for i, line in enumerate(lines[1:], 2) if line]
    if not answers:
        raise ExportError(f"{name}: holds no answer")
    return answers


def _answer(line: Sequence[str], place: str) -> Answer:
    if len(line) != len(COLUMNS):
        raise ExportError(f"{place}: {len(line)} columns where there must be {len(COLUMNS)}")
    said = dict(zip(COLUMNS, (value.strip() for value in line), strict=True))
    for name in ("student", "box"):
        if not said[name]:
            raise ExportError(f"{place}: {name} is empty")
    if said["phase"] not in PHASES:
        raise ExportError(f"{place}: phase must be before or after, got {said['phase']!r}")
    if said["right"] not in ("yes", "no", ""):
        raise ExportError(f"{place}: right must be yes, no or empty, got {said['right']!r}")
    prediction, truth, confidence = (
        _number(said[name]) for name in ("prediction", "truth", "confidence")
    )
    if confidence is not None and not 0 <= confidence <= 1:
        raise ExportError(f"{place}: confidence must be from 0 to 1, got {confidence:g}")
    return Answer(
        student=said["student"],
        phase=said["phase"],
        page=said["page"],
        box=said["box"],
        question=said["question"],
        unit=said["unit"],
        prediction=prediction if truth is not None else None,
        truth=truth,
        right=said["right"] == "yes" if said["right"] else None,
        confidence=confidence,
        time=said["time"],
    )


def _number(text: str) -> float | None:
    """Return a finite number, or None: a choice is kept as its words."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def table(answers: Iterable[Answer]) -> str:
    """Return answers as the text of a file that `read` takes; no cell is a formula."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(COLUMNS)
    for answer in answers:
        right = {True: "yes", False: "no", None: ""}[answer.right]
        values = [right if name == "right" else getattr(answer, name) for name in COLUMNS]
        writer.writerow([_cell(value) for value in values])
    return stream.getvalue()


def _cell(value: str | float | None) -> str | float:
    return "" if value is None else cell(value) if isinstance(value, str) else value


def read_folder(folder: Path) -> list[Answer]:
    """Return all answers of a group of students, a folder of their files, each answer once.

    The first answer stands: what a file of `after` repeats from one of `before`, with the same
    moment, counts as before. Two that disagree about an answer are an `ExportError`.
    """
    if not folder.is_dir():
        raise ExportError(f"{folder}: no such folder")
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name[0] != ".")
    if not files:
        raise ExportError(f"{folder}: holds no file")
    kept: dict[tuple[str, str, str], tuple[Answer, str]] = {}
    for path in files:
        for answer in read(path):
            where = (answer.student, answer.phase, answer.box)
            first, file = kept.setdefault(where, (answer, path.name))
            if first != answer:
                raise ExportError(
                    f"{file} and {path.name}: two different answers of {answer.student!r} "
                    f"{answer.phase} to {answer.box!r}. Do two students use one id, "
                    "or was one file marked wrongly?"
                )
    return [
        answer
        for (student, phase, box), (answer, _) in kept.items()
        if phase == "before" or not _repeats(answer, kept.get((student, "before", box)))
    ]


def _repeats(answer: Answer, earlier: tuple[Answer, str] | None) -> bool:
    return earlier is not None and earlier[0].time == answer.time
