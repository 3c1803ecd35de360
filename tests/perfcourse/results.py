"""Results of the example bank's five questions, made from shares of their points."""

import example

from perfcourse.gradebook.grade import grade_of
from perfcourse.judge import Part, Verdict
from perfcourse.judge.result import Graded

BANK = example.bank


def graded(student, *shares, problem="", misconception="", digest="d", **more):
    verdicts = tuple(
        Verdict(
            question.id,
            share * question.points,
            float(question.points),
            "Right." if share == 1 else "Think again.",
            misconception="" if share == 1 else misconception,
            parts=(Part("right values", share, 1.0),),
        )
        for question, share in zip(BANK.questions, shares, strict=True)
    )
    return Graded(f"{student}.ipynb", student, digest, problem, verdicts, **more)


def a_grade(student, *shares, **more):
    return grade_of(graded(student, *shares, **more))
