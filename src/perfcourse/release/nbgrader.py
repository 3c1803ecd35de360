"""The edition of a notebook for nbgrader, from the same source as our own."""

from __future__ import annotations

from pathlib import Path

from perfcourse.bank import Bank
from perfcourse.bank.loader import load
from perfcourse.release.assignment import (
    Notebook,
    read_source,
    student_edition,
    without_given,
    written,
)
from perfcourse.release.data_files import copy_files
from perfcourse.release.links import book_address, leaving

HIDDEN_TEST = """\
### BEGIN HIDDEN TESTS
from perfcourse.release.inprocess import points
points(globals(), "{topic}", "{question}")
### END HIDDEN TESTS"""
CONFIG = "nbgrader_config.py"
SETTINGS = '''\
"""Settings of nbgrader for this course; written by `perfcourse release --for-nbgrader`."""

import os

c = get_config()
# Where the question banks are that the hidden tests ask.
os.environ.setdefault("PERFCOURSE_BANKS", {banks!r})
# A student may have deleted the cell that holds a test.
c.OverwriteCells.add_missing_cells = True
'''


def nbgrader_source(source: Notebook, bank: Bank) -> Notebook:
    """Return the instructor's notebook for nbgrader's `source/`: solutions in, tests hidden.

    `nbgrader generate_assignment` takes out both. A question's points are the last value of its
    test's cell, as nbgrader understands it.
    """
    edition = student_edition(source, bank)
    for cell, original in zip(without_given(edition), source["cells"], strict=True):
        cell["source"] = original["source"]
        mark = cell["metadata"].get("nbgrader")
        if mark and mark["grade"]:
            question = mark["grade_id"].removesuffix("-check")
            cell["source"] += "\n" + HIDDEN_TEST.format(topic=bank.topic, question=question)
    return edition


def write_nbgrader(topic: str, root: Path, out: Path) -> Path:
    """Write `OUT/source/TOPIC/TOPIC.ipynb`, returned, and nbgrader's settings if there are none."""
    bank = load(root / "solutions" / f"{topic}.py")
    edition = nbgrader_source(read_source(root / "solutions" / f"{topic}.ipynb"), bank)
    leaving(edition, book_address(root))
    path = out / "source" / topic / f"{topic}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(written(edition), encoding="utf-8")
    copy_files(bank, path.parent)
    if not (out / CONFIG).exists():
        settings = SETTINGS.format(banks=str((root / "solutions").resolve()))
        (out / CONFIG).write_text(settings, encoding="utf-8")
    return path
