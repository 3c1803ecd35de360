"""What became of one submission, and its record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from perfcourse.isolation.notebook import CellError
from perfcourse.judge.verdict import Part, Verdict

MOST_ERRORS = 50
"""Errors of cells that are kept; a notebook may have any number of cells."""


@dataclass(frozen=True)
class Graded:
    """What became of one submission; plain data, so it travels and is stored as JSON."""

    name: str
    student: str
    digest: str
    """SHA-256 of the file, empty where there was none to read."""
    problem: str
    """Why nothing, or not everything, could be graded; empty where all went well."""
    verdicts: tuple[Verdict, ...]
    errors: tuple[CellError, ...] = ()
    """Code cells that raised: number (from 1), type of the error, message."""
    seconds: float = 0.0
    broken: bool = False
    """Whether the grader's own machinery failed; such a result is never kept."""
    readable: bool = True
    """Whether there was a notebook to grade."""

    @property
    def earned(self) -> float:
        """Points earned."""
        return float(sum(verdict.earned for verdict in self.verdicts))

    @property
    def decided(self) -> bool:
        """Whether the points are a grade: there was a notebook, and every question was judged."""
        judged = not any(verdict.failed for verdict in self.verdicts)
        return self.readable and not self.broken and judged

    @property
    def points(self) -> float:
        """Points that could be earned."""
        return float(sum(verdict.points for verdict in self.verdicts))


def as_record(graded: Graded) -> dict[str, Any]:
    """Return the result as JSON-ready data; not by `asdict`, which copies every text of it."""
    verdicts = [
        {**vars(verdict), "parts": [{**vars(part)} for part in verdict.parts]}
        for verdict in graded.verdicts
    ]
    return {**vars(graded), "verdicts": verdicts, "errors": list(graded.errors)}


def from_record(record: dict[str, Any]) -> Graded:
    """Rebuild a result from `as_record`."""
    verdicts = tuple(
        Verdict(**{**verdict, "parts": tuple(Part(**part) for part in verdict["parts"])})
        for verdict in record["verdicts"]
    )
    errors = tuple((int(n), str(kind), str(text)) for n, kind, text in record["errors"])
    return Graded(**{**record, "verdicts": verdicts, "errors": errors})
