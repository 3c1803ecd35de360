"""Every exercise: its notebook beside its bank, for each topic in solutions/ without new code."""

import doctest
import functools
import re
from pathlib import Path

import pytest

from perfcourse.bank.loader import load
from perfcourse.judge import cases, parameters
from perfcourse.judge.checker import checker
from perfcourse.release.assignment import read_source, student_edition

SOLUTIONS = Path(__file__).parents[2] / "solutions"
TOPICS = sorted(path.stem for path in SOLUTIONS.glob("*.ipynb"))
STUDENTS = [f"student-{i}" for i in range(20)]


@functools.cache
def bank_of(topic):
    return load(SOLUTIONS / f"{topic}.py")


@functools.cache
def source_of(topic):
    return read_source(SOLUTIONS / f"{topic}.ipynb")


@functools.cache
def solved(topic):
    return run(source_of(topic))


def run(notebook):
    """Run a notebook's code here and return its functions and the replies of its checks."""
    names, replies = {"checker": lambda *a, **k: checker(*a, banks=SOLUTIONS, **k)}, {}
    for cell in notebook["cells"]:
        text = cell["source"].replace("from perfcourse import checker", "").replace("print(p)", "")
        asked = re.fullmatch(r'check\("(\w+)", (\w+)\)', text)
        if cell["cell_type"] == "code" and asked:
            replies[asked[1]] = names["check"](asked[1], names[asked[2]])
        elif cell["cell_type"] == "code":
            exec(text, names)
    return names, replies


def questions(choose):
    return [
        pytest.param(bank_of(topic), question, id=f"{topic}-{question.id}")
        for topic in TOPICS
        for question in bank_of(topic).questions
        if choose(question)
    ]


def counted(question):
    """Whether the answer is a count, which has no tolerance to tell."""
    answer = question.reference(**parameters("", question, "ada"))
    return isinstance(answer[1] if question.kind == "choice" else answer, int)


@pytest.mark.parametrize("topic", TOPICS)
class TestNotebook:
    def test_solution_is_right_everywhere(self, topic):
        _, replies = solved(topic)
        assert list(replies) == [question.id for question in bank_of(topic).questions]
        assert {id: reply.text for id, reply in replies.items() if reply.state != "right"} == {}

    def test_examples_in_docstrings_hold(self, topic):
        names, _ = solved(topic)
        functions = [q.answer for q in bank_of(topic).questions if q.kind == "function"]
        runner = doctest.DocTestRunner()
        for test in [names[name] for name in functions]:
            for example in doctest.DocTestFinder().find(test, globs=dict(names)):
                runner.run(example)
        assert runner.summarize(verbose=False) == (0, len(functions))

    def test_student_edition_earns_nothing_and_says_so_kindly(self, topic):
        _, replies = run(student_edition(source_of(topic), bank_of(topic)))
        assert {reply.text for reply in replies.values()} == {"Not answered yet."}
        assert len(replies) == len(bank_of(topic).questions)

    def test_statement_names_points_and_tolerance(self, topic):
        statements = {cell["id"]: cell["source"] for cell in source_of(topic)["cells"]}
        for question in bank_of(topic).questions:
            text = statements[f"{question.id}-text"]
            assert f"\n`{question.id}`, {question.points:g} points\n" in text
            assert "<summary>Hint" in text
            assert "Read: [" in text
            if question.kind != "function" and not counted(question):
                assert f" {100 * question.tolerance:g} %" in text, question.id

    def test_statement_names_every_parameter(self, topic):
        statements = {cell["id"]: cell["source"] for cell in source_of(topic)["cells"]}
        for question in bank_of(topic).questions:
            function = question.kind == "function"
            drawn = (
                cases(topic, question, "ada", "")[0]
                if function
                else parameters(topic, question, "ada")
            )
            for name in drawn:
                named = name if function else f"`{name}`"
                assert named in statements[f"{question.id}-text"], (question.id, name)


@pytest.mark.parametrize(("bank", "question"), questions(lambda q: q.kind == "choice"))
def test_no_choice_is_right_for_everyone(bank, question):
    drawn = [parameters(bank.topic, question, student) for student in STUDENTS]
    words = [question.reference(**p)[0] for p in drawn]
    assert set(words) == set(question.choices)
    assert max(map(words.count, words)) <= 0.85 * len(words)


@pytest.mark.parametrize(("bank", "question"), questions(lambda q: q.builds))
def test_function_of_the_package_is_no_answer(bank, question):
    reply = checker(bank.topic, banks=SOLUTIONS)(question.id, question.reference)
    assert "calls the package's function" in reply.text


@pytest.mark.parametrize(("bank", "question"), questions(lambda q: q.mistakes))
def test_hints_do_not_print_the_answer(bank, question):
    for wrong in question.mistakes:
        assert not re.search(r"sqrt|\*\*|log2|\d\.\d", wrong.hint), wrong.hint
