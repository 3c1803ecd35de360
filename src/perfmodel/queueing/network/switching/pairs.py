"""Routes of jobs that change class: from one pair of class and station to another.

>>> rooms = Pairs(("draft", "final"), ("editor", "printer"))
>>> rooms.matrix({("draft", "editor"): {("final", "printer"): 1.0}}).nonzero()
(array([0]), array([3]))
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from perfmodel.queueing.network.routing import ROUNDING
from perfmodel.validation import Floats, one_number, within

Pair = tuple[str, str]
"""The names of a class and of a station."""
Routes = Mapping[Pair, Mapping[Pair, float]]
"""Where jobs go from a pair, with probabilities; what these lack to 1 leaves."""


@dataclass(frozen=True)
class Pairs:
    """All pairs of a class and a station, numbered class by class."""

    classes: tuple[str, ...]
    stations: tuple[str, ...]

    @property
    def shown(self) -> list[str]:
        """Each pair in words, for messages."""
        return [f"{station} as {job}" for job in self.classes for station in self.stations]

    def number(self, name: str, pair: object) -> int:
        """Return the number of a pair, refusing what is none.

        >>> Pairs(("a",), ("cpu", "disk")).number("routing", "a")
        Traceback (most recent call last):
            ...
        ValueError: routing must name pairs of a class (a) and a station (cpu, disk), got 'a'
        """
        if isinstance(pair, tuple) and len(pair) == 2 and all(isinstance(w, str) for w in pair):
            job, station = pair
            if job in self.classes and station in self.stations:
                return self.classes.index(job) * len(self.stations) + self.stations.index(station)
        raise ValueError(
            f"{name} must name pairs of a class ({', '.join(self.classes)}) and a station "
            f"({', '.join(self.stations)}), got {pair!r}"
        )

    def matrix(self, routing: Routes) -> Floats:
        """Return the probabilities of going from row to column, shape (pairs, pairs)."""
        shown = self.shown
        chances = np.zeros((len(shown), len(shown)))
        for pair, row in _entries("routing", routing):
            here = self.number("routing", pair)
            for goal, chance in _entries("routing", row):
                there = self.number("routing", goal)
                name = f"routing from {shown[here]} to {shown[there]}"
                chances[here, there] = one_number(name, within(name, chance, 0, 1))
            if chances[here].sum() > 1 + ROUNDING:
                raise ValueError(
                    f"routing from {shown[here]} must be probabilities that sum to at most "
                    f"1, got a sum of {chances[here].sum():g}"
                )
        return chances

    def starts(self, entry: Mapping[str, str]) -> list[int]:
        """Return the number of the pair at which each class begins, the first station if unsaid."""
        begins = dict.fromkeys(self.classes, self.stations[0])
        for pair in _entries("entry", entry):
            self.number("entry", pair)
            begins[pair[0]] = pair[1]
        return [self.number("entry", pair) for pair in begins.items()]


def _entries(name: str, table: object) -> list[tuple[Any, Any]]:
    if not isinstance(table, Mapping):
        raise ValueError(f"{name} must be a dictionary, got {table!r}")
    return list(table.items())
