"""Hill and Marty's chips: speedups by hand, the order of the designs, and Amdahl's law in them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfmodel.scaling.laws import amdahl_speedup
from perfmodel.scaling.multicore_speedup import (
    asymmetric_speedup,
    core_performance,
    dynamic_speedup,
    symmetric_speedup,
)

SPEEDUPS = [symmetric_speedup, asymmetric_speedup, dynamic_speedup]
chips = st.tuples(st.floats(0, 1), st.integers(1, 1024), st.floats(0, 1)).map(
    lambda drawn: (drawn[0], drawn[1], 1 + drawn[2] * (drawn[1] - 1))
)


def test_hand_values():
    # f = 0.9, n = 64, r = 16: perf 4
    assert symmetric_speedup(0.9, 64, 16) == pytest.approx(1 / (0.1 / 4 + 0.9 / 16))
    assert asymmetric_speedup(0.9, 64, 16) == pytest.approx(1 / (0.1 / 4 + 0.9 / 52))
    assert dynamic_speedup(0.9, 64, 16) == pytest.approx(1 / (0.1 / 4 + 0.9 / 64))
    assert core_performance(49) == 7


@pytest.mark.parametrize("speedup", SPEEDUPS)
@given(f=st.floats(0, 1), n=st.integers(1, 1024))
def test_base_cores_are_amdahl(speedup, f, n):
    assert speedup(f, n, 1) == pytest.approx(amdahl_speedup(1 - f, n))


@pytest.mark.parametrize("speedup", SPEEDUPS)
def test_serial_code_runs_at_the_core_s_speed(speedup):
    assert speedup(0, 64, [4, 25]) == pytest.approx([2, 5])


@given(chips)
def test_asymmetric_beats_symmetric_and_dynamic_beats_both(chip):
    slack = 1 + 1e-12
    assert symmetric_speedup(*chip) <= asymmetric_speedup(*chip) * slack
    assert asymmetric_speedup(*chip) <= dynamic_speedup(*chip) * slack


@pytest.mark.parametrize("speedup", SPEEDUPS)
@given(chip=chips)
def test_faster_cores_never_hurt(speedup, chip):
    assert speedup(*chip, performance=lambda r: r**0.6) >= speedup(*chip) * (1 - 1e-12)


@pytest.mark.parametrize("speedup", SPEEDUPS)
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1.2, 16, 1), "parallel_fraction must be between 0 and 1, got 1.2"),
        ((np.nan, 16, 1), "parallel_fraction must be finite, got nan"),
        ((0.5, 0, 1), "budget must be 1 or more, got 0"),
        ((0.5, 16, 0.5), "core_size must be 1 or more, got 0.5"),
        ((0.5, 16, 17), "core_size must be between 1 and the budget, got 17 of 16"),
        ((0.5, 16, 4, lambda r: -r), "performance must be above 0"),
    ],
)
def test_bad_input(speedup, arguments, message):
    with pytest.raises(ValueError, match=message):
        speedup(*arguments)
