"""A check says what is wrong, by name where it can, and never raises for a student's mistake."""

import re

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.tasks import Mistake, Task

WAIT = Task(
    "Mean wait",
    reference=lambda load, service: service * load / (1 - load),
    cases=[(0.5, 1.0), (0.9, 0.01)],
    mistakes=[
        Mistake("response", lambda load, service: service / (1 - load), "That counts the service."),
        Mistake("no queue", lambda load, service: service * load, "Who waits behind whom?"),
    ],
    hint="Work out the work in front.",
    right="It has no upper end.",
    unit="s",
)
CORES = Task(
    "Cores",
    reference=lambda: 1 / 0.1,
    mistakes=[Mistake("processes", lambda: 16, "Those are processes.")],
    hint="One over s.",
    right="A ceiling.",
    tolerance=0.01,
)


class TestUntouched:
    @pytest.mark.parametrize("answer", [None, ..., [1.0, ...], {"a": ...}])
    def test_a_value_left_out(self, answer):
        shown = CORES.check(answer)
        assert shown.text == "Not done yet: Cores."
        assert "make lab" in shown.html
        assert "1 / 0.1" in shown.html

    def test_a_stub(self):
        def stub(load, service):
            """Return seconds."""
            ...

        def returned(load, service):
            return ...  # your line

        def begun(load, service):
            work = load * service
            work += 1
            return ...  # your line

        for untouched in (stub, returned, begun, lambda load, service: 2 * ...):
            assert WAIT.check(untouched).text == "Not done yet: Mean wait."

    def test_a_function_without_a_return(self):
        def wait(load, service):
            service * load / (1 - load)

        assert WAIT.check(wait).text.startswith("Not done yet: Mean wait. Your function returns no")


class TestRight:
    def test_says_why_it_matters(self):
        assert WAIT.check(WAIT.reference).text == "Right: Mean wait. It has no upper end."
        assert "<summary>Hint" not in WAIT.check(WAIT.reference).html

    @given(st.floats(-0.009, 0.009))
    def test_within_the_tolerance(self, error):
        assert CORES.judge(10 * (1 + error)).state == "right"
        assert CORES.judge(np.float64(10 * (1 + error))).state == "right"

    def test_a_function_may_print_and_change_its_arguments(self):
        sums = Task("Sum", lambda a: a.sum(), cases=[(np.arange(3.0),), (np.ones(2),)])

        def total(a):
            print(a)
            a += 1
            return a.sum() - a.size

        assert [sums.judge(total).state for _ in "ab"] == ["right", "right"]


