import json

import example
import pytest
from building import notebook

from perfcourse.grading.submission import grade
from perfcourse.intake.submissions import Handin
from perfcourse.isolation.session import Times
from perfcourse.judge.result import MOST_ERRORS, as_record
from perfcourse.kernel.agent import NOBODY_ANSWERS

BRIEF = Times(notebook=2, cell=0.7, call=0.5, whole=6)
RIGHT = "def speedup(serial, n):\n    return 1 / (serial + (1 - serial) / n)"


def earned(graded):
    return {verdict.question: verdict.earned for verdict in graded.verdicts}


def said(graded, question):
    return next(v.message for v in graded.verdicts if v.question == question)


def test_solution_earns_everything(grade_cells, solved):
    graded = grade_cells(*solved)
    assert graded.earned == graded.points == 10
    assert graded.problem == ""
    assert graded.errors == ()


def test_released_exercise_earns_nothing_and_blames_nobody(grade_cells):
    import json
    from pathlib import Path

    import example

    from perfcourse.release.assignment import read_source, student_edition

    source = read_source(Path(__file__).parents[1] / "example.ipynb")
    edition = student_edition(source, example.bank)
    cells = [cell["source"] for cell in edition["cells"] if cell["cell_type"] == "code"]
    graded = grade_cells(*json.loads(json.dumps(cells)))
    assert graded.earned == 0
    assert graded.errors == ()
    assert [v.question for v in graded.verdicts if v.answered] == ["q5"]


def test_answer_in_a_cell_of_text_is_named(warm):
    cells = [{"cell_type": "markdown", "source": "def speedup(serial, n):\n    return 1"}]
    whole = json.loads(notebook("x = 1"))
    data = json.dumps({**whole, "cells": [*whole["cells"], *cells]}).encode()
    handin = Handin("ada.ipynb", "ada", data, "ada.ipynb")
    graded = grade(handin, example.bank, "s", lambda *how: warm.session(BRIEF, *how))
    assert graded.problem.startswith("Answers in text cells are not run: speedup (markdown).")
    assert graded.decided


def test_error_in_one_cell_costs_that_answer_only(grade_cells):
    graded = grade_cells(RIGHT, "1 / 0", "p = 3 +", "q3 = undefined", "q2 = 'three'")
    assert earned(graded)["q1"] == 4
    assert [error[:2] for error in graded.errors] == [
        (2, "ZeroDivisionError"),
        (3, "SyntaxError"),
        (4, "NameError"),
    ]
    assert "not text" in said(graded, "q2")
    assert "nothing called q3" in said(graded, "q3")


def test_endless_cell_is_cut_off_and_the_rest_runs(grade_cells):
    graded = grade_cells("while True: pass", RIGHT, times=BRIEF)
    assert graded.errors[0][1] == "OutOfTimeError"
    assert earned(graded)["q1"] == 4


def test_loop_that_swallows_the_time_limit_costs_its_cell(grade_cells):
    stubborn = "import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))"
    graded = grade_cells(RIGHT, stubborn + "\nwhile True: pass", times=BRIEF)
    assert graded.problem.startswith("Cell 2 took longer than is allowed and was stopped;")
    assert earned(graded)["q1"] == 4


def test_endless_function_costs_its_question(grade_cells):
    graded = grade_cells("def speedup(serial, n):\n    while True: pass", "q2 = 1")
    assert "took too long" in said(graded, "q1")
    assert "None of the usual mistakes" in said(graded, "q2")


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        ("import os; os._exit(0)", "ended its own process"),
        ("import os; os.abort()", "crashed its process"),
        ("import ctypes; ctypes.string_at(0)", "crashed its process"),
        ("x = bytearray(2**31)", ""),
    ],
)
def test_crash_has_its_own_line_and_costs_its_cell(grade_cells, cell, reason):
    graded = grade_cells(RIGHT, cell)
    assert reason in graded.problem
    assert bool(graded.problem) == bool(reason)
    assert [error[:2] for error in graded.errors] == [(2, "Stopped" if reason else "MemoryError")]
    assert earned(graded)["q1"] == 4


def test_exit_and_quit_end_nothing(grade_cells):
    graded = grade_cells("exit()", "quit()", "raise SystemExit", RIGHT)
    assert earned(graded)["q1"] == 4


