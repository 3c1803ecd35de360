"""Editions of a notebook for nbgrader and for Otter, from the same source as our own.

Both tools run the tests in the student's own process, so what they grade is only as safe as that.
Their tests ask our question bank, which must be found where they grade: in a folder `solutions/`
above, or in the one that the environment variable PERFCOURSE_BANKS names.
"""

from __future__ import annotations

import json
from pathlib import Path

from perfcourse.bank import Bank, Question
from perfcourse.loading import load
from perfcourse.release.assignment import (
    Cell,
    Notebook,
    read_source,
    student_edition,
    without_given,
    written,
)
from perfcourse.release.data import copy_files
from perfcourse.release.links import book_address, leaving

HIDDEN = "### BEGIN HIDDEN TESTS", "### END HIDDEN TESTS"


def nbgrader_source(source: Notebook, bank: Bank) -> Notebook:
    """Return the instructor's notebook for nbgrader's `source/`: solutions in, tests hidden.

    `nbgrader generate_assignment` takes out both. A question's partial points are what its test
    cell shows, as nbgrader understands it.
    """
    edition = student_edition(source, bank)
    for cell, original in zip(without_given(edition), source["cells"], strict=True):
        mark = cell["metadata"]["nbgrader"]
        cell["source"] = original["source"]
        if mark["grade"]:
            question = bank.question(mark["grade_id"].removesuffix("-check"))
            cell["source"] += "\n" + _hidden_test(question)
    return edition


def _hidden_test(question: Question) -> str:
    asked = f'("{question.id}", {question.answer})'
    test = f"earned = check.points{asked}\nassert earned > 0, check{asked}\nearned"
    return "\n".join((HIDDEN[0], test, HIDDEN[1]))


def otter_test(question: Question, bank: Bank) -> str:
    """Return the file `tests/ID.py` that makes Otter grade a question through our bank."""
    code = (
        ">>> from perfcourse import checker\n"
        f">>> mine = checker({bank.topic!r}, student=globals().get('STUDENT', 'anyone'))\n"
        f">>> mine.points({question.id!r}, {question.answer}) >= {float(question.points)!r}\n"
        "True"
    )
    case = {"code": code, "hidden": False, "locked": False, "points": question.points}
    suite = {"cases": [case], "scored": True, "setup": "", "teardown": "", "type": "doctest"}
    test = {"name": question.id, "points": question.points, "suites": [suite]}
    text = json.dumps(test, indent=4).replace(": true", ": True").replace(": false", ": False")
    return f"OK_FORMAT = True\n\ntest = {text}\n"


def write_nbgrader(topic: str, root: Path, out: Path) -> Path:
    """Write `OUT/source/TOPIC/TOPIC.ipynb` for nbgrader; return its path."""
    bank = load(root / "solutions" / f"{topic}.py")
    edition = nbgrader_source(read_source(root / "solutions" / f"{topic}.ipynb"), bank)
    leaving(edition, book_address(root))
    path = out / "source" / topic / f"{topic}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(written(edition), encoding="utf-8")
    copy_files(bank, path.parent)
    return path


def write_otter(topic: str, root: Path, out: Path) -> Path:
    """Write `OUT/TOPIC.ipynb` and `OUT/tests/` for `otter generate`; return the notebook's path."""
    bank = load(root / "solutions" / f"{topic}.py")
    source = read_source(root / "solutions" / f"{topic}.ipynb")
    (out / "tests").mkdir(parents=True, exist_ok=True)
    for question in bank.questions:
        test = otter_test(question, bank)
        (out / "tests" / f"{question.id}.py").write_text(test, encoding="utf-8")
    path = out / f"{topic}.ipynb"
    edition = leaving(student_edition(source, bank), book_address(root))
    path.write_text(written(edition), encoding="utf-8")
    copy_files(bank, out)
    return path


def cell_of(notebook: Notebook, grade_id: str) -> Cell:
    """Return the cell with a grade id; a KeyError names the one that isn't there."""
    for cell in notebook["cells"]:
        if cell["metadata"]["nbgrader"]["grade_id"] == grade_id:
            found: Cell = cell
            return found
    raise KeyError(grade_id)
