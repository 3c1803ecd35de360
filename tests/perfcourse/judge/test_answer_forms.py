"""A released notebook without the question bank: it runs, and its check knows the form only."""

import json
import re
import subprocess
import sys
from pathlib import Path

import example
import kinds
import numpy as np
import pytest
from click.testing import CliRunner

from perfcourse.bank.loader import load
from perfcourse.commands.cli import main
from perfcourse.judge import answer_forms as alone, cases, model_answer, parameters
from perfcourse.judge.checker import NO_BANK, checker
from perfcourse.kernel.plain import plain
from perfcourse.release.assignment import GIVEN, read_source, student_edition, topics

HERE = Path(__file__).parents[1]
ROOT = HERE.parents[1]
BANKS = [
    HERE / "example.py",
    HERE / "kinds.py",
    *(ROOT / "solutions" / f"{name}.py" for name in topics(ROOT)),
]
SOURCE = read_source(HERE / "example.ipynb")


def given_cell(notebook):
    return next(cell for cell in notebook["cells"] if cell["id"] == GIVEN)


def check_of(student="ada", released_for="ada"):
    check = checker("example", student=student, start="/nowhere")
    exec(given_cell(student_edition(SOURCE, example.bank, released_for))["source"])
    return check


@pytest.mark.parametrize("path", BANKS, ids=lambda path: path.stem)
def test_notebook_carries_the_parameters_that_the_bank_draws(path):
    bank = load(path)
    check = checker(bank.topic, student="ada", start="/nowhere")
    exec(alone.source(alone.given(bank, "ada"), "ada"))
    for question in bank.questions:
        if question.personal:
            expected = parameters(bank.topic, question, "ada")
            assert repr(check.parameters(question.id)) == repr(expected)


@pytest.mark.parametrize("path", BANKS, ids=lambda path: path.stem)
def test_nothing_hidden_is_given(path):
    bank = load(path)
    text = alone.source(alone.given(bank, "ada"), "ada")
    for question in bank.questions:
        assert not any(wrong.hint in text for wrong in question.mistakes)
        if question.kind == "function":
            hidden = cases(bank.topic, question, "ada", "secret")
            assert not any(repr(alone._packed(case)) in text for case in hidden)
    numbers = {float(word) for word in re.findall(r"(?<![\w.])\d+\.\d+(?:e-?\d+)?", text)}
    for question in bank.questions:
        if question.kind == "number" and not question.file:
            drawn = parameters(bank.topic, question, "ada")
            answer = question.reference(**drawn)
            data = [
                abs(v) for one in drawn.values() for v in np.ravel(one) if not isinstance(v, str)
            ]
            hidden = numbers - {float(value) for value in data}  # a quantile is one of its data
            assert not any(np.isclose(answer, number, rtol=1e-9) for number in hidden)


def test_form_is_checked_and_rightness_is_not(capsys):
    check = check_of()
    assert check("q1", example.speedup).text.endswith(alone.LATER)
    assert re.match(r"speedup\(serial=0\.\d+, n=\d+\) gave \d", check("q1", example.speedup).text)
    for question, answers in {
        "q2": [1.5, -1, np.float64(3), [2.0]],
        "q3": [[1, 2, 3, 4], np.ones(4)],
        "q4": [("keep", 1.0), ("DOUBLE", 2)],
        "q5": [{"processors": [1, 2], "seconds": [2, 1], "answer": 0.3}],
    }.items():
        for answer in answers:
            reply = check(question, answer)
            assert (reply.state, reply.text) == ("", f"Has the right form. {alone.LATER}")
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("question", "answer", "said"),
    [
        ("q1", None, "Not answered yet."),
        ("q1", lambda serial: serial, "raised TypeError"),
        ("q1", lambda serial, n: undefined, "raised NameError"),  # noqa: F821
        ("q1", lambda serial, n: None, "returns nothing"),
        ("q2", ..., "Not answered yet."),
        ("q2", "1.5", "not text"),
        ("q2", [1, 2], "a single number, not an array of 2"),
        ("q2", float("nan"), "Not finite"),
        ("q2", [], "Give a single number, not an array of 0."),
        ("q3", {"a": [1, 2]}, "not a dict"),
        ("q3", [1, 2, 3], "Give an array of 4, not an array of 3."),
        ("q3", 1.0, "Give an array of 4, not a single number."),
        ("q3", np.ones((4, 1)), "not an array of shape (4, 1)"),
        ("q3", [1, 2, 3, "x"], "plain numbers"),
        ("q4", 2.0, "Give both"),
        ("q4", ("maybe", 2.0), "Choose one of: double, keep."),
        ("q4", ("keep", "two"), "not text"),
        ("q4", ("keep", [1, 2]), "Give a single number, not an array of 2."),
        ("q5", 3, "not found: processors"),
        ("q5", {"processors": [1], "seconds": [1]}, "not found: answer"),
        ("q5", {"processors": [1], "seconds": ["x"], "answer": 1}, "seconds must be a list of"),
        ("q5", {"processors": [1], "seconds": [1], "answer": 1}, "Measure 2 or more; these are 1."),
        ("q5", {"processors": [1, 2], "seconds": [2, 1], "answer": [1, 2]}, "answer: Give"),
        ("q5", {"processors": [1, 2], "seconds": [2], "answer": 1}, "the same number"),
        ("q9", 3, "must be one of q1, q2, q3, q4, q5, got 'q9'"),
    ],
)
def test_what_has_not_the_form_is_named(question, answer, said):
    reply = check_of()(question, answer)
    assert said in reply.text
    assert alone.LATER not in reply.text