class TestWrong:
    @pytest.mark.parametrize("mistake", [*WAIT.mistakes, *CORES.mistakes], ids=lambda m: m.name)
    def test_a_named_mistake_gets_its_hint(self, mistake):
        task = WAIT if mistake in WAIT.mistakes else CORES
        answer = mistake.model if task is WAIT else mistake.model()
        assert task.judge(answer).said == mistake.hint

    def test_a_slip_of_units_comes_after_the_named_mistakes(self):
        milliseconds = WAIT.judge(lambda load, service: 1000 * service * load / (1 - load))
        assert milliseconds.said == "You are a factor of 1,000 too high: check the unit's prefix."
        tenths = Task("x", lambda: 5.0, mistakes=[Mistake("thousand", lambda: 5000.0, "Named.")])
        assert tenths.judge(5000.0).said == "Named."

    def test_the_first_case_that_differs_is_said_and_not_the_right_value(self):
        said = WAIT.judge(lambda load, service: 1.0 if load == 0.5 else 0.02).said
        assert said == (
            "In 1 of 2 cases the right value comes out. For load = 0.9, service = 0.01 your "
            "function gives 0.02 s; that is too low."
        )
        assert "0.09" not in said
        assert CORES.judge(3).said == "You gave 3; that is too low."
        assert CORES.judge(-300).said == "You gave -300; that is far too low."

    def test_a_case_is_shown_with_the_digits_that_it_is_about(self):
        near = Task(
            "Near", lambda value, should: value == should, cases=[(1.0, 1.0), (1 + 1e-9, 1.0)]
        )
        said = near.judge(lambda value, should: np.bool_(True)).said
        assert "value = 1.000000001, should = 1 your function gives True" in said
        assert near.judge(lambda value, should: np.bool_(value == should)).state == "right"

    def test_two_known_mistakes_in_one_table_are_both_named(self):
        def table(first=2.0, second=3.0, third=5.0):
            return {"a": first, "b": second, "c": third}

        task = Task(
            "Table",
            table,
            mistakes=[
                Mistake("one", lambda: table(first=7.0), "One."),
                Mistake("other", lambda: table(second=11.0), "Other."),
            ],
        )
        assert task.judge(table(first=7.0)).said == "One."
        assert task.judge(table(first=7.0, second=11.0)).said == "a: One. b: Other."
        assert task.judge(table(7.0, 11.0, 17.0)).said == "a: One. b: Other. Not right yet: c."
        assert task.judge(table(first=2000.0)).said.startswith("a: You are a factor of 1,000")

    def test_arguments_are_copies_that_share_nothing(self):
        both = np.arange(1.0, 4.0)
        task = Task("Sum", lambda a, b: a + b, cases=[(both, both)])

        def in_place(a, b):
            a += b
            return a

        assert task.judge(in_place).state == "right"

    @pytest.mark.parametrize(
        ("answer", "said"),
        [
            (lambda n, a, s, b: 2 * (n + 1) * (a + s / n / b), "with a sum instead of a differ"),
            (lambda n, a, s, b: 2 * (n - 1) * (a + s / b), "without the divisor `n`"),
            (lambda n, a, s, b: 2 * (n - 1) * (a + s / n * b), "with a product instead of a ra"),
            (lambda n, a, s, b: 2 * (n - 1) * (s / n / b), "without the term `a`"),
            (lambda n, a, s, b: 3 * (n - 1) * (a + s / n / b), "1.5 times the right number"),
            (lambda n, a, s, b: 2 * (n - 2) * (a + s / n / b), "with 2 instead of 1"),
        ],
    )
    def test_one_change_of_the_reference_is_named_without_the_formula(self, answer, said):
        task = Task(
            "Ring",
            lambda n, a, s, b: 2 * (n - 1) * (a + s / n / b),
            cases=[(8, 1e-5, 64e3, 1e10), (3, 5e-6, 9e8, 2e9), (5, 2e-6, 1e6, 1e9)],
        )
        assert said in task.judge(answer).said

    def test_a_change_that_holds_in_some_cases_only_is_not_told(self):
        task = Task("x", lambda a, b: min(a, b) + 1, cases=[(1.0, 2.0), (5.0, 1.5), (4.0, 3.0)])
        assert "with `max` instead of `min`" in task.judge(lambda a, b: max(a, b) + 1).said
        assert "instead of" not in task.judge(lambda a, b: max(a, b) + a / 7).said

    def test_a_rule_is_told_of_arrays_too(self):
        case = (np.array([1.0, 2.0, 4.0]), 3.0)
        task = Task("x", lambda a, s: a * s, cases=[case, (np.array([5.0, 1.0]), 7.0)])
        assert "above the right number by `a`" in task.judge(lambda a, s: a * s + a).said
        assert "you have `a` itself" in task.judge(lambda a, s: a).said
        assert task.judge(lambda a, s: a + s**2).said.endswith("another value is right.")

    def test_a_rule_that_holds_in_some_cases_only_is_not_told(self):
        task = Task("x", lambda n, t: n * t, cases=[(2, 5.0), (3, 7.0), (10, 0.3)])
        said = task.judge(lambda n, t: n * n * t if n < 10 else 1.0).said
        assert said.startswith("For n = 2, t = 5 your function gives 20; that is too high.")

    @pytest.mark.parametrize(
        ("answer", "said"),
        [
            (lambda n, t: n * n * t, "times `n`"),
            (lambda n, t: t, "over `n`"),
            (lambda n, t: 2 * n * t, "twice the right number"),
            (lambda n, t: n * t + t, "above the right number by `t`"),
            (lambda n, t: (n * t) ** 0.5, "the square root of the right number"),
            (lambda n, t: (n - 1) * t, "by the ratio of `n` to `n - 1`"),
            (lambda n, t: 1.5 * n * t, "1.5 times the right number"),
            (lambda n, t: 1.02 * n * t, "1.02 times the right number"),
        ],
    )
    def test_one_rule_that_holds_in_all_cases_is_told(self, answer, said):
        task = Task("x", lambda n, t: n * t, cases=[(2, 5.0), (3, 7.0), (10, 0.3)])
        assert said in task.judge(answer).said

    @pytest.mark.parametrize(
        ("answer", "why"),
        [
            ([1.0, 2.0], "it has shape (2,), and the shape of a single number is asked for"),
            ("12", "it is text, and a number is asked for"),
            (float("nan"), "it isn't finite: look for a division by zero"),
            (True, "it is a truth value, and a number is asked for"),
        ],
    )
    def test_another_kind_of_value(self, answer, why):
        assert why in CORES.judge(answer).said

    def test_an_exception_is_one_line_with_the_line_of_the_student(self):
        def wait(load, service):
            queue = []
            return queue[0]

        said = WAIT.judge(wait).said
        line = wait.__code__.co_firstlineno + 2
        given = "load = 0.5, service = 1"
        place = f"line {line}, `return queue[0]`"
        assert said == f"IndexError: list index out of range for {given}; {place}."

    def test_an_exception_from_a_call_names_the_line_of_the_call(self):
        def wait(load, service):
            return np.linalg.inv(np.zeros((2, 2)))

        assert "`return np.linalg.inv(np.zeros((2, 2)))`" in WAIT.judge(wait).said

    def test_other_arguments_than_asked_for(self):
        assert re.match(r"TypeError: .* takes 1 positional", WAIT.judge(lambda load: 1).said)

    def test_whole_arrays_are_mentioned_where_they_come_in(self):
        task = Task("Clip", lambda x: np.maximum(x, 0), cases=[(np.arange(-2.0, 3),)])
        assert "whole arrays come in" in task.judge(lambda x: x if x > 0 else 0).said

    def test_a_value_for_a_function_and_the_other_way_round(self):
        assert WAIT.judge(0.5).said == "Give a function; this is 0.5."
        assert CORES.judge(len).said == "Give the value itself, not a function; this is len."


