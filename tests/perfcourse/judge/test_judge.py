import example
import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

from perfcourse.bank import Bank, BankError, Mistake, Question, array, function, measured, number
from perfcourse.bank.loader import load
from perfcourse.bank.properties import AnswerError, Property, limit, monotone, refuses, vectorised
from perfcourse.bank.validation import check_models
from perfcourse.judge import cases, functions, judge, parameters
from perfcourse.judge.checker import Checker
from perfcourse.kernel.plain import Other, plain
from perfmodel.answers.closeness import close

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9)
arrays = hnp.arrays(st.sampled_from(["f8", "i8", "c16", "b1"]), hnp.array_shapes(max_side=4))
anything = st.recursive(
    scalars | st.complex_numbers() | arrays | st.just(Other("set")),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["processors", "seconds", "answer", "x"]), inner, max_size=4
        )
    ),
    max_leaves=10,
)


@pytest.mark.parametrize("question", example.bank.questions[1:], ids=lambda q: q.id)
@given(answer=anything)
def test_any_plain_answer_gets_a_verdict(question, answer):
    verdict = judge("example", question, plain(answer), "ada", "secret")
    assert 0 <= verdict.earned <= verdict.points
    assert verdict.message


@given(answer=anything)
def test_any_function_gets_a_verdict(answer):
    verdict = judge("example", example.bank.question("q1"), lambda *a: plain(answer), "a", "s")
    assert verdict.earned == 0
    assert verdict.message


@given(st.floats(-1e300, 1e300).filter(lambda x: x == 0 or abs(x) > 1e-290), st.floats(0, 0.9))
def test_tolerance_is_kept_on_both_sides(expected, share):
    scale = abs(expected) or 1.0
    assert close(expected + share * 0.01 * scale, expected, 0.01)
    assert not close(expected + 1.2 * 0.01 * scale, expected, 0.01)
    assert not close(expected - 1.2 * 0.01 * scale, expected, 0.01)


@pytest.mark.parametrize("value", [np.nan, np.inf, "1", True, None, [1.0, 1.0], Other("x"), {}])
def test_what_is_never_close_to_one(value):
    assert not close(plain(value), 1.0, 0.01)


@pytest.mark.parametrize("value", [1, 1.0, [1], np.array([1]), np.array([[1.0]]), 1 + 0j])
def test_what_is_close_to_one(value):
    assert close(value, 1.0, 0.01)
    assert close(value, np.float64(1), 0.01)


def test_table_needs_all_columns_and_only_those():
    question = array(
        "q", "t", reference=lambda: {"a": np.array([1.0, 2]), "b": 3.0}, inputs=lambda rng: {}
    )
    right = {"a": [1, 2], "b": 3}
    assert judge("t", question, right, "ada").right
    assert "keys a, b" in judge("t", question, {"a": [1, 2]}, "ada").message
    assert "keys a, b" in judge("t", question, {**right, "c": 1}, "ada").message
    assert "Column b" in judge("t", question, {"a": [1, 2], "b": 4}, "ada").message
    assert question.same(right, question.reference())


@pytest.mark.parametrize("secret", ["", "secret"])
def test_two_known_mistakes_in_one_table_are_both_named(secret):
    def table(a=2.0, b=3.0, c=5.0):
        return {"a": a, "b": b, "c": c}

    question = array(
        "q",
        "t",
        reference=table,
        inputs=lambda rng: {},
        mistakes=[
            Mistake("one", lambda: table(a=7.0), "One."),
            Mistake("other", lambda: table(b=11.0), "Other."),
        ],
    )
    both = judge("t", question, table(a=7.0, b=11.0), "ada", secret)
    assert (both.earned, both.message) == (0, "Column a: One. Column b: Other.")
    assert both.misconception == "one"
    more = judge("t", question, table(7.0, 11.0, 13.0), "ada", secret)
    assert more.message == "Column a: One. Column b: Other. Not right yet either: c."
    assert "None of the usual mistakes" in judge("t", question, table(c=9.9), "a", secret).message


