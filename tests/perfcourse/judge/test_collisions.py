"""Every mistake that a bank names gets its own hint, or the build fails.

For 200 students where the bank changed since a whole run, otherwise for 20: see `sampling`.
"""

import dataclasses
from pathlib import Path

import pytest
import sampling
from click.testing import CliRunner

from perfcourse.bank import Accepted, Bank, Mistake, choice, function, number
from perfcourse.bank.loader import load
from perfcourse.bank.parameters import parameters
from perfcourse.commands.cli import main
from perfcourse.judge.collisions import examine

SOLUTIONS = Path(__file__).parents[3] / "solutions"
STUDENTS = [f"student-{number}" for number in range(200)]
BANKS = [load(path) for path in sorted(SOLUTIONS.glob("*.py"))]
QUESTIONS = [
    pytest.param(bank, question.id, id=f"{bank.topic}-{question.id}")
    for bank in BANKS
    for question in bank.questions
]


@pytest.mark.parametrize(("bank", "id"), QUESTIONS)
def test_no_mistake_is_told_as_another(bank, id):
    students = STUDENTS[: sampling.students(bank.topic)]
    (examined,) = examine(bank, students, id)
    assert examined.unlisted == []
    if len(students) < len(STUDENTS):
        return
    met = {frozenset((found.first, found.second)) for found in examined.collisions}
    listed = {frozenset((a.first, a.second)) for a in bank.accepted if a.question == id}
    assert listed <= met, "accepted, but it no longer happens"


def test_function_whose_inputs_never_tell_is_found():
    absolute = Mistake("absolute value", lambda x, y: abs(x - y), "Which is the larger?")
    question = function(
        "q1",
        "Difference",
        answer="difference",
        reference=lambda x, y: x - y,
        inputs=lambda rng: {"x": rng.uniform(5, 9), "y": rng.uniform(1, 4)},
        mistakes=[absolute],
    )
    (found,) = examine(Bank("demo", "Demo", [question]), ["ada"])
    assert [(c.first, c.second, c.alike) for c in found.unlisted] == [
        ("the right answer", "absolute value", "answer"),
        ("absolute value", "the right answer", "hint"),
    ]
    either_sign = dataclasses.replace(
        question, inputs=lambda rng: {"x": rng.uniform(1, 9), "y": rng.uniform(1, 9)}
    )
    (found,) = examine(Bank("demo", "Demo", [either_sign]), STUDENTS)
    assert found.collisions == ()


def test_same_number_under_another_choice_needs_a_reason():
    question = choice(
        "q1",
        "Longer",
        choices=("x", "y"),
        reference=lambda x, y: ("x" if x > y else "y", max(x, y)),
        inputs=lambda rng: {"x": rng.uniform(1, 9), "y": rng.uniform(1, 9)},
        mistakes=[
            Mistake(
                "other one", lambda x, y: ("y" if x > y else "x", max(x, y)), "Which is longer?"
            )
        ],
    )
    reason = Accepted("q1", "other one", "the right answer", "The word tells them apart.")
    (found,) = examine(Bank("demo", "Demo", [question]), ["ada", "ben"])
    assert [(c.alike, c.students) for c in found.unlisted] == [("number", 2)]
    (found,) = examine(Bank("demo", "Demo", [question], accepted=[reason]), ["ada"])
    assert found.unlisted == []
    assert found.collisions[0].reason == "The word tells them apart."


def test_parameters_never_let_a_slip_pass_for_another_mistake():
    """A hundredfold value is a percentage; for 0.1, it would be the reciprocal, too."""
    question = number(
        "q1",
        "Share",
        reference=lambda x: x,
        inputs=lambda rng: {"x": 0.1 if rng.random() < 0.15 else 0.3},
    )
    assert {parameters("demo", question, student)["x"] for student in STUDENTS} == {0.3}


def test_accepted_needs_a_reason():
    with pytest.raises(ValueError, match="reason must be a sentence"):
        Accepted("q1", "a", "b", " ")


class TestCommand:
    def test_lists_a_question_and_counts(self):
        ran = CliRunner().invoke(
            main, ["diagnose", "roofline", "--question", "bound", "--students", "5"]
        )
        assert ran.exit_code == 0, ran.output
        assert "roofline bound" in ran.output
        assert "5 students: 1 collision, 0 unlisted" in ran.output

    def test_unknown_question_is_refused(self):
        ran = CliRunner().invoke(main, ["diagnose", "roofline", "--question", "nope"])
        assert ran.exit_code == 2
        assert "no question 'nope'" in ran.output
