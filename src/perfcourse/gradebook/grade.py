"""A grade: what a submission's points are, and how they came about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from perfcourse.gradebook.lateness import Deadline, Lateness
from perfcourse.gradebook.marks import Mark
from perfcourse.judge import Verdict
from perfcourse.judge.result import Graded


@dataclass(frozen=True)
class Grade:
    """The points of a submission: automatic and by hand, less those for lateness.

    Whatever prints or exports points reads them here; `grade_of` makes one.
    """

    graded: Graded
    """What the grader found."""
    verdicts: tuple[Verdict, ...]
    """On each question, with what was given by hand."""
    marks: tuple[Mark, ...]
    """What was given by hand to this student."""
    lateness: Lateness

    @property
    def name(self) -> str:
        """The submission's name."""
        return self.graded.name

    @property
    def student(self) -> str:
        """Whose it is."""
        return self.graded.student

    @property
    def problem(self) -> str:
        """Why nothing, or not everything, could be graded."""
        return self.graded.problem

    @property
    def automatic(self) -> float:
        """Points that the answers earned."""
        return self.graded.earned

    @property
    def by_hand(self) -> float:
        """Points that marks add; below 0 where they take some off."""
        return _cents(self._in_time - self.automatic)

    @property
    def late(self) -> float:
        """Points that lateness takes off."""
        return self.lateness.taken

    @property
    def earned(self) -> float:
        """The points that count."""
        return max(0.0, _cents(self._in_time - self.late))

    @property
    def points(self) -> float:
        """Points that could be earned."""
        return self.graded.points

    @property
    def _in_time(self) -> float:
        return float(sum(verdict.earned for verdict in self.verdicts))

    @property
    def decided(self) -> bool:
        """Whether the points are a grade: every question was judged, or given points by hand."""
        by_hand = {mark.question for mark in self.marks if mark.points is not None}
        judged = self.graded.readable and not self.graded.broken
        return all(
            verdict.question in by_hand or (judged and not verdict.failed)
            for verdict in self.verdicts
        )

    @property
    def settled(self) -> bool:
        """Whether nothing on the grader's side keeps the points from being known."""
        unjudged = self.graded.broken or any(verdict.failed for verdict in self.verdicts)
        return self.decided or not unjudged

    def mark(self, question: str) -> Mark | None:
        """Return what was given by hand for a question."""
        return next((mark for mark in self.marks if mark.question == question), None)

    @property
    def in_words(self) -> str:
        """Return how the points came about, empty where the answers alone earned them.

        Such as `62 for the answers, 2 by hand, less 6.4 for one day late`.
        """
        if not (self.by_hand or self.lateness.days):
            return ""
        parts = [f"{self.automatic:g} for the answers"]
        if self.by_hand:
            parts.append(f"{self.by_hand:g} by hand")
        if self.lateness.days:
            parts.append(f"less {self.late:g} for {self.lateness.in_words}")
        return ", ".join(parts)


def grade_of(
    graded: Graded,
    marks: Sequence[Mark] = (),
    deadline: Deadline | None = None,
    handed_in: datetime | None = None,
) -> Grade:
    """Return the grade of a submission, with marks that were given by hand and what lateness costs.

    `handed_in` has a time zone; where it isn't known, the submission isn't late.
    """
    own = tuple(mark for mark in marks if mark.student == graded.student)
    by_question = {mark.question: mark for mark in own}
    verdicts = tuple(
        _marked(verdict, by_question.get(verdict.question)) for verdict in graded.verdicts
    )
    earned = float(sum(verdict.earned for verdict in verdicts))
    lateness = (deadline or Deadline()).lateness(graded.student, earned, handed_in)
    return Grade(graded, verdicts, own, lateness)


def _marked(verdict: Verdict, mark: Mark | None) -> Verdict:
    if mark is None:
        return verdict
    return replace(
        verdict,
        earned=mark.applied(verdict.earned, verdict.points),
        message=f"{verdict.message} By hand: {mark.in_words}",
        failed=verdict.failed and mark.points is None,
    )


def _cents(points: float) -> float:
    """Return points without what adding up binary fractions leaves behind."""
    return round(points, 9)
