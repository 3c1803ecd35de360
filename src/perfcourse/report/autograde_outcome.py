"""What a run of `perfcourse autograde` came to, and the exit status that says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from perfcourse.bank import Bank
from perfcourse.gradebook.answers import Passage
from perfcourse.judge.result import Graded


class Status(IntEnum):
    """How a run ended; the number is the command's exit status.

    2 is left out: click's own, for a command that was given wrongly. `BROKEN` alone stands for a
    fault on this side of the wall, and no answer of a student's leads to it.
    """

    PASSED = 0
    FAILED = 1
    NOTHING = 3
    BROKEN = 4

    @property
    def words(self) -> str:
        """What it means, in words."""
        return _WORDS[self]


_WORDS = {
    Status.PASSED: "passed",
    Status.FAILED: "not enough",
    Status.NOTHING: "nothing to grade",
    Status.BROKEN: "the grader failed, not the student",
}


@dataclass(frozen=True)
class Marked:
    """One notebook, the questions that it was to answer, and what became of it."""

    file: str
    """Its path, as reports give it."""
    bank: Bank
    graded: Graded
    code: Mapping[str, Sequence[Passage]] = field(default_factory=dict)
    """What the student wrote, by the name of the answer."""

    @property
    def fault(self) -> Status | None:
        """What stands whatever the points are, None where the points decide."""
        if self.graded.broken or any(verdict.failed for verdict in self.graded.verdicts):
            return Status.BROKEN
        return None if self.graded.readable else Status.NOTHING


@dataclass(frozen=True)
class Outcome:
    """All notebooks of a run, and the share of their points that is enough."""

    marked: tuple[Marked, ...]
    fail_under: float | None = None
    """In per cent; where None, any point is enough."""

    @property
    def earned(self) -> float:
        """Points earned."""
        return sum(marked.graded.earned for marked in self.marked)

    @property
    def points(self) -> float:
        """Points that could be earned."""
        return sum(marked.graded.points for marked in self.marked)

    @property
    def percent(self) -> float:
        """Points earned, in per cent of those that could be."""
        return 100 * self.earned / self.points if self.points else 0.0

    @property
    def status(self) -> Status:
        """The worst fault of any notebook, else whether the points of all together are enough."""
        faults = [marked.fault for marked in self.marked if marked.fault is not None]
        if faults:
            return max(faults)
        enough = self.earned > 0 if self.fail_under is None else self._reached(self.fail_under)
        return Status.PASSED if enough else Status.FAILED

    def _reached(self, percent: float) -> bool:
        return self.percent >= percent - 1e-9

    def of(self, marked: Marked) -> Status:
        """Return the status of one notebook by itself."""
        return Outcome((marked,), self.fail_under).status
