"""Efficiency by hand; isoefficiency against closed forms, the definition, what cannot be had."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.scaling.efficiency import (
    isoefficiency,
    strong_scaling_efficiency,
    weak_scaling_efficiency,
)
from perfmodel.scaling.laws import amdahl_speedup


class TestScalingEfficiency:
    def test_strong_by_hand(self):
        assert strong_scaling_efficiency([10, 6], [1, 2]) == pytest.approx([1, 10 / 12])

    def test_strong_of_amdahl_is_speedup_a_processor(self):
        p = np.array([1, 2, 4, 8])
        times = 30 / amdahl_speedup(0.1, p)
        assert strong_scaling_efficiency(times, p) == pytest.approx(amdahl_speedup(0.1, p) / p)

    def test_baseline_is_stated_and_need_not_be_one_processor(self):
        ours = strong_scaling_efficiency([6, 4, 2], [2, 4, 8], baseline=1)
        assert ours == pytest.approx([16 / 12, 1, 1])

    def test_rows_have_their_own_baseline(self):
        assert weak_scaling_efficiency([[4, 8], [3, 4]]) == pytest.approx(
            np.array([[1, 0.5], [1, 0.75]])
        )

    def test_weak_of_gustafson(self):
        # Fixed time when work grows as p: efficiency 1 whatever the serial fraction.
        assert weak_scaling_efficiency([7.0, 7.0, 7.0]) == pytest.approx([1, 1, 1])
        assert weak_scaling_efficiency([4, 5, 8], baseline=-1) == pytest.approx([2, 1.6, 1])

    @pytest.mark.parametrize("times", [[1.0, 2.0], []])
    def test_refuses_a_baseline_that_is_not_there(self, times):
        with pytest.raises(ValueError, match=r"baseline must name one of the \d runs in times"):
            weak_scaling_efficiency(times, baseline=2)


def adding(work: float, p: float) -> float:
    """T_o of adding numbers on a hypercube (Grama, Gupta & Kumar 1993)."""
    return 2 * p * np.log2(p)


def test_adding_numbers_by_hand():
    # E = 0.8 needs W = 4 T_o: 64 on 4 processors, 512 on 16
    assert isoefficiency(0.8, 4, adding) == pytest.approx(64)
    assert isoefficiency([[0.8], [0.5]], [4, 16], adding) == pytest.approx(
        np.array([[64, 512], [16, 128]])
    )


def test_overhead_that_grows_with_work():
    # T_o = p W^0.5: sqrt(W) = K p, so W = K^2 p^2
    assert isoefficiency(0.75, 10, lambda w, p: p * np.sqrt(w)) == pytest.approx(900)


@given(st.floats(0.05, 0.95), st.integers(2, 500), st.floats(0, 0.9))
def test_efficiency_at_the_solution(target, p, power):
    def overhead(work, p):
        return p * work**power

    work = isoefficiency(target, p, overhead, work_range=(1e-6, 1e60))
    assert work / (work + overhead(work, p)) == pytest.approx(target, rel=1e-6)


def test_first_crossing_is_the_one_returned():
    # E = 0.5 holds where W = T_o: W^2/100 - W + 9 = 0 at W = 10 and again at W = 90
    assert isoefficiency(0.5, 2, lambda w, p: w**2 / 100 + 9) == pytest.approx(10)


def test_smallest_problem_may_do():
    assert isoefficiency(0.9, 1, adding, work_range=(3.0, 10.0)) == 3.0


def test_unattainable_says_how_far_it_gets():
    message = r"efficiency 0\.8 is not attained on 4 processors by any work up to 1e\+15, .*0\.5"
    with pytest.raises(ValueError, match=message):
        isoefficiency(0.8, 4, lambda w, p: w)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"work_range": (5.0, 2.0)}, "work_range must rise from smallest to largest"),
    ],
)
def test_a_range_that_falls_is_refused(changed, message):
    arguments = {"efficiency": 0.8, "processors": 4, "overhead": adding} | changed
    with pytest.raises(ValueError, match=message):
        isoefficiency(**arguments)