def test_array_of_the_wrong_shape_is_told_its_shape():
    question = example.bank.question("q3")
    assert "has shape (4,); yours has shape (2,)" in judge("example", question, [1, 2], "a").message


def test_parameters_that_cannot_tell_two_models_apart_are_refused():
    question = number(
        "q",
        "t",
        reference=lambda x: x,
        inputs=lambda rng: {"x": 1.0},
        mistakes=[Mistake("same", lambda x: x * 1.001, "Almost.")],
    )
    with pytest.raises(ValueError, match="must tell its mistakes apart"):
        parameters("t", question, "ada")


def test_parameters_are_drawn_until_the_models_differ():
    question = number(
        "q",
        "t",
        reference=lambda x: x,
        inputs=lambda rng: {"x": float(rng.integers(0, 3))},
        mistakes=[Mistake("square", lambda x: x * x, "Not squared.")],
    )
    drawn = {parameters("t", question, f"s{n}")["x"] for n in range(20)}
    assert drawn == {2.0}


def test_the_nearest_misconception_explains_an_answer_not_the_first_in_reach():
    question = measured(
        "q",
        "t",
        columns=("x",),
        reference=lambda x: x.sum(),
        example=lambda rng: {"x": rng.random(3)},
        tolerance=0.02,
        mistakes=[
            Mistake("twice", lambda x: 2 * x.sum(), "Once."),
            Mistake("twice and more", lambda x: 2.02 * x.sum(), "Less."),
        ],
    )
    for factor, name in ((2, "twice"), (2.02, "twice and more"), (2.1, "")):
        found = judge("t", question, {"x": [1.0, 2.0], "answer": 3 * factor}, "ada")
        assert found.misconception == name


def test_too_few_measurements_are_told_how_many_it_takes():
    few = {"processors": [1], "seconds": [2.0], "answer": 1.0}
    found = judge("example", example.bank.question("q5"), few, "ada")
    assert found.message == "Measure 2 or more; these are 1."


def test_hidden_inputs_depend_on_secret_and_student_and_nothing_else():
    question = example.bank.question("q1")
    mine = cases("example", question, "ada", "a secret")
    assert mine == cases("example", question, "ada", "a secret")
    assert mine != cases("example", question, "ada", "another")
    assert mine != cases("example", question, "bob", "a secret")


def half_right(*arguments):
    if arguments[1] > 20:
        raise AnswerError("IndexError", "list index out of range")
    return example.speedup(*arguments)


def test_function_that_fails_for_some_inputs_is_told_so():
    question = example.bank.question("q1")
    secret = judge("example", question, half_right, "ada", "s")
    assert "raised an error for some valid input." in secret.message
    assert "list index out of range" in judge("example", question, half_right, "ada").message


def test_hidden_shape_is_not_told():
    question = example.bank.question("q1")

    def shaped(serial, n):
        return np.zeros((int(n), 2))

    assert "shape" in judge("example", question, shaped, "ada").message
    assert "shape" not in judge("example", question, shaped, "ada", "secret").message


def test_no_property_counts_for_wrong_values():
    def always(*arguments):
        raise AnswerError("ValueError")

    assert judge("example", example.bank.question("q1"), always, "ada", "s").earned == 0


@pytest.mark.parametrize(
    ("made", "good", "bad"),
    [
        (limit("one", (1,), 1, "h"), lambda x: x, lambda x: x + 1),
        (vectorised((np.array([1, 2]),), 1), lambda x: np.asarray(x), lambda x: 1.0),
        (monotone("up", 0, [1, 2, 3], (1,), 1, "h"), lambda x: x, lambda x: -x),
        (monotone("down", 0, [1, 2], (1,), 1, "h", rises=False), lambda x: -x, lambda x: x),
        (monotone("up", 0, [1, 2], (1,), 1, "h"), lambda x: [x], lambda x: "x"),
    ],
)
def test_property_holds_for_the_good_and_fails_for_the_bad(made, good, bad):
    assert made.holds(good, lambda x: x)
    assert not made.holds(bad, lambda x: x)


