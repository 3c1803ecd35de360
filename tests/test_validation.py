"""The argument checks: what they let through, what they refuse, and the sentence they say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel import validation
from perfmodel.validation import (
    at_least,
    at_most,
    check_shapes,
    finite,
    function,
    is_regular,
    non_negative,
    one_number,
    one_of,
    positive,
    sample,
    whole,
    whole_numbers,
    within,
)

CHECKS = {
    "finite": finite,
    "positive": positive,
    "non_negative": non_negative,
    "at_most": lambda name, value: at_most(name, value, 0.5),
    "at_least": lambda name, value: at_least(name, value, 0.5),
    "within": lambda name, value: within(name, value, 0, 1),
    "whole": whole,
    "one_number": one_number,
    "sample": sample,
}
NOT_NUMBERS = ["1", None, 1j, True, [1, [2, 3]], {}, np.array(["a"]), np.array([None])]


@pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS.keys())
class TestEveryCheck:
    @pytest.mark.parametrize("value", NOT_NUMBERS, ids=repr)
    def test_refuses_what_is_no_number(self, check, value) -> None:
        with pytest.raises(ValueError, match=r"^load must be"):
            check("load", value)

    @pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, [0.5, np.nan]], ids=repr)
    def test_refuses_nan_and_infinity(self, check, value) -> None:
        with pytest.raises(ValueError, match=r"^load must be finite, got .*(nan|inf)"):
            check("load", value)


class TestRanges:
    def test_array_passes_with_its_shape_and_as_floats(self) -> None:
        array = positive("time", np.ones((2, 3), dtype=np.int32))
        assert array.shape == (2, 3)
        assert array.dtype == np.float64

    @pytest.mark.parametrize(("check", "edge"), [(non_negative, 0), (positive, 5e-324)])
    def test_smallest_allowed(self, check, edge: float) -> None:
        assert check("time", edge) == edge

    def test_within_is_closed(self) -> None:
        assert within("share", [0, 1], 0, 1).tolist() == [0, 1]

    def test_at_least_is_closed(self) -> None:
        assert at_least("cores", 1, 1) == 1

    @pytest.mark.parametrize(
        ("call", "said"),
        [
            (lambda: positive("time", 0), "time must be above 0, got 0"),
            (lambda: positive("time", [1, -2]), r"time must be above 0, got \[1, -2\]"),
            (lambda: non_negative("time", -1e-9), "time must be 0 or more, got -1e-09"),
            (lambda: at_most("cores", 1e9, 100), "cores must be at most 100, got 1000000000.0"),
            (lambda: at_least("cores", 0.5, 1), "cores must be 1 or more, got 0.5"),
            (lambda: within("share", 1.2, 0, 1), "share must be between 0 and 1, got 1.2"),
            (lambda: within("share", -0.1, 0, 1), "share must be between 0 and 1, got -0.1"),
        ],
    )
    def test_message_names_argument_value_and_range(self, call, said: str) -> None:
        with pytest.raises(ValueError, match=f"^{said}$"):
            call()

    def test_one_bad_element_is_enough(self) -> None:
        with pytest.raises(ValueError, match="share must be between 0 and 1"):
            within("share", np.array([0.1, 0.2, 1.001]), 0, 1)

    @given(st.floats(allow_nan=False, allow_infinity=False))
    def test_within_lets_through_exactly_the_range(self, value: float) -> None:
        if -1 <= value <= 2:
            assert within("x", value, -1, 2) == value
        else:
            with pytest.raises(ValueError, match="x must be between -1 and 2"):
                within("x", value, -1, 2)


class TestWhole:
    @pytest.mark.parametrize("value", [3, 3.0, np.int64(3), np.float32(3), np.array(3)], ids=repr)
    def test_whole_values_become_int(self, value) -> None:
        result = whole("cores", value, 1)
        assert result == 3
        assert type(result) is int

    @pytest.mark.parametrize("value", [3.5, -1, 0, [3], np.True_], ids=repr)
    def test_others_are_refused(self, value) -> None:
        with pytest.raises(ValueError, match=r"^cores must be"):
            whole("cores", value, 1)

    def test_too_large_names_the_limit(self) -> None:
        assert whole("cores", 8, 1, 8) == 8
        with pytest.raises(ValueError, match="^cores must be at most 8, got 9$"):
            whole("cores", 9, 1, 8)

    @pytest.mark.parametrize("value", [1e300, 2.0**63, 10**19])
    def test_what_no_integer_of_a_machine_holds_is_refused(self, value) -> None:
        with pytest.raises(ValueError, match="^cores must be at most 9.22337203685477e\\+18, got "):
            whole("cores", value, 1)
        assert whole("cores", np.nextafter(2.0**63, 0)) == 2**63 - 1024

    def test_zero_is_whole_unless_told(self) -> None:
        assert whole("failures", 0) == 0


class TestOneNumber:
    @pytest.mark.parametrize("value", [3, np.int64(3), np.float32(3), np.array(3.0)], ids=repr)
    def test_one_number_becomes_a_float(self, value) -> None:
        result = one_number("capacity", value)
        assert result == 3
        assert type(result) is float

    @pytest.mark.parametrize("value", [[3], [], np.ones(1), [[1, 2]]], ids=repr)
    def test_arrays_are_refused(self, value) -> None:
        with pytest.raises(ValueError, match=r"^capacity must be one number, got .*\]"):
            one_number("capacity", value)

    def test_check_says_what_is_allowed(self) -> None:
        assert one_number("capacity", 0, non_negative) == 0
        with pytest.raises(ValueError, match="^capacity must be above 0, got 0$"):
            one_number("capacity", 0, positive)


class TestShapes:
    def test_what_broadcasts_passes(self) -> None:
        check_shapes(rate=2.0, mean=[1, 2], servers=np.ones((3, 1)))

    def test_names_arguments_and_shapes(self) -> None:
        said = r"^rate, mean and servers must have .* got \(2,\), \(\) and \(3, 1, 3\)$"
        with pytest.raises(ValueError, match=said):
            check_shapes(rate=[1, 2], mean=1.0, servers=np.ones((3, 1, 3)))

    def test_refuses_empty_arrays(self) -> None:
        with pytest.raises(ValueError, match=r"^mean must have one value or more, got .*\(0,\)"):
            check_shapes(rate=1.0, mean=[])

    @pytest.mark.parametrize("value", [3, [1, 2], [[1, 2], [3, 4]], "word", None], ids=repr)
    def test_rows_of_one_length(self, value) -> None:
        assert is_regular(value)
        assert not is_regular([value, [1, 2, 3]])


class TestWords:
    def test_a_word_that_is_allowed(self) -> None:
        assert one_of("order", "LCFS", ("FCFS", "LCFS")) == "LCFS"

    @pytest.mark.parametrize("value", ["SJF", None, 1, ["FCFS"], np.ones(2)], ids=repr)
    def test_others_are_refused_by_name_and_range(self, value) -> None:
        with pytest.raises(ValueError, match="^order must be one of FCFS, LCFS, got "):
            one_of("order", value, ("FCFS", "LCFS"))


class TestFunction:
    def test_a_function_comes_back(self) -> None:
        assert function("clock", abs) is abs

    def test_others_are_refused_by_name(self) -> None:
        with pytest.raises(ValueError, match="^drift must be a function of x, got None$"):
            function("drift", None, "x")


class TestSample:
    def test_list_becomes_a_vector(self) -> None:
        assert sample("times", [3, 1, 2]).tolist() == [3, 1, 2]

    @pytest.mark.parametrize(
        ("values", "shape"), [([], "0,"), ([1.0], "1,"), (5.0, ""), ([[1, 2]], "1, 2")]
    )
    def test_too_few_or_wrong_shape(self, values, shape: str) -> None:
        said = rf"times must be a one-dimensional sample of 2 or more values, got shape \({shape}\)"
        with pytest.raises(ValueError, match=said):
            sample("times", values, at_least=2)


def test_long_values_are_cut_in_the_message() -> None:
    with pytest.raises(ValueError, match="above 0") as caught:
        positive("time", -np.arange(1, 1000))
    assert len(str(caught.value)) < 120


def test_whole_numbers_keep_their_shape_and_their_bounds() -> None:
    assert whole_numbers("servers", [[1, 2.0]], 1, 2).tolist() == [[1, 2]]
    for wrong in (0, 2.5, np.nan, np.inf, "3", [1, 1.5]):
        with pytest.raises(ValueError, match="servers must be whole and 1 or more, got"):
            whole_numbers("servers", wrong, 1)
    with pytest.raises(ValueError, match="servers must be at most 2, got 3"):
        whole_numbers("servers", 3, 1, 2)


def test_every_public_check_is_tested_here() -> None:
    public = {
        name
        for name, thing in vars(validation).items()
        if callable(thing) and getattr(thing, "__module__", "") == validation.__name__
    }
    assert {name for name in public if not name.startswith("_")} == {
        *CHECKS,
        "check_shapes",
        "function",
        "is_regular",
        "one_of",
        "whole_numbers",
    }
