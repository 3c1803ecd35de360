"""The edition of a notebook for Otter, from the same source as our own.

It is a notebook in the format of `otter assign`, with a copy of the question bank for the
autograder. A question's parts are hidden test cases of their own, which raise the hint.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import yaml

from perfcourse.bank import Bank
from perfcourse.bank.loader import load
from perfcourse.judge import Part
from perfcourse.release.assignment import (
    Cell,
    Notebook,
    answers,
    read_source,
    student_edition,
    without_given,
    written,
)
from perfcourse.release.data_files import bank_files, copy_files
from perfcourse.release.inprocess import parts
from perfcourse.release.links import book_address, leaving
from perfcourse.release.solutions import placeholders, swapped

BANKS = "solutions"
"""The folder, beside the notebook, of what only the autograder gets."""


def otter_source(source: Notebook, bank: Bank) -> Notebook:
    """Return the instructor's notebook for `otter assign`.

    What it makes for students is our own student's edition, cell by cell: no cell of it calls
    Otter, so students need not install it. Each question is tested where its check stands.
    """
    edition = student_edition(source, bank)
    for cell, original in zip(without_given(edition), source["cells"], strict=True):
        cell["source"] = _marked(original, bank)
    cells = [_raw("config", "ASSIGNMENT CONFIG", _settings(bank))]
    for cell in edition["cells"]:
        mark = cell["metadata"].get("nbgrader")
        cells += _question(cell, mark["grade_id"], bank) if mark and mark["grade"] else [cell]
    return {**edition, "cells": cells}


def _settings(bank: Bank) -> str:
    settings = {
        "init_cell": False,
        "export_cell": False,
        "strip_solutions_from_all_cells": True,
        "tests": {"ok_format": False},
        "files": [file.name for file in bank.files],
        "autograder_files": [BANKS],
        "generate": {"show_hidden": True, "force_public_test_summary": False},
    }
    return str(yaml.safe_dump(settings, sort_keys=False))


def _marked(cell: Cell, bank: Bank) -> str:
    """Return a cell's text with its solutions and placeholders as Otter marks them."""
    if cell["cell_type"] != "code":
        return str(cell["source"])
    names = answers(cell, bank)

    def marked(solution: list[str], indent: str) -> list[str]:
        return [
            f"{indent}# BEGIN SOLUTION NO PROMPT",
            *solution,
            f"{indent}# END SOLUTION",
            f'{indent}""" # BEGIN PROMPT',
            *placeholders(solution, names, indent),
            f'{indent}"""; # END PROMPT',
        ]

    return swapped(cell["source"], marked)


def _question(check: Cell, grade_id: str, bank: Bank) -> list[Cell]:
    """Return the check's cell within the bounds of a question, and its test cases."""
    question = bank.question(grade_id.removesuffix("-check"))
    return [
        _raw(f"{question.id}-begin", "BEGIN QUESTION", f"name: {question.id}"),
        check,
        _raw(f"{question.id}-tests", "BEGIN TESTS"),
        *_tests(bank.topic, question.id, parts(bank, question)),
        _raw(f"{question.id}-tested", "END TESTS"),
        _raw(f"{question.id}-end", "END QUESTION"),
    ]


def _tests(topic: str, question: str, earned: Sequence[Part]) -> list[Cell]:
    return [_test(topic, question, part, number) for number, part in enumerate(earned, start=1)]


def _test(topic: str, question: str, part: Part, place: int) -> Cell:
    lines = (
        '""" # BEGIN TEST CONFIG',
        "hidden: true",
        f"points: {float(part.points)!r}",
        '""" # END TEST CONFIG',
        f"def case_{place}(env):",
        "    from perfcourse.release.inprocess import part",
        f"    part(env, {topic!r}, {question!r}, {part.name!r})",
    )
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": f"{question}-test-{place}",
        "metadata": {},
        "outputs": [],
        "source": "\n".join(lines),
    }


def _raw(id: str, mark: str, text: str = "") -> Cell:
    source = f"# {mark}\n{text}".rstrip()
    return {"cell_type": "raw", "id": id, "metadata": {}, "source": source}


def write_otter(topic: str, root: Path, out: Path) -> Path:
    """Write what `otter assign` needs, and return its notebook `OUT/TOPIC.ipynb`.

    That is the data that students get, and in `OUT/solutions` the question bank.
    """
    solutions = root / "solutions"
    bank = load(solutions / f"{topic}.py")
    edition = otter_source(read_source(solutions / f"{topic}.ipynb"), bank)
    leaving(edition, book_address(root))
    copy_files(bank, out)
    for name in bank_files(solutions / f"{topic}.py"):
        (out / BANKS / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(solutions / name, out / BANKS / name)
    path = out / f"{topic}.ipynb"
    path.write_text(written(edition), encoding="utf-8")
    return path
