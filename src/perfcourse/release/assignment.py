"""Editions of a notebook from its one source: the student's, with the solutions cleared.

What becomes of a solution is said in `perfcourse.release.solutions`. The cell in which a student
writes their id carries no mark of nbgrader's, so that every tool leaves it as the student left it;
all other cells are a solution's, a check's, or locked. One locked cell is added, with what the
check needs where there is no question bank (`perfcourse.judge.answer_forms`).
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from perfcourse.bank import Bank, Question
from perfcourse.bank.loader import load
from perfcourse.intake.cells import UnreadableError, code_cells
from perfcourse.judge import answer_forms as alone
from perfcourse.release.links import book_address, leaving
from perfcourse.release.solutions import BEGIN, END, ReleaseError, assigned, cleared

GIVEN = "given"
"""Name of the cell that is added."""
Notebook = dict[str, Any]
Cell = dict[str, Any]


def read_source(path: Path) -> Notebook:
    """Read a notebook of our own, with each cell's source as one text."""
    notebook: Notebook = json.loads(path.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        if not isinstance(cell["source"], str):
            cell["source"] = "".join(cell["source"])
    return notebook


def written(notebook: Notebook) -> str:
    """Return a notebook as text: the same text for the same notebook, always."""
    return json.dumps(notebook, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def student_edition(source: Notebook, bank: Bank, student: str = "") -> Notebook:
    """Return the notebook that students get: solutions cleared, outputs gone, the rest locked.

    Each question must be answered in a solution and checked by `check("ID"...)`. `student` is an id
    to put in as `STUDENT`, for personal copies. A `ReleaseError` names unbalanced markers, a
    question without an answer or a check, a cell that sets the answer of another question, or more
    code than the grader reads.
    """
    answered = {name for cell in source["cells"] for name in answers(cell, bank)}
    for question in bank.questions:
        if question.answer not in answered:
            raise ReleaseError(f"{question.id}: no solution in the notebook sets {question.answer}")
    cells = [_student_cell(cell, bank, index) for index, cell in enumerate(source["cells"])]
    _tell_apart(cells)
    checked = {cell["metadata"].get("nbgrader", {}).get("grade_id") for cell in cells}
    for question in bank.questions:
        if f"{question.id}-check" not in checked:
            raise ReleaseError(
                f'{question.id}: no cell of the notebook calls check("{question.id}"'
            )
    _refuse_others_answers(source["cells"], bank)
    if student:
        cells = [_personal(cell, student) for cell in cells]
    cells.insert(_after_checker(cells), _given(bank, student or alone.ANYONE))
    edition = {
        "cells": cells,
        "metadata": _notebook_metadata(source),
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    try:
        code_cells(written(edition).encode())
    except UnreadableError as error:
        raise ReleaseError(f"no copy of this notebook could be graded: {error}") from error
    return edition


def release(topic: str, root: Path, student: str = "", leaves: bool = False) -> str:
    """Return the text of `exercises/TOPIC.ipynb` made from `solutions/TOPIC.ipynb` and `.py`.

    A copy that `leaves` the project's folder has no links into it (`perfcourse.release.links`).
    """
    solutions = root / "solutions"
    bank = load(solutions / f"{topic}.py")
    edition = student_edition(read_source(solutions / f"{topic}.ipynb"), bank, student)
    return written(leaving(edition, book_address(root)) if leaves else edition)


def topics(root: Path) -> list[str]:
    """Return the topics that have both a bank and a notebook under `root/solutions`."""
    banks = sorted((root / "solutions").glob("*.py"))
    return [path.stem for path in banks if path.with_suffix(".ipynb").is_file()]


def answers(cell: Cell, bank: Bank) -> list[str]:
    """Return the names of the answers that a cell's solution sets."""
    if cell["cell_type"] != "code" or BEGIN not in cell["source"]:
        return []
    names = {question.answer for question in bank.questions}
    values = dict(assigned(cell["source"]))
    return [name for name in values if name in names]


def _student_cell(cell: Cell, bank: Bank, place: int) -> Cell:
    where = f"cell {place + 1}"
    if cell["cell_type"] != "code":
        return _cell(cell, cell["source"], _nbgrader(f"text-{place + 1}", locked=True))
    if BEGIN in cell["source"] or END in cell["source"]:
        names = answers(cell, bank)
        text = cleared(cell["source"], names, where)
        grade_id = names[0] if names else f"solution-{place + 1}"
        return _cell(cell, text, _nbgrader(grade_id, solution=True))
    if question := _checked(cell, bank):
        metadata = _nbgrader(f"{question.id}-check", grade=True, locked=True)
        return _cell(cell, cell["source"], {**metadata, "points": question.points})
    if re.search(r"(?m)^STUDENT\s*=", cell["source"]):
        return _cell(cell, cell["source"], None)
    return _cell(cell, cell["source"], _nbgrader(f"code-{place + 1}", locked=True))


def _refuse_others_answers(cells: Sequence[Cell], bank: Bank) -> None:
    """Raise a ReleaseError where a cell sets an answer that the next checks don't ask for.

    A student who fills in such a cell overwrites the answer to another question.
    """
    asked = {question.answer: question.id for question in bank.questions}
    next_checks: set[str] = set()
    checking = False
    for index in range(len(cells) - 1, -1, -1):
        if cells[index]["cell_type"] != "code":
            continue
        text = cells[index]["source"]
        checked = {question.id for question in _checks(text, bank)}
        if checked:
            next_checks = checked | (next_checks if checking else set())
        checking = bool(checked)
        for name, _ in assigned(text):
            if name in asked and asked[name] not in next_checks:
                raise ReleaseError(
                    f"cell {index + 1}: {name} is the answer to question {asked[name]}, which is "
                    "not the one that is checked next; give it another name here"
                )


def _tell_apart(cells: Sequence[Cell]) -> None:
    """Give each cell a grade id of its own: a second cell of an answer gets a number."""
    ids: set[str] = set()
    for index, cell in enumerate(cells):
        mark = cell["metadata"].get("nbgrader")
        if mark and mark["grade_id"] in ids:
            mark["grade_id"] += f"-{index + 1}"
        ids |= {mark["grade_id"]} if mark else set()


def _checked(cell: Cell, bank: Bank) -> Question | None:
    return next(_checks(cell["source"], bank), None)


def _checks(text: str, bank: Bank) -> Iterator[Question]:
    """Return the questions whose check a cell calls."""
    for question in bank.questions:
        if re.search(rf"""\bcheck\(\s*["']{question.id}["']""", text):
            yield question


def _nbgrader(
    grade_id: str, grade: bool = False, solution: bool = False, locked: bool = False
) -> dict[str, Any]:
    return {
        "grade": grade,
        "grade_id": grade_id,
        "locked": locked,
        "schema_version": 3,
        "solution": solution,
        "task": False,
    }


def _cell(cell: Cell, text: str, nbgrader: dict[str, Any] | None) -> Cell:
    """Return the student's cell; without metadata of nbgrader's it is theirs to edit."""
    metadata = {k: v for k, v in cell["metadata"].items() if k not in ("nbgrader", "execution")}
    if nbgrader:
        metadata["nbgrader"] = nbgrader
        if nbgrader["locked"]:
            metadata |= {"deletable": False, "editable": False}
    edition = {
        "cell_type": cell["cell_type"],
        "id": cell.get("id") or (nbgrader or {}).get("grade_id", "student"),
        "metadata": metadata,
        "source": text,
    }
    if cell["cell_type"] == "code":
        edition |= {"execution_count": None, "outputs": []}
    return edition


def _personal(cell: Cell, student: str) -> Cell:
    personal = copy.deepcopy(cell)
    if cell["cell_type"] == "code":
        line = f"STUDENT = {student!r}"
        personal["source"] = re.sub(r"(?m)^STUDENT\s*=.*$", lambda _: line, cell["source"])
    return personal


def _after_checker(cells: Sequence[Cell]) -> int:
    for index, cell in enumerate(cells):
        if cell["cell_type"] == "code" and _CHECKER.search(cell["source"]):
            return index + 1
    raise ReleaseError('no cell of the notebook sets check = checker("TOPIC", student=STUDENT)')


_CHECKER = re.compile(r"(?m)^check\s*=\s*checker\(")


def _given(bank: Bank, student: str) -> Cell:
    text = alone.source(alone.given(bank, student), student)
    cell = {"cell_type": "code", "id": GIVEN, "metadata": {}}
    made = _cell(cell, text, _nbgrader(GIVEN, locked=True))
    made["metadata"] |= {"jupyter": {"source_hidden": True}, "tags": ["hide-input"]}
    return made


def without_given(notebook: Notebook) -> list[Cell]:
    """Return an edition's cells that stem from the source, one for each of its cells."""
    return [cell for cell in notebook["cells"] if cell["id"] != GIVEN]


def _notebook_metadata(source: Notebook) -> dict[str, Any]:
    metadata = {k: v for k, v in source["metadata"].items() if k in ("authors", "title")}
    kernelspec = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {**metadata, "kernelspec": kernelspec, "language_info": {"name": "python"}}


def handed_out(path: Path, bank: Bank) -> frozenset[str]:
    """Return the code cells that students got; none without a notebook beside the bank."""
    source = path.with_suffix(".ipynb")
    try:
        edition = student_edition(read_source(source), bank)
    except (OSError, ValueError, KeyError, ReleaseError):
        return frozenset()
    return frozenset(cell["source"] for cell in edition["cells"] if cell["cell_type"] == "code")
