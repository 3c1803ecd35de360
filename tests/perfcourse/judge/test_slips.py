"""Slips that any question may meet: told where they alone explain an answer."""

import numpy as np
import pytest

from perfcourse.bank import Bank, choice, function, number
from perfcourse.judge.checker import Checker
from perfmodel.answers.slips import SLIPS, explaining


def said(right, answer, tolerance=0.01):
    """Return what the check says to an answer where another one is right."""
    question = number(
        "q1", "t", reference=lambda x: x, inputs=lambda rng: {"x": right}, tolerance=tolerance
    )
    return Checker("demo", "ada", Bank("demo", "Demo", [question]))("q1", answer)


@pytest.mark.parametrize(
    ("right", "answer", "name"),
    [
        (3.7, -3.7, "sign"),
        (3.7, 1 / 3.7, "reciprocal"),
        (0.37, 0.63, "complement"),
        (0.37, 37.0, "per cent"),
        (37.0, 0.37, "hundredth"),
        (3.7, 3.7e-3, "thousandth"),
        (3.7e9, 3.7, "billionth"),
        (12.4, 12, "rounded down"),
        (12.4, 13, "rounded up"),
        (12, 13, "one more"),
        (12, 11, "one less"),
    ],
)
def test_slip_is_recognised_alone(right, answer, name):
    assert [slip.name for slip in explaining(answer, right, 0.01)] == [name]
    slip = next(slip for slip in SLIPS if slip.name == name)
    assert slip.hint in said(right, answer).text


@pytest.mark.parametrize("answer", [0.0, 1.0, 5.0, 7.4, 37.5, [3.7, 3.7]])
def test_other_answers_are_no_slip(answer):
    assert explaining(answer, 3.7, 0.01) == []


def test_two_slips_that_lead_to_one_value_are_both_told():
    text = said(31.62, 1 / 31.62).text
    assert "reciprocal" in text
    assert "factor of 1000" in text


def test_rounding_within_the_tolerance_is_right():
    assert said(400.3, 400).state == "right"


def test_nothing_is_said_twice():
    """The box says "Not yet." by itself."""
    shown = said(3.7, 5.0)._repr_html_()
    assert shown.count("Not yet") == 1
    assert "Not right yet" not in shown


class TestChoices:
    @pytest.fixture
    def check(self):
        question = choice(
            "q1",
            "Does it fit?",
            choices=("does not fit", "can't tell"),
            reference=lambda x: ("does not fit" if x > 1.5 else "can't tell", x),
            inputs=lambda rng: {"x": rng.choice([1.0, 2.0])},
        )
        return Checker("demo", "ada", Bank("demo", "Demo", [question]))

    @pytest.mark.parametrize(
        ("fits", "other"),
        [
            ("does not fit", "can't tell"),
            ("doesn't fit", "can\u2019t tell"),
            ("Doesn\u2019t fit.", "cannot tell"),
            ("doesnt  fit", "CAN NOT TELL"),
        ],
    )
    def test_short_forms_and_apostrophes_do_not_count(self, check, fits, other):
        x = check.parameters("q1")["x"]
        assert check("q1", (fits if x > 1.5 else other, x)).state == "right"

    def test_bare_choice_is_answered_without_a_number(self, check):
        text = check("q1", "does not fit").text
        assert "the choice and the number" in text
        assert not any(digit in text.split("(0 of")[0] for digit in "0123456789")


class TestFunctions:
    """A slip must explain every wrong value of a function, not the first alone."""

    @pytest.fixture
    def check(self):
        question = function(
            "q1",
            "Ratio",
            answer="ratio",
            reference=lambda a, b: a / b,
            inputs=lambda rng: {"a": rng.uniform(1, 9), "b": rng.uniform(1, 9)},
        )
        return Checker("demo", "ada", Bank("demo", "Demo", [question]))

    def test_reciprocal_everywhere(self, check):
        assert "You gave the reciprocal" in check("q1", lambda a, b: b / a).text

    def test_wrong_in_two_ways_is_no_slip(self, check):
        text = check("q1", lambda a, b: b / a if a > b else 2 * a / b).text
        assert "None of the usual mistakes" in text

    def test_absolute_value_has_the_sign_wrong_for_some(self, check):
        difference = function(
            "q2",
            "Difference",
            answer="difference",
            reference=lambda a, b: a - b,
            inputs=lambda rng: {"a": rng.uniform(1, 9), "b": rng.uniform(1, 9)},
        )
        text = Checker("demo", "ada", Bank("demo", "Demo", [difference]))(
            "q2", lambda a, b: abs(a - b)
        ).text
        assert text.startswith("Right for some inputs only. The sign is wrong.")


def test_a_student_who_changes_an_array_changes_nothing_else():
    question = number(
        "q1", "t", reference=lambda x: x[0], inputs=lambda rng: {"x": np.array([3.0, 1.0])}
    )
    check = Checker("demo", "ada", Bank("demo", "Demo", [question]))
    check.parameters("q1")["x"].sort()
    assert check("q1", 3.0).state == "right"
