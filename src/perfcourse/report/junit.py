"""Verdicts as JUnit XML, which systems for continuous integration show as tests."""

from __future__ import annotations

import io
from collections.abc import Iterable

from junitparser import Error, Failure, JUnitXml, TestCase, TestSuite
from junitparser.junitparser import FinalResult

from perfcourse.bank import Bank
from perfcourse.gradebook.grade import Grade
from perfcourse.judge import Verdict
from perfcourse.report.text import logged


def junit(results: Iterable[tuple[Grade, Bank]]) -> str:
    """Return JUnit XML: a suite for each submission, a case for each question.

    A wrong answer is a failure. An error is a fault of the grader's or of the bank's; where there
    is one, the student has no grade yet.
    """
    whole = JUnitXml("perfcourse")
    for grade, bank in results:
        whole.add_testsuite(_suite(grade, bank))
    whole.update_statistics()
    text = io.BytesIO()
    whole.write(text, pretty=True)
    return text.getvalue().decode()


def _suite(grade: Grade, bank: Bank) -> TestSuite:
    suite = TestSuite(logged(grade.student))
    each = round(grade.graded.seconds / max(1, len(grade.verdicts)), 3)
    for question, verdict in zip(bank.questions, grade.verdicts, strict=True):
        case = TestCase(question.id, bank.topic, each)
        case.result = _result(verdict, grade)
        suite.append(case)
    return suite


def _result(verdict: Verdict, grade: Grade) -> list[FinalResult]:
    message = logged(f"{grade.problem} {verdict.message}")
    if grade.graded.broken or verdict.failed:
        return [Error(message)]
    return [] if verdict.right else [Failure(message, verdict.misconception)]
