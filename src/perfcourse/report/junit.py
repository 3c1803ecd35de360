"""Verdicts as JUnit XML, which systems for continuous integration show as tests."""

from __future__ import annotations

from collections.abc import Iterable

from junitparser import Error, Failure, JUnitXml, TestCase, TestSuite
from junitparser.junitparser import FinalResult

from perfcourse.bank import Bank
from perfcourse.gradebook.grade import Grade
from perfcourse.isolation.untrusted import logged
from perfcourse.judge import Verdict

_DECLARATION = '<?xml version="1.0" encoding="utf-8"?>'


def junit(results: Iterable[tuple[Grade, Bank]]) -> str:
    """Return JUnit XML: a suite for each submission, on a line, and in it a case for each question.

    A wrong answer is a failure. An error is a fault of the grader's or of the bank's; where there
    is one, the student has no grade yet. One suite at a time is in memory as a tree.
    """
    whole = JUnitXml("perfcourse")
    whole.tests = whole.failures = whole.errors = whole.skipped = 0
    whole.time, lines = 0.0, []
    for grade, bank in results:
        suite = _suite(grade, bank)
        suite.update_statistics()
        whole.tests += suite.tests
        whole.failures += suite.failures
        whole.errors += suite.errors
        whole.time = round(whole.time + suite.time, 3)
        lines.append(_text(suite))
    head = _text(whole).removesuffix("/>").rstrip()
    return "\n".join((_DECLARATION, f"{head}>", *lines, "</testsuites>", ""))


def _text(element: JUnitXml | TestSuite) -> str:
    text: bytes = element.tostring()  # type: ignore[no-untyped-call]
    return text.decode().rpartition("?>")[2].strip()


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
