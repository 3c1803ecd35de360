"""Course plans: what each unit of a plan asks students to read and to do, and how long that takes.

A plan is a page. A unit is a section of it with three items, `**Before class**`, `**In class** (120
minutes)` and `**After class**`, whose links name pages of the book. The hours are those that the
pages state about themselves.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from perfcourse.bank.loader import load
from perfcourse.book import about, sources

PARTS = ("Before class", "In class", "After class")
"""The items of a unit that count; others, such as "Instead", don't."""
BEFORE, IN, AFTER = PARTS
_ITEM = re.compile(rf"^- \*\*({'|'.join(PARTS)})\*\*(?: \((\d+) minutes\))?: (.*)$", re.M)
_LINK = re.compile(r"\[([^\]]*)\]\(([^)\s#:]+)\.(?:md|ipynb)(?:#[^)]*)?\)")
_QUESTIONS = re.compile(r"questions? (\d+)(?: (to|and) (\d+))?")
_EXERCISES = "exercises/"
_Items = dict[str, tuple[int, str]]
"""Of each part the minutes of class, or 0, and its text."""


@dataclass(frozen=True)
class Link:
    """A page that a unit names, and of an exercise the questions of it."""

    part: str
    """One of `PARTS`."""
    page: str
    """Without its ending."""
    questions: tuple[int, ...] = ()


@dataclass(frozen=True)
class Unit:
    """A week or a meeting."""

    title: str
    links: tuple[Link, ...]
    room: int
    """Minutes that the class lasts."""
    talk: int
    """Minutes of it that the plan gives to what is no page, each as a number in brackets."""
    minutes: Mapping[str, float]
    """Minutes of the pages linked, by part."""

    @property
    def planned(self) -> float:
        """Minutes of class that the plan fills."""
        return self.talk + self.minutes[IN]

    @property
    def beside(self) -> float:
        """Minutes before and after class."""
        return self.minutes[BEFORE] + self.minutes[AFTER]


@dataclass(frozen=True)
class Plan:
    """The units of a plan, in their order."""

    units: tuple[Unit, ...]

    @property
    def room(self) -> int:
        """Minutes of class."""
        return sum(unit.room for unit in self.units)

    @property
    def beside(self) -> float:
        """Minutes before and after class."""
        return sum(unit.beside for unit in self.units)

    @property
    def questions(self) -> int:
        """How many questions of exercises are asked, each counted once."""
        return len({(a.page, n) for unit in self.units for a in unit.links for n in a.questions})


def read(project: Path, page: str) -> Plan:
    """Return the plan on a page such as `book/instructors/six-weeks`; an error names page and unit.

    A page linked several times counts in equal parts. A question of an exercise takes as long as
    one of its first level, whose minutes the exercise states.
    """
    text = (project / f"{page}.md").read_text("utf-8")
    sections = [part.partition("\n") for part in re.split(r"^## ", text, flags=re.M)[1:]]
    units: dict[str, _Items] = {}
    links: dict[str, tuple[Link, ...]] = {}
    for title, _, body in sections:
        if f"- **{BEFORE}**" in body:
            try:
                units[title] = _items(body)
                links[title] = tuple(_links(project, posixpath.dirname(page), units[title]))
            except ValueError as error:
                raise ValueError(f"{page}, {title}: {error}") from error
    minutes = _minutes(project, [link for named in links.values() for link in named])
    return Plan(tuple(_unit(title, units[title], links[title], minutes) for title in units))


def _unit(
    title: str, items: _Items, links: tuple[Link, ...], minutes: Mapping[Link, float]
) -> Unit:
    talk = sum(map(int, re.findall(r"\((\d+)\)", items[IN][1])))
    of_part = {part: sum(minutes[link] for link in links if link.part == part) for part in PARTS}
    return Unit(title, links, items[IN][0], talk, of_part)


def _items(body: str) -> _Items:
    items = {name: (int(length or 0), text) for name, length, text in _ITEM.findall(body)}
    if set(items) != set(PARTS) or not items[IN][0]:
        raise ValueError(f"a unit must have {', '.join(PARTS)} and the minutes of class")
    return items


def _links(project: Path, folder: str, items: _Items) -> Iterable[Link]:
    for part, (_, text) in items.items():
        for words, target in _LINK.findall(text):
            page = posixpath.normpath(posixpath.join(folder, target))
            if sources.path(project, page) is None:
                raise ValueError(f"there is no page {page}")
            yield Link(part, page, _asked(project, words, page))


def _asked(project: Path, words: str, page: str) -> tuple[int, ...]:
    """Return the numbers of the questions that the words of a link to an exercise name."""
    if not page.startswith(_EXERCISES):
        return ()
    if not (named := _QUESTIONS.search(words)):
        raise ValueError(f"a link to an exercise must name its questions, got {words!r}")
    first, last = int(named[1]), int(named[3] or named[1])
    numbers = (first, last) if named[2] == "and" else tuple(range(first, last + 1))
    there = {n for level in levels(project, page.removeprefix(_EXERCISES)) for n in level}
    if not numbers or not there.issuperset(numbers):
        raise ValueError(f"{page} has {len(there)} questions, got {words!r}")
    return numbers


def _minutes(project: Path, links: list[Link]) -> dict[Link, float]:
    """Return the minutes that each link stands for; 0 for a page that states none."""
    known = about.contents(project)
    times = Counter(link.page for link in links)
    minutes = {}
    for link in links:
        whole = known[link.page].minutes if link.page in known else 0
        if link.questions:
            first = levels(project, link.page.removeprefix(_EXERCISES))[0]
            minutes[link] = whole * len(link.questions) / len(first)
        else:
            minutes[link] = whole / times[link.page]
    return minutes


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
