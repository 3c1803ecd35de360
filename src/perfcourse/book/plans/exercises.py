"""What plans choose from: the questions of each exercise by level, the labs of each topic."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path

from perfcourse.bank.loader import load
from perfcourse.book import about


def levels(project: Path, topic: str) -> list[tuple[int, ...]]:
    """Return the numbers of the questions of a topic's exercise, level by level."""
    solution = (project / "solutions" / f"{topic}.ipynb").read_text("utf-8")
    cells = [cell for cell in json.loads(solution)["cells"] if cell["cell_type"] == "markdown"]
    text = "\n".join("".join(cell["source"]) for cell in cells)
    parts = re.split(r"^## Level \d", text, flags=re.M)[1:]
    return [tuple(map(int, re.findall(r"^### (\d+)\.", part, re.M))) for part in parts]


def stock(project: Path, topics: Iterable[str]) -> list[list[object]]:
    """Return a row a topic: what the book has on it.

    The columns are the topic, the numbers of labs and of labs on the core path, and the exercise's
    numbers of questions, points and levels.
    """
    known = about.contents(project)
    rows: list[list[object]] = []
    for topic in topics:
        labs = [said for page, said in known.items() if page.startswith(f"notebooks/{topic}/")]
        points = sum(q.points for q in load(project / "solutions" / f"{topic}.py").questions)
        by_level = levels(project, topic)
        core = sum(said.core for said in labs)
        rows.append([topic, len(labs), core, sum(map(len, by_level)), points, len(by_level)])
    return rows
