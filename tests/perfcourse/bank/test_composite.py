"""Answers of several parts: each part earns its own points and has its own hint."""

from collections import namedtuple
from dataclasses import dataclass

import numpy as np
import pytest

from perfcourse.bank import Mistake, array, function, number, parts, text, true_false
from perfcourse.bank.parameters import parameters
from perfcourse.judge import judge
from perfcourse.kernel.plain import plain

MACHINE = parts(
    "machine",
    "Your machine",
    inputs=lambda rng: {"peak": rng.uniform(10, 20), "bandwidth": rng.uniform(2, 5)},
    parts=[
        number(
            "ridge",
            "Ridge",
            points=2,
            reference=lambda peak, bandwidth: peak / bandwidth,
            mistakes=[Mistake("product", lambda peak, bandwidth: peak * bandwidth, "Divide.")],
        ),
        text("unit", "Unit", reference=["FLOP/byte", "FLOP per byte"]),
        true_false("bound", "Bound?", reference=True, hint="Look left of the ridge."),
    ],
)
DRAWN = parameters("demo", MACHINE, "ada")
RIGHT = {"ridge": DRAWN["peak"] / DRAWN["bandwidth"], "unit": "flop/byte", "bound": True}


@dataclass
class Answer:
    ridge: float
    unit: str
    bound: bool


def verdict(answer):
    return judge("demo", MACHINE, plain(answer), "ada", "secret")


def test_dict_tuple_and_dataclass_are_right():
    named = namedtuple("Answer", RIGHT)
    for answer in (RIGHT, tuple(RIGHT.values()), Answer(**RIGHT), named(**RIGHT)):
        assert verdict(answer).right
        assert verdict(answer).earned == MACHINE.points == 4


def test_each_part_is_told_and_priced_by_itself():
    found = verdict({**RIGHT, "ridge": DRAWN["peak"] * DRAWN["bandwidth"], "bound": False})
    assert found.earned == 1
    assert found.message == "ridge: Divide. bound: Look left of the ridge."
    assert found.misconception == "ridge: product"
    assert [(part.name, part.earned, part.points) for part in found.parts] == [
        ("ridge", 0, 2),
        ("unit", 1, 1),
        ("bound", 0, 1),
    ]


def test_part_that_is_missing_costs_its_points_only():
    found = verdict({"ridge": RIGHT["ridge"]})
    assert found.earned == 2
    assert "unit: Not answered yet." in found.message
    assert verdict({"ridge": ..., "unit": None}).answered is False


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (3.0, "Give a dict with the keys ridge, unit, bound"),
        ([1, 2], "Yours has 2."),
        ("text", "Yours is text."),
    ],
)
def test_form_is_told(answer, told):
    assert told in verdict(answer).message
    assert verdict(answer).earned == 0


def test_no_part_is_judged_by_the_answer_to_another():
    swapped = {**RIGHT, "unit": RIGHT["ridge"], "ridge": RIGHT["unit"]}
    assert verdict(swapped).earned == 1


def test_parts_share_the_parameters_of_the_whole():
    others = {repr(parameters("demo", MACHINE, student)) for student in "abc"}
    assert len(others) == 3
    fixed = parts(
        "q",
        "Q",
        inputs={"n": 3},
        parts=[
            number("twice", "2n", reference=lambda n: 2 * n),
            array("all", "All", reference=lambda n: np.arange(n)),
        ],
    )
    assert parameters("demo", fixed, "ada") == parameters("demo", fixed, "ben") == {"n": 3}
    assert judge("demo", fixed, {"twice": 6, "all": [0, 1, 2]}, "ada").right


@pytest.mark.parametrize(
    ("inside", "message"),
    [
        ([number("a", "A", reference=1)], "parts must be two or more"),
        (
            [number("a", "A", reference=1), number("a", "A", reference=2)],
            "question q: parts must differ from each other, got 'a' twice",
        ),
        (
            [number("a", "A", reference=1), function("f", "F", reference=abs, inputs=dict)],
            "part f must be one of number",
        ),
        (
            [number("a", "A", reference=1), number("b", "B", reference=abs, inputs={"x": 1})],
            "inputs and file of part b must be those of the whole question",
        ),
    ],
)
def test_parts_that_cannot_be_judged_are_refused(inside, message):
    with pytest.raises(ValueError, match=message):
        parts("q", "Q", parts=inside)
