"""Answers in words: what students write in their own way counts, guessing does not."""

import numpy as np
import pytest

from perfcourse.bank import Bank, Mistake, one_of, text, true_false
from perfcourse.bank.parameters import parameters
from perfcourse.judge import judge
from perfcourse.judge.checker import Checker
from perfcourse.kernel.plain import plain

LIMIT = text(
    "limit",
    "What limits it?",
    reference=["memory bound", "bandwidth*"],
    mistakes=[Mistake("compute", ["compute bound", "*flops*"], "Which is slower?")],
)
WHICH = one_of(
    "which",
    "Which law?",
    reference="Gustafson",
    choices={"Amdahl": "There the job stays as it is.", "Gustafson": "", "Little": ""},
)
STABLE = true_false("stable", "Stable?", reference=False, hint="Compare the two rates.")


def checked(question, answer):
    return Checker("demo", "ada", Bank("demo", "Demo", [question]))(question.id, answer)


class TestText:
    @pytest.mark.parametrize(
        "answer",
        ["memory bound", " Memory-Bound. ", "the memory bound", "bandwidth", "**Memory bound**"],
    )
    def test_right_in_other_words(self, answer):
        assert checked(LIMIT, answer).state == "right"

    @pytest.mark.parametrize(
        "answer",
        ["memory", "not memory bound", "*", "bandwidt", ["memory bound", "compute"], 3, "x" * 400],
    )
    def test_anything_else_is_wrong(self, answer):
        assert checked(LIMIT, answer).state == "wrong"

    @pytest.mark.parametrize("answer", ["Compute-bound", "too few FLOPS here"])
    def test_mistake_has_its_hint(self, answer):
        assert checked(LIMIT, answer).text.startswith("Which is slower?")

    @pytest.mark.parametrize(
        ("answer", "told"),
        [
            (3, "not with this"),
            (["memory"], "a list"),
            ("x" * 301, "300 characters"),
            ("?!", "Not answered yet"),
        ],
    )
    def test_form_is_told(self, answer, told):
        assert told in checked(LIMIT, answer).text

    def test_ten_megabytes_are_refused_before_they_are_compared(self):
        assert "more than 10000 characters" in checked(LIMIT, "x" * 10**7).text

    def test_answers_of_two_models_that_a_student_could_mean_both_are_refused(self):
        same = Mistake("same", "Memory Bound!", "No.")
        with pytest.raises(ValueError, match="the reference and mistake 'same'"):
            parameters("t", text("q", "Q", reference="memory bound", mistakes=[same]), "ada")


class TestOneOf:
    def test_only_the_right_choice_is_right(self):
        assert checked(WHICH, " gustafson ").state == "right"
        assert checked(WHICH, "Little").text.startswith("That isn't the right choice.")
        assert "Choose one of: Amdahl, Gustafson, Little." in checked(WHICH, "Moore").text
        assert checked(WHICH, ["Amdahl", "Gustafson", "Little"]).state == "wrong"

    def test_wrong_choice_has_its_hint_and_its_name(self):
        verdict = judge("demo", WHICH, "Amdahl", "ada")
        assert (verdict.earned, verdict.misconception) == (0, "Amdahl")
        assert verdict.message == "There the job stays as it is."

    def test_choice_may_depend_on_the_students_numbers(self):
        question = one_of(
            "larger",
            "Which is larger?",
            choices={"x": "Not x.", "y": "Not y."},
            reference=lambda x, y: "x" if x > y else "y",
            inputs=lambda rng: {"x": rng.random(), "y": rng.random()},
        )
        for student in map(str, range(9)):
            drawn = parameters("demo", question, student)
            right = "x" if drawn["x"] > drawn["y"] else "y"
            wrong = {"x": "y", "y": "x"}[right]
            assert judge("demo", question, right, student).right
            assert judge("demo", question, wrong, student).message == f"Not {wrong}."


class TestTrueFalse:
    @pytest.mark.parametrize("answer", [False, np.False_, "False", " false."])
    def test_right(self, answer):
        assert checked(STABLE, answer).state == "right"

    @pytest.mark.parametrize("answer", [True, "TRUE"])
    def test_the_other_way_round_has_the_hint(self, answer):
        assert checked(STABLE, answer).text.startswith("Compare the two rates.")

    @pytest.mark.parametrize("answer", [0, 1, 0.0, "no", [False], [True, False]])
    def test_what_is_no_truth_value_is_told(self, answer):
        assert checked(STABLE, answer).text.startswith("Answer True or False.")

    def test_truth_may_depend_on_the_students_numbers(self):
        question = true_false(
            "q", "Q", reference=lambda x: x > 2, hint="No.", inputs=lambda rng: {"x": 4.0}
        )
        assert judge("t", question, plain(True), "ada").right


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: text("q", "Q", reference=" "), "reference must be a text"),
        (lambda: text("q", "Q", reference="*"), "reference must be a text"),
        (lambda: text("q", "Q", reference=3), "reference must be a text"),
        (lambda: text("q", "Q", reference=[]), "reference must be a text"),
        (lambda: one_of("q", "Q", choices=["a"], reference="a"), "choices must be two or more"),
        (lambda: one_of("q", "Q", choices=["a", "b"], reference="c"), "must be one of a, b, got"),
        (lambda: true_false("q", "Q", reference=1, hint="h"), "reference must be True or False"),
        (lambda: true_false("q", "Q", reference=True, hint=" "), "hint of a mistake"),
    ],
)
def test_question_that_cannot_be_graded_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