def test_wrong_types_are_named(grade_cells):
    graded = grade_cells("speedup = 3", "q2 = object()", "q3 = {1}", "q4 = 5", "q5 = [1]")
    assert said(graded, "q1") == "speedup is not a function. Define it with def speedup(...)."
    assert "Give plain numbers" in said(graded, "q2")
    assert "Give both" in said(graded, "q4")
    assert "Hand in a dict" in said(graded, "q5")


def test_answer_for_another_students_parameters_is_told(grade_cells):
    import example

    from perfcourse.judge import parameters

    of_bob = parameters("example", example.bank.question("q2"), "bob")
    graded = grade_cells("STUDENT = 'bob'", f"q2 = {example.speedup(**of_bob)}")
    assert "the parameters of 'bob'" in said(graded, "q2")
    assert earned(graded)["q2"] == 0


def test_notebook_computes_with_its_own_parameters_whatever_id_it_names(grade_cells):
    graded = grade_cells(
        "from perfcourse import checker\ncheck = checker('example', student='bob')",
        "p = check.parameters('q2'); q2 = 1 / (p['serial'] + (1 - p['serial']) / p['n'])",
    )
    assert earned(graded)["q2"] == 2


def test_magics_and_figures_do_no_harm(grade_cells):
    graded = grade_cells(
        "%matplotlib inline",
        "import matplotlib.pyplot as plt\nplt.plot([1, 2]); plt.show()",
        "%timeit -n1 -r1 1 + 1",
        "!echo hello",
        "display(1)\nprint('x' * 10**7)",
        RIGHT,
    )
    assert graded.errors == ()
    assert earned(graded)["q1"] == 4


def test_hidden_inputs_are_not_in_the_feedback(grade_cells):
    """What a function raises is told from inputs that are no secret, asked for first."""
    leak = (
        "calls = []\ndef speedup(serial, n):\n    calls.append(serial)\n"
        "    if len(calls) > 1: raise (KeyError, OSError)[int(serial * 1000) % 2](f'{serial}')\n"
        "    raise TypeError('of the first')"
    )
    graded = grade_cells(leak)
    expected = "Your function raised TypeError (of the first) for every valid input."
    assert said(graded, "q1").startswith(expected)
    assert said(grade_cells(leak.replace("raise TypeError", "return str")), "q1").startswith(
        "Your function raised an error for every valid input."
    )


def test_of_1900_long_errors_the_first_are_told(grade_cells):
    graded = grade_cells(*["raise ValueError('x' * 400)"] * 1900)
    assert not graded.problem
    assert [number for number, _, _ in graded.errors] == list(range(1, MOST_ERRORS + 1))


LONG = {
    "a dict": "{f'k{n}' * 10: n for n in range(20_000)}",
    "a text": "'x' * 90_000",
    "a choice": "('x' * 90_000, 1.0)",
    "a list of texts": "['x' * 9000] * 9",
    "a type's name": "type('x' * 100_000, (), {})()",
    "an integer": "10**4000",
    "an error": "lambda *given: int('y' * 10**6)",
    "an error's name": "raising(type('E' * 100_000, (Exception,), {}))",
}


@pytest.mark.parametrize("answer", LONG.values(), ids=LONG)
def test_what_is_kept_of_a_submission_is_short_whatever_it_answers(grade_cells, answer):
    names = [question.answer for question in example.bank.questions]
    cells = (
        "def raising(kind):\n    def function(*given): raise kind('y')\n    return function",
        f"STUDENT = 'z' * 90_000\nfor name in {names}: globals()[name] = {answer}",
    )
    graded = grade_cells(*cells)
    assert not any(verdict.failed for verdict in graded.verdicts)
    assert len(json.dumps(as_record(graded))) < 4000


def test_grades_are_the_same_every_time(grade_cells, solved):
    first, again = grade_cells(*solved), grade_cells(*solved)
    assert first.verdicts == again.verdicts


def test_a_cell_that_asks_for_input_is_told_what_to_do(grade_cells):
    graded = grade_cells(RIGHT, "name = input('Who? ')")
    ((cell, kind, message),) = graded.errors
    assert (cell, kind) == (2, "EOFError")
    assert message == NOBODY_ANSWERS
