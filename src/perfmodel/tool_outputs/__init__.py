"""What public tools print, and what it means: one table of behaviours that were seen in runs.

Each row of `outputs.csv` holds for the version that it names, and says on which day that was run.

>>> behaviour("siege-404-is-neither-success-nor-failure").answer
'100 %'
>>> [row.tool for row in behaviours(tool="hwloc")]
['hwloc (lstopo)']
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from zlib import crc32

from perfmodel.validation import one_of

PAGES = {
    "load-testing": "load generators",
    "measuring": "benchmarks and power meters",
    "statistics": "statistics and time series",
    "clusters": "the tools of clusters",
    "models": "counters of FLOPs and parameters",
    "serving": "tools for serving models",
    "queueing": "queueing and reliability tools",
    "simulation": "simulators and caches",
    "grading": "notebooks and graders",
}
"""The pages of the book below `book/tools`, in reading order, and whose output each is about."""


@dataclass(frozen=True)
class Behaviour:
    """One behaviour of one tool at one version."""

    id: str
    tool: str
    version: str
    page: str
    """The page of the book that shows it, one of `PAGES`."""
    run: date
    """The day on which it was seen."""
    title: str
    prints: str
    """What one sees."""
    means: str
    """What this is."""
    misleads: str
    """Who decides wrongly, and by how much."""
    instead: str
    """What to do."""
    question: str
    answer: str
    reasons: dict[str, str]
    """The usual wrong answers, each with what speaks against it."""

    @property
    def options(self) -> tuple[str, ...]:
        """The answers to choose from, the right one at a place that depends on the id alone."""
        wrong = list(self.reasons)
        wrong.insert(crc32(self.id.encode()) % (len(wrong) + 1), self.answer)
        return tuple(wrong)

    @property
    def why(self) -> str:
        """The explanation that follows the answer."""
        return f"{self.means} {self.instead}"

    @property
    def prompt(self) -> tuple[str, tuple[str, ...], str, str, dict[str, str]]:
        """What `live.choose` takes after its key: question, options, answer, why and reasons."""
        return self.question, self.options, self.answer, self.why, self.reasons


@cache
def _all() -> tuple[Behaviour, ...]:
    return tuple(_rows())


def _rows() -> Iterator[Behaviour]:
    path = Path(__file__).parent / "outputs.csv"
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            wrong = [pair.split(" :: ") for pair in row.pop("wrong").split(" || ")]
            run = date.fromisoformat(row.pop("run"))
            yield Behaviour(run=run, reasons=dict(wrong), **row)


def behaviours(page: str | None = None, tool: str | None = None) -> tuple[Behaviour, ...]:
    """Return the behaviours of a page, of a tool, or all of them.

    `page`: one of `PAGES`. `tool`: a tool's name, in any case, as it stands in `Behaviour.tool` or
    as a word of it. Of a tool that the table doesn't hold nothing is returned.
    """
    if page is not None:
        one_of("page", page, PAGES)
    words = tool.lower() if tool is not None else ""
    return tuple(
        row
        for row in _all()
        if page in (None, row.page) and (not words or words in _names(row.tool))
    )


def _names(tool: str) -> set[str]:
    """Return what a tool may be asked for by.

    >>> sorted(_names("Slurm (sstat, sacct)"))
    ['sacct', 'slurm', 'slurm (sstat, sacct)', 'sstat']
    """
    words = tool.lower().replace("(", " ").replace(")", " ").replace(",", " ").split()
    return {tool.lower(), *words} - {"and", "python", "r", "ports"}


def behaviour(id: str) -> Behaviour:
    """Return one behaviour by its id.

    Raises `ValueError` if no row has it.
    """
    known = {row.id: row for row in _all()}
    return known[one_of("id", id, known)]
