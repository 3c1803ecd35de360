"""Write every report of a run into its folder."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from perfcourse.bank import Bank
from perfcourse.grading import Graded
from perfcourse.report.pages import feedback, page_name
from perfcourse.report.tables import grades


def write_reports(
    out: Path, bank: Bank, results: Sequence[Graded], protections: Sequence[str]
) -> None:
    """Write the tables and pages; the folder's other files stay as they are."""
    write(out / "grades.csv", grades(results, bank))
    for graded in results:
        write(out / "feedback" / page_name(graded), feedback(graded, bank, protections))


def write(path: Path, text: str) -> None:
    """Write a text file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    part.write_bytes(text.encode("utf-8", "replace"))
    os.replace(part, path)
