"""What an instructor is told of a class's grades besides the points."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from perfcourse.gradebook.grade import Grade

MOST = 20
"""Names in a sentence."""


def notes(grades: Sequence[Grade], extended: Collection[str] = ()) -> list[str]:
    """Return a sentence for each thing to know: who was late, whose time isn't known, marks.

    Of the students with an `extended` due date, those who have not handed in are named: an id may
    be misspelt.

    >>> notes([])
    []
    """
    late = [grade for grade in grades if grade.lateness.days]
    unknown = [grade for grade in grades if grade.lateness.unknown and grade.graded.readable]
    marked = [grade for grade in grades if grade.marks]
    nobody = sorted(set(extended) - {grade.student for grade in grades})
    partly = [
        grade
        for grade in marked
        if any(mark.gives_points for mark in grade.marks) and not grade.decided
    ]
    cases = (
        (late, f"{len(late)} late: {_listed([_lateness(grade) for grade in late])}."),
        (
            unknown,
            f"{len(unknown)} without a submission time, treated as in time: "
            f"{_listed([grade.student for grade in unknown])}.",
        ),
        (nobody, f"An extension, but nothing handed in: {_listed(nobody)}."),
        (
            partly,
            "Points by hand, but no grade until every question has points: "
            f"{_listed([grade.student for grade in partly])}.",
        ),
        (marked, f"By hand: {_listed([_by_hand(grade) for grade in marked])}."),
    )
    return [sentence for having, sentence in cases if having] + _cut(grades)


def _listed(names: Sequence[str]) -> str:
    more = len(names) - MOST
    return ", ".join(names[:MOST]) + (f" and {more} more" if more > 0 else "")


def _lateness(grade: Grade) -> str:
    days = grade.lateness.in_words.removesuffix(" late")
    return f"{grade.student} ({days}, {grade.late:g} off)"


def _by_hand(grade: Grade) -> str:
    return f"{grade.student} ({grade.by_hand:+g})" if grade.by_hand else grade.student


def _cut(grades: Sequence[Grade]) -> list[str]:
    """Return where a change by hand went further than a question's points."""
    return [
        f"By hand: the change of {mark.change:+g} for {grade.student}, {mark.question}, is "
        f"cut to stay between 0 and {verdict.points:g} points."
        for grade in grades
        for verdict in grade.graded.verdicts
        if (mark := grade.mark(verdict.question)) and mark.cut(verdict.earned, verdict.points)
    ]