class TestBox:
    def test_the_way_has_the_student_s_name_for_the_function(self):
        def my_wait(load, service): ...

        assert "def my_wait(load, service):\n    return service * load" in WAIT.check(my_wait).html

    def test_marks_what_is_code_and_escapes_the_rest(self):
        task = Task("a < b", lambda: 1, hint="Use `x < y` & go.")
        assert "Use <code>x &lt; y</code> &amp; go." in task.check(...).html
        assert "Now you:</strong> a &lt; b" in task.check(...).html.replace(
            ".</strong>", ":</strong>"
        )

    def test_shows_itself_in_a_notebook(self):
        assert WAIT.check(...)._repr_mimebundle_()["text/plain"].startswith("Not done yet")

    def test_two_checks_are_the_same_to_the_letter(self):
        assert WAIT.check(...).html == WAIT.check(...).html


class TestVerify:
    def test_a_sound_task_passes(self):
        WAIT.verify()
        CORES.verify()

    def test_a_mistake_that_cannot_be_told(self):
        same = Mistake("same", lambda: 10.05, "No.")
        with pytest.raises(ValueError, match="cases must tell 'same' from 'the reference'"):
            Task("x", lambda: 10.0, ((),), [same], "h", "r", tolerance=0.01).verify()

    def test_two_mistakes_that_cannot_be_told_apart(self):
        twins = [Mistake(name, lambda x: 2 * x, "No.") for name in ("one", "other")]
        with pytest.raises(ValueError, match="cases must tell 'other' from 'one'"):
            Task("x", lambda x: x, [(1.0,)], twins, "h", "r").verify()

    def test_a_reference_that_is_not_finite_or_not_the_same_twice(self):
        with pytest.raises(ValueError, match="reference must return the same finite values"):
            Task("x", lambda x: np.log(x), [(-1.0,)], hint="h", right="r").verify()
        draws = iter(range(10))
        with pytest.raises(ValueError, match="reference must return the same finite values"):
            Task("x", lambda x: next(draws), [(1.0,)], hint="h", right="r").verify()

    def test_a_text_that_is_missing(self):
        with pytest.raises(ValueError, match="right must say something"):
            Task("x", lambda: 1, hint="h").verify()


def test_bad_declarations_are_named():
    with pytest.raises(ValueError, match="tolerance must be above 0, got 0"):
        Task("x", lambda: 1, tolerance=0)
    with pytest.raises(ValueError, match="title must say what is asked for"):
        Task("", lambda: 1)
    with pytest.raises(ValueError, match=r"cases must be tuples of arguments, got \[1, 2\]"):
        Task("x", lambda x: x, cases=[1, 2])
