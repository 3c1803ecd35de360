"""What was handed out: the code cells of the notebook that students began with."""

from __future__ import annotations

from pathlib import Path

from perfcourse.bank import Bank
from perfcourse.release.assignment import read_source, student_edition
from perfcourse.release.solutions import ReleaseError


def handed_out(path: Path, bank: Bank) -> frozenset[str]:
    """Return the code cells that students got; none without a notebook beside the bank."""
    source = path.with_suffix(".ipynb")
    try:
        edition = student_edition(read_source(source), bank)
    except (OSError, ValueError, KeyError, ReleaseError):
        return frozenset()
    return frozenset(cell["source"] for cell in edition["cells"] if cell["cell_type"] == "code")
