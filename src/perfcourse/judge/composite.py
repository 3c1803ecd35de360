"""Judge an answer of several parts: each earns its own points and has its own hint."""

from __future__ import annotations

from typing import Any

from perfcourse.bank import Question
from perfcourse.bank.composite import asked_form, by_part
from perfcourse.judge.values import judge_value
from perfcourse.judge.verdict import Part, Verdict, wrong


def judge_parts(question: Question, answer: Any, known: list[list[Any]], told: bool) -> Verdict:
    """Judge a dict by its keys, or a list by the order of its elements, part by part."""
    ids = [part.id for part in question.parts]
    given = by_part(ids, answer)
    if isinstance(given, str):
        return wrong(question, given if told else asked_form(ids))
    verdicts = [
        judge_value(part, given.get(part.id), values, told)
        for part, values in zip(question.parts, known, strict=True)
    ]
    lost = sum(verdict.points - verdict.earned for verdict in verdicts)
    hints = [f"{verdict.question}: {verdict.message}" for verdict in verdicts if not verdict.right]
    mistakes = [f"{v.question}: {v.misconception}" for v in verdicts if v.misconception]
    return Verdict(
        question.id,
        float(question.points - lost),
        float(question.points),
        " ".join(hints) or "Right.",
        any(verdict.answered for verdict in verdicts),
        next(iter(mistakes), ""),
        tuple(Part(v.question, v.earned, v.points, "" if v.right else v.message) for v in verdicts),
    )
