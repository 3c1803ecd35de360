"""What a page says about itself: what it teaches, what it needs, how long it takes.

A chapter says so under `course` in its front matter, a lab in its notebook's metadata, an exercise
in that of its solution.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from perfcourse.book import toc

DIFFICULTIES = ("easy", "medium", "hard")
KEYS = ("objectives", "needs", "minutes", "difficulty", "core")


@dataclass(frozen=True)
class About:
    """What a reader wants to know before opening a page."""

    objectives: tuple[str, ...]
    """Two to four, each of which completes the sentence "You will be able to"."""
    needs: tuple[str, ...]
    """Pages to know before, without their endings."""
    minutes: int
    """The time that it takes; of an exercise, that of its first level."""
    difficulty: str
    """`easy`, `medium` or `hard`."""
    core: bool
    """Whether the page is on the core path through the book."""

    def __post_init__(self) -> None:
        if not 2 <= len(self.objectives) <= 4:
            raise ValueError(f"objectives must be two to four, got {len(self.objectives)}")
        for objective in self.objectives:
            if not (isinstance(objective, str) and objective[:1].islower()) or objective[-1] == ".":
                raise ValueError(
                    f"objectives must complete a sentence, without a full stop, got {objective!r}"
                )
        if type(self.minutes) is not int or not 5 <= self.minutes <= 120:
            raise ValueError(f"minutes must be a whole number from 5 to 120, got {self.minutes!r}")
        if self.difficulty not in DIFFICULTIES:
            known = ", ".join(DIFFICULTIES)
            raise ValueError(f"difficulty must be one of {known}, got {self.difficulty!r}")
        if type(self.core) is not bool:
            raise ValueError(f"core must be true or false, got {self.core!r}")

    @property
    def sentence(self) -> str:
        """The objectives in one sentence.

        >>> About(("count", "bound"), (), 30, "easy", True).sentence
        'You will be able to count; bound.'
        """
        return f"You will be able to {'; '.join(self.objectives)}."


def parse(metadata: Mapping[str, Any], page: str) -> About:
    """Return what the value of the key `course` says about a page; an error names the page."""
    if set(metadata) != set(KEYS):
        raise ValueError(f"{page}: course must have {', '.join(KEYS)}, got {', '.join(metadata)}")
    try:
        objectives, needs = tuple(metadata["objectives"]), tuple(metadata["needs"])
        return About(objectives, needs, *(metadata[key] for key in KEYS[2:]))
    except (TypeError, ValueError) as error:
        raise ValueError(f"{page}: {error}") from error


def metadata(project: Path, page: str) -> dict[str, Any]:
    """Return the value of the key `course` of a page as it is, empty if there is none."""
    path = file(project, page)
    return {} if path is None else _of(path)


def file(project: Path, page: str) -> Path | None:
    """Return the file in which a page says what it says about itself, if it has a source."""
    folder, _, topic = page.rpartition("/")
    solution = project / "solutions" / f"{topic}.ipynb"
    if folder == "exercises" and solution.is_file():
        return solution
    return toc.path(project, page)


def _of(path: Path) -> dict[str, Any]:
    text = path.read_text("utf-8")
    if path.suffix == ".ipynb":
        return dict(json.loads(text)["metadata"].get("course", {}))
    front = text.split("---\n")[1] if text.startswith("---\n") else ""
    return dict((yaml.safe_load(front) or {}).get("course", {}))


def contents(project: Path) -> dict[str, About]:
    """Return what the pages that `_toc.yml` names say about themselves, in reading order.

    Pages without the key are left out. `project` may also be the folder of the laid out pages.
    """
    courses = {page: metadata(project, page) for page in toc.pages(project)}
    return {page: parse(said, page) for page, said in courses.items() if said}
