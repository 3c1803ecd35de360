"""Values are compared by what they mean; slips are told only where one explains them."""

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from perfmodel.answers.closeness import agrees, close
from perfmodel.answers.slips import slip
from perfmodel.tasks.answers import complaint, short

numbers = st.floats(-1e12, 1e12).filter(lambda x: abs(x) > 1e-9)


@given(numbers, st.floats(-1, 1))
def test_numbers_agree_within_the_tolerance_and_not_beyond(right, share):
    assert agrees(right * (1 + 0.99e-3 * share), right, 1e-3)
    assert not agrees(right * (1 + np.copysign(1.1e-3 + abs(share), share)), right, 1e-3)


def test_rounding_about_zero_is_no_error():
    assert agrees(0.1 + 0.2 - 0.3, 0.0, 1e-6)
    assert agrees([1e-17, 5.0], [0.0, 5.0], 1e-6)
    assert not agrees(2e-6, 0.0, 1e-6)
    assert not agrees(2e-15, 1e-15, 1e-6)


@pytest.mark.parametrize(
    ("answer", "right", "same"),
    [
        (0.001, 0.0, True),
        (0.011, 0.0, False),
        ([0.001, 5.0], [0.0, 5.0], True),
        ([1e-8, 5e-6], [0.0, 5e-6], True),
        ([1e-7, 5e-6], [0.0, 5e-6], False),
        ([0.02, 1e6], [0.0, 1e6], False),
        (0.001, 1e-4, False),
    ],
)
def test_where_0_is_right_labs_and_the_grader_agree(answer, right, same):
    """A tolerance of 1 %: absolute, but relative to what else is asked for if that is small."""
    assert agrees(answer, right, 0.01) == same
    assert close(answer, right, 0.01) == same


def test_infinity_only_equals_itself():
    assert agrees(np.inf, np.inf, 1e-6)
    assert not agrees(1e300, np.inf, 1e-6)
    assert not agrees(np.nan, np.nan, 1e-6)


@pytest.mark.parametrize(
    ("answer", "right", "same"),
    [
        ([3.0], 3.0, True),
        ([3.0, 3.0], 3.0, False),
        (np.ones((2, 1)), np.ones((1, 2)), False),
        ("Doesn\u2019t  fit", "doesn't fit", True),
        (1.0, "1", False),
        (True, True, True),
        (1, True, False),
        (np.bool_(True), True, True),
        (True, np.bool_(True), True),
        (np.bool_(False), True, False),
        (np.array(True), True, True),
        (np.array([True, False]), [True, False], True),
        ([True, True], np.array([True, False]), False),
        (("PS", 3.0), ("ps", 3.0), True),
        (("PS", 3.1), ("ps", 3.0), False),
        ({"b": 2, "a": 1}, {"a": 1.0, "b": 2.0}, True),
        ({"a": 1}, {"a": 1, "b": 2}, False),
    ],
)
def test_kinds_of_values(answer, right, same):
    assert agrees(answer, right, 1e-6) == same


def test_a_dict_says_which_key():
    assert complaint({"a": 1.0, "b": "x"}, {"a": 1.0, "b": 2.0}) == (
        "at 'b' it is text, and a number is asked for"
    )
    assert complaint(3.0, {"a": 1.0}) == "a dict with the keys 'a' is asked for"


FACTORS = {
    8: ("bits or bytes", "bytes/s"),
    60: ("minutes or seconds", "s"),
    3600: ("hours or seconds", "1/s"),
    100: ("a percentage or a fraction", ""),
    1e3: ("prefix", ""),
    1e6: ("prefix", "W"),
    1e9: ("prefix", "bytes"),
}


@pytest.mark.parametrize("factor", FACTORS)
@given(st.lists(st.floats(1.5, 7), min_size=2, max_size=4))
def test_a_factor_in_all_cases_is_told(factor, rights):
    assume(max(rights) / min(rights) > 1.01)
    for answers, way in ((np.multiply(rights, factor), "high"), (np.divide(rights, factor), "low")):
        cause, unit = FACTORS[factor]
        said = slip(list(answers), rights, 1e-6, unit)
        assert f"too {way}" in said
        assert cause in said


@pytest.mark.parametrize(
    ("factor", "unit"),
    [(8, ""), (8, "s"), (8, "servers"), (60, "bytes"), (60, ""), (100, "W"), (3600, "points")],
)
def test_a_cause_is_told_only_of_a_unit_that_can_have_it(factor, unit):
    said = slip([factor * 1.5, factor * 2.5], [1.5, 2.5], 1e-6, unit)
    assert said == f"You are a factor of {factor:,} too high."


def test_a_factor_in_some_cases_only_is_no_slip():
    assert slip([1000.0, 2.0], [1.0, 2.0], 1e-6) == ""


def test_sign_and_reciprocal():
    assert "sign" in slip([-2.0, 3.0], [2.0, -3.0], 1e-6)
    assert "reciprocal" in slip([0.5, 0.2], [2.0, 5.0], 1e-6)
    assert slip([1 / np.sqrt(1000)], [np.sqrt(1000)], 1e-6) == "", "two slips explain it"


def test_no_slip_of_text_or_other_shapes():
    assert slip(["a"], ["b"], 1e-6) == ""
    assert slip([[1.0, 2.0]], [1.0], 1e-6) == ""
    assert slip([0.0], [0.0], 1e-6) == ""


def test_short_texts():
    assert short(np.arange(3)) == "[0, 1, 2]"
    assert short(np.zeros((2, 3))) == "an array of shape (2, 3)"
    assert short("x" * 100).endswith("...")
    assert short(np.sqrt) == "sqrt"
    assert short(1 / 3) == "0.333333"


@given(st.integers(-99, 99), st.floats(1e-12, 1e-8))
def test_what_is_near_a_whole_number_does_not_look_like_it(whole, off):
    value = whole + off
    assume(value != whole)
    assert float(short(value)) != whole
    assert short(float(whole)) == str(whole)
