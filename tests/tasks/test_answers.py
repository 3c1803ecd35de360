"""Values are compared by what they mean; slips are told only where one explains them."""

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from perfmodel.tasks.answers import agrees, complaint, short, slip

numbers = st.floats(-1e12, 1e12).filter(lambda x: abs(x) > 1e-9)


@given(numbers, st.floats(-1, 1))
def test_numbers_agree_within_the_tolerance_and_not_beyond(right, share):
    assert agrees(right * (1 + 0.99e-3 * share), right, 1e-3)
    assert not agrees(right * (1 + np.copysign(1.1e-3 + abs(share), share)), right, 1e-3)


def test_rounding_about_zero_is_no_error():
    assert agrees(0.1 + 0.2 - 0.3, 0.0, 1e-6)
    assert agrees([1e-17, 5.0], [0.0, 5.0], 1e-6)
    assert not agrees(1e-9, 0.0, 1e-6)
    assert not agrees(2e-15, 1e-15, 1e-6)


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
    8: "bits or bytes",
    60: "minutes or seconds",
    100: "a percentage or a fraction",
    1e3: "prefix",
    1e6: "prefix",
    1e9: "prefix",
}


@pytest.mark.parametrize("factor", FACTORS)
@given(st.lists(st.floats(1.5, 7), min_size=2, max_size=4))
def test_a_factor_in_all_cases_is_told(factor, rights):
    assume(max(rights) / min(rights) > 1.01)
    for answers, way in ((np.multiply(rights, factor), "high"), (np.divide(rights, factor), "low")):
        said = slip(list(answers), rights, 1e-6)
        assert f"too {way}" in said
        assert FACTORS[factor] in said


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
