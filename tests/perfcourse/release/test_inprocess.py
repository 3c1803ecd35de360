import math

import example
import kinds
import pytest

from perfcourse.judge import Part, model_answer
from perfcourse.judge.answer_forms import ANYONE
from perfcourse.release.inprocess import NotYet, part, parts, points

TOPIC = "example"


@pytest.fixture(autouse=True)
def banks(monkeypatch):
    monkeypatch.setenv("PERFCOURSE_BANKS", example.__file__.rpartition("/")[0])


def partly(serial, n):
    return 1 / (serial + (1 - serial) / float(n))


@pytest.mark.parametrize(
    ("speedup", "earned", "text"),
    [
        (example.speedup, 5, "Right."),
        (partly, 3, "A serial fraction above 1 deserves a ValueError."),
        (example.gustafson.model, 0, example.gustafson.hint),
        (..., 0, "Not answered yet."),
    ],
)
def test_points_are_the_parts_that_are_earned(speedup, earned, text, capsys):
    given = points({"speedup": speedup, "STUDENT": "ada"}, TOPIC, "q1")
    assert (type(given), given) == (float, earned)
    assert text in capsys.readouterr().out


def test_numbers_are_those_of_the_student_that_the_notebook_names():
    check_of = {who: example_answer(who) for who in ("ada", "anyone")}
    assert points({"q2": check_of["ada"], "STUDENT": "ada"}, TOPIC, "q2") == 2
    assert points({"q2": check_of["ada"]}, TOPIC, "q2") == 0
    assert points({"q2": check_of["anyone"]}, TOPIC, "q2") == 2


def example_answer(who):
    from perfcourse import checker

    return example.speedup(**checker(TOPIC, who).parameters("q2"))


def test_what_a_function_warns_of_is_not_shown(capsys):
    import sys

    def loud(serial, n):
        print("divided", file=sys.stderr)
        return example.speedup(serial, n)

    assert points({"speedup": loud}, TOPIC, "q1") == 5
    assert capsys.readouterr().err == ""


def test_each_part_raises_its_own_hint():
    names = {"speedup": partly}
    part(names, TOPIC, "q1", "right values")
    part(names, TOPIC, "q1", "one processor")
    with pytest.raises(NotYet, match="^A serial fraction above 1 deserves a ValueError.$"):
        part(names, TOPIC, "q1", "refuses bad input")


def test_the_hint_of_a_wrong_answer_is_raised_once():
    names = {"speedup": example.gustafson.model}
    with pytest.raises(NotYet, match=f"^{example.gustafson.hint}$"):
        part(names, TOPIC, "q1", "right values")
    with pytest.raises(NotYet, match="^Counts once the values are right.$"):
        part(names, TOPIC, "q1", "one processor")


ASKED = [
    pytest.param(bank, question, id=f"{bank.topic}-{question.id}")
    for bank in (example.bank, kinds.bank)
    for question in bank.questions
]


@pytest.mark.parametrize(("bank", "question"), ASKED)
def test_parts_add_up_to_the_points(bank, question):
    found = parts(bank, question)
    assert math.fsum(part.points for part in found) == pytest.approx(question.points, abs=1e-12)
    assert len({part.name for part in found}) == len(found)


def test_an_answer_of_several_parts_earns_each_by_itself():
    question = kinds.bank.question("several")
    right = model_answer("kinds", question, question.reference, ANYONE)
    names = {"several": {**right, "word": "no"}}
    assert points(names, "kinds", "several") == 3
    part(names, "kinds", "several", "twice")
    with pytest.raises(NotYet):
        part(names, "kinds", "several", "word")


def test_a_question_without_properties_is_one_part():
    assert parts(example.bank, example.bank.question("q2")) == (Part("right values", 2.0, 2.0),)


def test_without_a_bank_nothing_is_graded(monkeypatch, tmp_path):
    monkeypatch.delenv("PERFCOURSE_BANKS")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileNotFoundError, match="PERFCOURSE_BANKS names no folder"):
        points({}, TOPIC, "q1")
