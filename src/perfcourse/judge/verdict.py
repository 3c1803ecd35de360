"""What became of an answer."""

from __future__ import annotations

from dataclasses import dataclass

from perfcourse.bank import Mistake, Question


@dataclass(frozen=True)
class Part:
    """One named part of a question: points earned out of points, and why not all."""

    name: str
    earned: float
    points: float
    hint: str = ""


@dataclass(frozen=True)
class Verdict:
    """What became of one answer."""

    question: str
    earned: float
    points: float
    message: str
    answered: bool = True
    misconception: str = ""
    """The name of the misconception that explains the answer, if one does."""
    parts: tuple[Part, ...] = ()
    failed: bool = False
    """Whether the question could not be judged, which is not the student's fault."""

    @property
    def right(self) -> bool:
        """Whether all points were earned."""
        return self.earned >= self.points


def right(question: Question) -> Verdict:
    """Return the verdict on a right answer."""
    return Verdict(question.id, float(question.points), float(question.points), "Right.")


def mistaken(question: Question, mistake: Mistake) -> Verdict:
    """Return the verdict on an answer that a named mistake explains."""
    return Verdict(question.id, 0.0, float(question.points), mistake.hint, True, mistake.name)


def wrong(question: Question, message: str, answered: bool = True) -> Verdict:
    """Return the verdict on an answer that earns nothing, or on none."""
    return Verdict(question.id, 0.0, float(question.points), message, answered)
