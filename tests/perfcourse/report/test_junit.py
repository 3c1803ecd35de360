import xml.etree.ElementTree as ET

import example

from perfcourse.gradebook.grade import grade_of
from perfcourse.judge import Verdict
from perfcourse.judge.result import Graded
from perfcourse.report.junit import junit

EVIL = "\x07&<]]>\x1b[2J##[add-mask]x\n::error::y"


def graded(*verdicts, **parts):
    made = {"name": "a.ipynb", "student": "ada", "digest": "d", "problem": "", **parts}
    return Graded(verdicts=verdicts, **made)


def verdict(question, share, **parts):
    earned = share * question.points
    return Verdict(question.id, earned, float(question.points), "Think again.", **parts)


def suite(result):
    return ET.fromstring(junit([(grade_of(result), example.bank)]))[0]


def test_wrong_answer_is_a_failure_with_its_mistake():
    right, *wrong = example.bank.questions
    of = [verdict(right, 1), *(verdict(q, 0, misconception="linear") for q in wrong)]
    made = suite(graded(*of, seconds=2.5))
    assert (made.get("tests"), made.get("failures"), made.get("errors")) == ("5", "4", "0")
    assert float(made.get("time")) == 2.5
    assert [case.find("failure") is not None for case in made] == [False] + [True] * 4
    assert made[1].find("failure").attrib == {"message": "Think again.", "type": "linear"}


def test_fault_of_the_grader_is_an_error_and_no_failure():
    verdicts = [verdict(question, 0, failed=True) for question in example.bank.questions]
    broken = [verdict(question, 0) for question in example.bank.questions]
    for made in (suite(graded(*verdicts)), suite(graded(*broken, broken=True))):
        assert (made.get("failures"), made.get("errors")) == ("0", "5")


def test_it_is_xml_on_plain_lines_whatever_the_student_wrote():
    verdicts = [verdict(question, 0) for question in example.bank.questions]
    hostile = graded(*verdicts, student="a\x00" + EVIL, problem=EVIL)
    text = junit([(grade_of(hostile), example.bank)])
    assert len(ET.fromstring(text)[0]) == 5
    assert "##[" not in text
    assert "\x1b" not in text
    assert not [line for line in text.splitlines() if line.lstrip().startswith("::")]