def test_refusal_must_be_a_value_error():
    made = refuses((-1,), 1, "h")

    def raising(kind):
        def ask(*arguments):
            raise AnswerError(kind)

        return ask

    assert made.holds(raising("ValueError"), None)
    assert not made.holds(raising("TypeError"), None)
    assert not made.holds(lambda x: x, None)


def one(**changes):
    made = {"reference": lambda x: x, "inputs": lambda rng: {"x": 1.0}, "answer": "f"}
    return function("q", "t", **{**made, **changes})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"points": 0}, "points must be above 0, got 0"),
        ({"tolerance": 0.7}, "tolerance must be above 0 and below 0.5, got 0.7"),
        ({"answer": "not a name"}, "answer must be a Python name, got 'not a name'"),
        ({"cases": 0}, "cases must be 1 or more, got 0"),
        ({"properties": [limit("a", (1,), 1, "h")]}, "properties must be worth less"),
        (
            {"points": 9, "properties": [limit("a", (1,), 1, "h"), limit("a", (2,), 1, "h")]},
            "question q: properties must differ from each other, got 'a' twice",
        ),
    ],
)
def test_bad_question_is_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        one(**changes)


def test_bad_bank_is_refused(tmp_path):
    with pytest.raises(ValueError, match="question ids must differ from each other, got 'q' twice"):
        Bank("t", "T", [one(), one(answer="g")])
    with pytest.raises(ValueError, match="answer names must differ"):
        Bank("t", "T", [one(), number("q2", "t", reference=abs, inputs=dict, answer="f")])
    with pytest.raises(ValueError, match="questions must be one or more"):
        Bank("t", "T", [])
    (tmp_path / "t.py").write_text("bank = 3")
    with pytest.raises(ValueError, match=r"must set bank = Bank\(...\), got int"):
        load(tmp_path / "t.py")


def test_misconception_and_property_need_words():
    with pytest.raises(ValueError, match="hint of a mistake must not be empty"):
        Mistake("a", abs, " ")
    with pytest.raises(ValueError, match="points of a property must be above 0, got 0"):
        Property("a", lambda ask, reference: True, 0, "h")
    with pytest.raises(ValueError, match="hint of property 'a' must not be empty"):
        Property("a", lambda ask, reference: True, 1, "")
    assert isinstance(one(), Question)


def test_reference_that_raises_is_not_the_students_mistake():
    question = number(
        "q1", "Broken", reference=lambda x: 1 / 0, inputs=lambda rng: {"x": rng.uniform()}
    )
    verdict = judge("broken", question, 3.0, "ada")
    assert verdict.failed
    assert verdict.message.startswith("This question could not be judged: its own check raised")
    reply = Checker("broken", "ada", Bank("broken", "Broken", [question]))("q1", 3.0)
    assert "Tell your instructor" in repr(reply)


def wait_time(lam, mu):
    if lam >= mu:
        raise ValueError("unstable")
    return 1 / (mu - lam)


def stable_or_not(rng):
    lam = rng.uniform(0.5, 0.9)
    return {"lam": lam, "mu": lam * rng.choice([0.5, 2.0])}


WAIT = function(
    "q1", "Wait", answer="wait", reference=wait_time, inputs=stable_or_not, cases=16, points=4
)


def refuse(kind="ValueError"):
    raise AnswerError(kind, "no")


REFUSING = {
    "never refuses": (lambda lam, mu: 1 / (mu - lam), functions.REFUSE),
    "answers nothing instead": (
        lambda lam, mu: wait_time(lam, mu) if lam < mu else None,
        functions.REFUSE,
    ),
    "answers in words instead": (
        lambda lam, mu: wait_time(lam, mu) if lam < mu else "unstable",
        functions.REFUSE,
    ),
    "is right nowhere": (lambda lam, mu: 2 / (mu - lam), "None of the usual mistakes"),
    "refuses and is wrong": (
        lambda lam, mu: 2.5 / (mu - lam) if lam < mu else refuse(),
        "None of the usual mistakes",
    ),
    "refuses everything": (lambda lam, mu: refuse(), "raised an error for every valid input"),
    "refuses too much": (
        lambda lam, mu: refuse() if lam >= mu or lam > 0.7 else wait_time(lam, mu),
        "raised an error for some valid input",
    ),
    "returns none of it": (lambda lam, mu: "text", "Give plain numbers"),
    "returns an array": (lambda lam, mu: np.ones(3), "None of the usual mistakes"),
}


