import example
import numpy as np
import pytest

from perfcourse.judge.checker import checker

EXAMPLE = example.__file__.rsplit("/", 1)[0]


@pytest.fixture
def check():
    return checker("example", student="ada", banks=EXAMPLE)


def test_right_answer_is_told_so(check):
    assert repr(check("q1", example.speedup)) == "q1: Right. (5 of 5 points)"
    answer = example.speedup(**check.parameters("q2"))
    assert "Right" in check("q2", answer)._repr_html_()


def test_mistake_gets_its_hint(check):
    reply = check("q1", example.gustafson.model)
    assert reply.text.startswith("That is Gustafson's law")
    assert "(0 of 5 points)" in reply.text


def test_partly_right_function_earns_its_parts(check):
    reply = check("q1", lambda serial, n: 1 / (serial + (1 - serial) / float(n)))
    assert reply.text.startswith("Right for the usual inputs. ")
    assert "(3 of 5 points)" in reply.text
    assert "deserves a ValueError" in reply.text
    assert "take an array" in reply.text
    assert reply.state == "partly"


def test_student_error_is_named_without_a_traceback(check):
    reply = check("q1", lambda serial, n: undefined_name)  # noqa: F821
    assert "NameError (name 'undefined_name' is not defined) for every valid input" in reply.text


@pytest.mark.parametrize("odd", [None, ..., 3, "text", object(), np.nan, [[1, [2]]], {1: 2}, {3}])
@pytest.mark.parametrize("question", ["q1", "q2", "q3", "q4", "q5"])
def test_odd_answers_get_a_sentence_and_no_points(check, question, odd):
    reply = check(question, odd)
    assert reply.state in ("", "wrong")
    assert len(reply.text) > 10


def test_object_whose_methods_raise_is_no_answer(check):
    class Evil:
        def __eq__(self, other):
            raise RuntimeError("compared")

        def __array__(self, *args):
            raise RuntimeError("converted")

    assert check("q2", Evil()).state == "wrong"


def test_text_is_escaped_in_html(check):
    def wrong(serial, n):
        raise ValueError("<script>alert(1)</script>")

    assert "<script>" not in check("q1", wrong)._repr_html_()


def test_unknown_question_lists_the_known(check):
    assert "must be one of q1, q2, q3, q4, q5, got 'q9'" in check("q9", 1).text


def test_general_hints_name_the_slip(check):
    right = example.speedup(**check.parameters("q2"))
    assert "a percentage instead of a fraction" in check("q2", 100 * right).text
    assert "You gave the reciprocal" in check("q2", 1 / right).text
    assert "sign" in check("q2", -right).text
    assert "not text" in check("q2", str(right)).text


def test_choice_and_number_must_both_be_right(check):
    p = check.parameters("q4")
    word, ratio = example.bank.question("q4").reference(**p)
    other = {"keep": "double", "double": "keep"}[word]
    assert check("q4", (word, ratio)).state == "right"
    assert "argues for another" in check("q4", (other, ratio)).text
    assert check("q4", (word, 1.5 * ratio)).state == "wrong"
    assert "Choose one of" in check("q4", ("maybe", ratio)).text


def test_mistaken_number_is_explained_whatever_was_chosen_by_it(check):
    assert check("q4", ("double", 2.0)).text.startswith("Twice the processors")
    assert check("q4", ("keep", 2.0)).text.startswith("Twice the processors")
    assert "Choose one of" in check("q4", ("maybe", 2.0)).text


def test_measured_model_is_held_against_the_students_own_data(check):
    data = {"processors": [1, 2, 4], "seconds": [9.0, 5.0, 3.0]}
    fraction = (3 / 9 - 1 / 4) / (1 - 1 / 4)
    assert check("q5", {**data, "answer": fraction}).state == "right"
    assert "parallel efficiency" in check("q5", {**data, "answer": 0.75}).text
    assert "above 0" in check("q5", {**data, "seconds": [9, -5, 3], "answer": 1}).text
    assert "same number" in check("q5", {**data, "seconds": [9, 5], "answer": 1}).text
    assert "not found: answer" in check("q5", data).text


def test_function_that_only_calls_the_package_is_told(tmp_path):
    (tmp_path / "lines.py").write_text(
        "from perfcourse.bank import Bank, function\n"
        "import textwrap, statistics\n"
        "bank = Bank('lines', 'Lines', [function('q1', 'Mean', answer='mean',\n"
        "    reference=statistics.mean, builds='statistics.mean',\n"
        "    inputs=lambda rng: {'values': [rng.uniform(1, 2), rng.uniform(3, 4)]})])\n"
    )
    import statistics

    check = checker("lines", banks=tmp_path)
    alias = statistics.mean
    assert "calls the package's function" in check("q1", lambda values: alias(values)).text
    assert check("q1", lambda values: sum(values) / len(values)).state == "right"
    assert statistics.mean([1, 3]) == 2
