"""A course plan: units, each with what is read and done before class, in it and after it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

PARTS = ("Before class", "In class", "After class")
"""The items of a unit that count; others, such as "Instead", don't."""
BEFORE, IN, AFTER = PARTS


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