@pytest.mark.parametrize(("answer", "said"), REFUSING.values(), ids=REFUSING)
@pytest.mark.parametrize("secret", ["secret", "another"])
def test_wrong_where_the_reference_refuses_is_wrong_and_no_failure(answer, said, secret):
    verdict = judge("waiting", WAIT, answer, "ada", secret)
    assert (verdict.earned, verdict.failed) == (0, False)
    shown = judge("waiting", WAIT, answer, "ada").message
    assert said in verdict.message or said in shown


@pytest.mark.parametrize("kind", ["ValueError", "ZeroDivisionError", "AssertionError"])
def test_who_refuses_what_the_reference_refuses_is_right(kind):
    def answer(lam, mu):
        return wait_time(lam, mu) if lam < mu else refuse(kind)

    assert judge("waiting", WAIT, answer, "ada", "secret").right


def test_a_mistake_is_known_where_the_reference_refuses():
    question = function(
        "q1",
        "Wait",
        answer="wait",
        reference=wait_time,
        inputs=stable_or_not,
        mistakes=[Mistake("any load", lambda lam, mu: 1 / abs(mu - lam), "Look.")],
    )
    verdict = judge("waiting", question, lambda lam, mu: 1 / abs(mu - lam), "ada", "secret")
    assert (verdict.misconception, verdict.earned, verdict.failed) == ("any load", 0, False)


NO_ANSWER = {
    "infinity": np.inf,
    "NaN": np.nan,
    "nothing": None,
    "a word": "unstable",
    "an array with infinity": np.array([np.inf, 1.0]),
}
"""What a reference may return, instead of raising, where there is no answer."""


def waiting_or(none):
    return lambda lam, mu: 1 / (mu - lam) if lam < mu else none


@pytest.mark.parametrize("none", NO_ANSWER.values(), ids=NO_ANSWER)
def test_a_reference_that_answers_what_nothing_equals_costs_nobody_points(none):
    """The bank is refused; where only some student's inputs lead to it, the grade stays open."""
    common = {"reference": waiting_or(none), "inputs": stable_or_not, "answer": "wait"}
    question = function("q1", "Wait", cases=16, **common)
    with pytest.raises(BankError, match="which no answer equals, for lam=.*; raise a ValueError"):
        check_models(Bank("waiting", "Waiting", [question]))
    verdict = judge("waiting", question, lambda lam, mu: plain(waiting_or(none)(lam, mu)), "ada")
    assert (verdict.earned, verdict.failed) == (0, True)


@pytest.mark.parametrize("none", NO_ANSWER.values(), ids=NO_ANSWER)
def test_parameters_for_which_the_reference_has_no_answer_are_drawn_again(none):
    question = number("q1", "Wait", reference=waiting_or(none), inputs=stable_or_not)
    for student in "abcdefgh":
        drawn = parameters("waiting", question, student)
        assert drawn["lam"] < drawn["mu"]
        assert judge("waiting", question, wait_time(**drawn), student).right


def test_a_reference_that_asserts_is_not_the_student_s_mistake():
    def asserting(lam, mu):
        assert lam < mu
        return wait_time(lam, mu)

    question = function("q1", "Wait", reference=asserting, inputs=stable_or_not, cases=16)
    assert judge("waiting", question, REFUSING["refuses and is wrong"][0], "ada", "secret").failed


@pytest.mark.parametrize("form", [tuple, list, np.array])
def test_a_reference_that_returns_several_values_is_met(form):
    """What a student's function returns arrives as plain data, so the reference is read as such."""
    question = function(
        "q1",
        "Two",
        answer="two",
        reference=lambda x: form((x, 2 * x)),
        inputs=lambda rng: {"x": rng.uniform(1, 2)},
    )
    assert judge("several", question, lambda x: plain((x, 2 * x)), "ada", "secret").right
    assert not judge("several", question, lambda x: plain((x, 3 * x)), "ada", "secret").right