def test_a_table_needs_its_columns_and_their_lengths():
    form = {"kind": "array", "answer": "x", "shape": {"counted": [2], "moved": [2]}}
    right = {"counted": [1.0, 2.0], "moved": [3.0, 4.0]}
    assert alone.look(form, right)[0]
    for wrong, said in {
        "moved alone": ({"moved": [3.0, 4.0]}, "Give a dict with the keys counted, moved."),
        "a list": ([1.0, 2.0], "Give a dict"),
        "too short": ({**right, "moved": [3.0]}, "Column moved: Give an array of 2"),
        "text": ({**right, "counted": ["x", 2]}, "Column counted: Give plain numbers"),
    }.values():
        fine, text = alone.look(form, wrong)
        assert not fine
        assert said in text


@pytest.mark.parametrize("path", BANKS, ids=lambda path: path.stem)
def test_the_form_of_the_right_answer_is_right_and_that_of_a_part_of_it_is_not(path):
    bank = load(path)
    forms = alone.given(bank, "ada")
    for question in bank.questions:
        if question.kind == "function":
            continue
        form = eval(repr(forms[question.id]))
        answer = model_answer(bank.topic, question, question.reference, "ada")
        if question.kind == "choice":
            answer = list(answer)
        assert alone.look(form, plain(answer)) == (True, f"Has the right form. {alone.LATER}")
        if question.kind == "array" and not isinstance(answer, dict):
            assert not alone.look(form, plain(answer[:-1]))[0]
        if question.kind == "measured":
            fewer = {name: answer[name][: question.least - 1] for name in question.columns}
            assert not alone.look(form, plain({**answer, **fewer}))[0]


def test_numbers_for_practice_say_so_once(capsys):
    check = check_of(student="ada", released_for="")
    assert check.parameters("q2") == parameters("example", example.bank.question("q2"), "anyone")
    assert "for practice" in capsys.readouterr().out
    check.parameters("q3")
    assert capsys.readouterr().out == ""
    with pytest.raises(ValueError, match="must be one of q2, q3, q4, got 'q1'"):
        check.parameters("q1")


def test_without_anything_it_says_what_to_do_in_one_line():
    check = checker("example", start="/nowhere")
    assert check("q2", 1.0).text == NO_BANK
    with pytest.raises(alone.NoBankError) as caught:
        check.parameters("q2")
    (line,) = caught.value._render_traceback_()
    assert "parameters of q2 are unknown here" in line
    assert "perfcourse release" in line


def test_released_notebook_runs_with_nothing_beside_it(tmp_path, course):
    assert CliRunner().invoke(main, ["release", "example", "--out", str(tmp_path)]).exit_code == 0
    cells = json.loads((tmp_path / "example.ipynb").read_text())["cells"]
    code = "\n".join(cell["source"] for cell in cells if cell["cell_type"] == "code")
    (tmp_path / "elsewhere").mkdir()
    command = [sys.executable, "-c", code]
    (tmp_path / "solutions" / "example.py").unlink()
    done = subprocess.run(command, cwd=tmp_path / "elsewhere", capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_each_student_gets_a_copy(course):
    (course / "who.csv").write_text("file,student\na.ipynb,ada\nb.ipynb,o'neil\n")
    words = ["release", "example", "--students", "who.csv"]
    assert "--students needs --out" in CliRunner().invoke(main, words).output
    result = CliRunner().invoke(main, [*words, "--out", "personal"])
    assert result.exit_code == 0, result.output
    for student in ("ada", "o'neil"):
        copy = json.loads((course / "personal" / student / "example.ipynb").read_text())
        assert f"check.given({student!r}, " in given_cell(copy)["source"]
    (course / "who.csv").write_text("file,student\na.ipynb,../ada\n")
    assert "usable as a folder's name" in CliRunner().invoke(main, [*words, "--out", "p"]).output


@pytest.mark.parametrize(
    ("question", "answer", "said"),
    [
        ("named", "some words", alone.LATER),
        ("named", 3, "Answer in words"),
        ("larger", "Arrivals", alone.LATER),
        ("larger", "neither", "Choose one of: arrivals, service."),
        ("stable", 1, "Answer True or False."),
        ("stable", True, alone.LATER),
        ("drawn", 3, "drawn = plt.gcf()"),
        ("several", {"twice": "2", "powers": [1, 2, 3]}, "twice: Give plain numbers, not text."),
        ("several", {"twice": 2, "powers": [1, 2, 3]}, "word: Not answered yet."),
        ("several", (2, [1, 2, 3], "no"), alone.LATER),
        ("several", (2, [1, 2, 3]), "Yours has 2."),
        ("mean", 3, alone.LATER),
    ],
)
def test_form_of_words_plots_and_parts(question, answer, said):
    check = checker("kinds", student="ada", start="/nowhere")
    exec(alone.source(alone.given(kinds.bank, "ada"), "ada"))
    assert said in check(question, answer).text


def test_form_of_a_plot_is_its_curves_and_its_words():
    figure = pytest.importorskip("matplotlib.figure").Figure()
    axes = figure.subplots()
    check = checker("kinds", student="ada", start="/nowhere")
    exec(alone.source(alone.given(kinds.bank, "ada"), "ada"))
    assert "Draw 1 curve(s)" in check("drawn", figure).text
    axes.plot([1, 2], [3, 4], label="measured")
    assert "Label both axes." in check("drawn", figure).text
    axes.set(xlabel="x", ylabel="y")
    assert "add a legend" in check("drawn", figure).text
    axes.legend()
    assert alone.LATER in check("drawn", figure).text
