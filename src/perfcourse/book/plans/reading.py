"""Read a course plan from its page, and add up its hours."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from perfcourse.book import about, sources
from perfcourse.book.plans.exercises import levels
from perfcourse.book.plans.plan import BEFORE, IN, PARTS, Link, Plan, Unit

_ITEM = re.compile(rf"^- \*\*({'|'.join(PARTS)})\*\*(?: \((\d+) minutes\))?: (.*)$", re.M)
_LINK = re.compile(r"\[([^\]]*)\]\(([^)\s#:]+)\.(?:md|ipynb)(?:#[^)]*)?\)")
_QUESTIONS = re.compile(r"questions? (\d+)(?: (to|and) (\d+))?")
_EXERCISES = "exercises/"
_Items = dict[str, tuple[int, str]]
"""Of each part the minutes of class, or 0, and its text."""


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
