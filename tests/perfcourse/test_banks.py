"""Every bank there is: full marks for the reference, a hint of its own for each misconception."""

from pathlib import Path

import numpy as np
import pytest

from perfcourse.bank.loader import load
from perfcourse.judge import judge, model_answer, parameters
from perfcourse.judge.checker import asking

ROOT = Path(__file__).parents[2]
OURS = [Path(__file__).with_name(f"{name}.py") for name in ("example", "kinds")]
BANKS = [*OURS, *sorted((ROOT / "solutions").glob("*.py"))]
STUDENTS = [f"student-{i}" for i in range(12)]


def cases(*kinds):
    return [
        pytest.param(bank, question, id=f"{bank.topic}-{question.id}")
        for bank in map(load, BANKS)
        for question in bank.questions
        if not kinds or question.kind in kinds
    ]


def mistakes():
    return [
        pytest.param(bank, question, wrong, id=f"{bank.topic}-{question.id}-{wrong.name}")
        for bank in map(load, BANKS)
        for question in bank.questions
        if not (question.kind == "option" and not question.fixed)
        for wrong in question.mistakes
    ]


def secret_for(question):
    """Return a seed of hidden inputs; none where that would mean another data file."""
    return "" if question.file and question.file.hidden else "secret"


@pytest.mark.parametrize("path", BANKS, ids=lambda path: path.stem)
def test_bank_is_named_after_its_file_and_titles_are_said(path):
    bank = load(path)
    assert bank.topic == path.stem
    assert bank.title.strip()
    assert all(question.title.strip() for question in bank.questions)


@pytest.mark.parametrize(("bank", "question"), cases())
def test_reference_gets_full_marks(bank, question):
    for student in STUDENTS:
        answer = model_answer(bank.topic, question, question.reference, student)
        verdict = judge(bank.topic, question, answer, student, secret_for(question))
        assert verdict.right, (student, verdict)
        assert sum(part.points for part in verdict.parts) in (0, pytest.approx(question.points))


@pytest.mark.parametrize(("bank", "question", "wrong"), mistakes())
def test_misconception_gets_its_own_hint_and_no_marks(bank, question, wrong):
    for student in STUDENTS:
        answer = model_answer(bank.topic, question, wrong.model, student)
        verdict = judge(bank.topic, question, answer, student, secret_for(question))
        assert verdict.misconception == wrong.name, (student, verdict)
        assert verdict.message == wrong.hint
        assert verdict.earned == 0


@pytest.mark.parametrize(("bank", "question"), cases("number", "choice"))
@pytest.mark.parametrize("variant", [np.float64, lambda x: np.array(x), lambda x: [x], complex])
def test_correct_number_is_never_refused_for_its_form(bank, question, variant):
    for student in STUDENTS:
        answer = model_answer(bank.topic, question, question.reference, student)
        value = answer if question.kind == "number" else answer[1]
        value = variant(value * (1 + 0.4 * question.tolerance))
        answer = value if question.kind == "number" else (answer[0].upper(), value)
        assert judge(bank.topic, question, answer, student).right


@pytest.mark.parametrize(("bank", "question"), cases("function"))
@pytest.mark.parametrize("variant", [np.asarray, lambda x: [x], np.float64])
def test_correct_function_is_never_refused_for_the_form_of_its_values(bank, question, variant):
    ask = model_answer(bank.topic, question, question.reference, "ada")

    def other(*arguments):
        value = ask(*arguments)
        return variant(value) if isinstance(value, int | float) else value

    assert judge(bank.topic, question, other, "ada", "secret").right


@pytest.mark.parametrize(("bank", "question"), cases())
def test_nothing_earns_nothing(bank, question):
    for nothing in (None, ...):
        answer = asking(nothing) if question.kind == "function" else None
        verdict = judge(bank.topic, question, answer, "ada", "secret")
        assert verdict.earned == 0
        assert not verdict.answered


@pytest.mark.parametrize(("bank", "question"), cases("number", "array", "choice"))
def test_personal_parameters_stay_the_same(bank, question):
    first = parameters(bank.topic, question, "ada")
    again = parameters(bank.topic, question, "ada")
    assert repr(first) == repr(again)
    others = {repr(parameters(bank.topic, question, student)) for student in STUDENTS}
    assert len(others) == 1 if question.fixed else len(others) > 1
