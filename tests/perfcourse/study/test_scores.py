import dataclasses
import math

import pytest
from hypothesis import given, strategies as st
from test_exports import ANSWER

from perfcourse.study.exports import ExportError
from perfcourse.study.scores import log_error, students

POSITIVE = st.floats(1e-3, 1e3)


def answer(student, phase, page="a", **changes):
    place = {"student": student, "phase": phase, "page": page, "box": f"{page}-1"}
    return dataclasses.replace(ANSWER, **{**place, **changes})


class TestLogError:
    @given(POSITIVE, POSITIVE, st.floats(1.5, 1e4))
    def test_is_the_same_for_too_high_and_too_low_and_in_any_unit(self, guess, truth, cap):
        error = log_error(guess, truth, cap)
        assert error == pytest.approx(log_error(truth, guess, cap), abs=1e-12)
        assert error == pytest.approx(log_error(1000 * guess, 1000 * truth, cap), abs=1e-9)
        assert 0 <= error <= math.log(cap)

    @pytest.mark.parametrize("guess", [0.0, -10.0, 1e9])
    def test_nobody_drops_out_for_the_worst_of_answers(self, guess):
        assert log_error(guess, 10.0) == math.log(100)

    def test_of_two_negative_numbers(self):
        assert log_error(-20, -10) == pytest.approx(math.log(2))

    def test_what_has_none_is_refused(self):
        with pytest.raises(ValueError, match="truth must not be 0"):
            log_error(1, 0)
        with pytest.raises(ValueError, match="cap must be above 1, got 1"):
            log_error(1, 1, 1)


class TestStudents:
    def test_means_of_each_phase(self):
        sheet = [
            answer("ada", "before", prediction=5.0, confidence=0.5),
            answer("ada", "before", box="a-2", prediction=2.5, right=True, confidence=None),
            answer("ada", "after", "b", prediction=2.5, right=True, confidence=0.9),
        ]
        (row,) = students({"class": sheet})
        assert row.before == pytest.approx((math.log(2) / 2, 0.5, 0.5))
        assert row.after == pytest.approx((0, 0, -0.1))
        assert row.fall(0) == pytest.approx(math.log(2) / 2)
        assert row.answers == (2, 1)

    def test_skipped_prompts_and_choices_have_no_log_error(self):
        sheet = [
            answer("ada", "before", right=None, prediction=None),
            answer("ada", "after", "b", prediction=None, truth=None, right=True),
            answer("ada", "after", "c", truth=0.0),
        ]
        (row,) = students({"class": sheet})
        assert math.isnan(row.before[0])
        assert math.isnan(row.after[0])
        assert math.isnan(row.before[1])
        assert row.after[1] == 0.5

    def test_orders_are_told_apart_only_where_pages_are_crossed(self):
        one = [answer("ada", "before", "a"), answer("ada", "after", "b")]
        same = [answer("ben", "before", "a"), answer("ben", "after", "b")]
        other = [answer("cleo", "before", "b"), answer("cleo", "after", "a")]
        assert {row.order for row in students({"x": one + same})} == {""}
        orders = {row.name: row.order for row in students({"x": one + same + other})}
        assert orders == {"ada": "a", "ben": "a", "cleo": "b"}

    def test_who_came_only_after_had_the_other_page_first(self):
        one = [answer("ada", "before", "a"), answer("ada", "after", "b")]
        other = [answer("cleo", "before", "b"), answer("cleo", "after", "a")]
        late = [answer("dan", "after", "a")]
        orders = {row.name: row.order for row in students({"x": one + other + late})}
        assert orders["dan"] == "b"

    def test_an_id_in_two_groups_is_refused(self):
        with pytest.raises(ExportError, match="'ada' is in both 'x' and 'y'"):
            students({"x": [answer("ada", "before")], "y": [answer("ada", "after")]})
