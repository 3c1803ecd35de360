"""Hill and Marty's chips: speedups and optima by hand, Amdahl's law in them, no better design."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.scaling.laws import amdahl_speedup
from perfmodel.scaling.multicore import (
    asymmetric_speedup,
    best_asymmetric,
    best_dynamic,
    best_symmetric,
    core_performance,
    dynamic_speedup,
    symmetric_speedup,
)

SPEEDUPS = [symmetric_speedup, asymmetric_speedup, dynamic_speedup]
BESTS = [best_symmetric, best_asymmetric, best_dynamic]
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
        ((0.5, 16, 17), "core_size must be between 1 and the budget, got 17 of 16"),
    ],
)
def test_a_core_larger_than_the_chip_is_refused(speedup, arguments, message):
    with pytest.raises(ValueError, match=message):
        speedup(*arguments)


# Optima of the three equations by an independent calculation: n, f, whether core sizes are whole,
# then core size and speedup of the best chip.
OPTIMA = [
    (best_symmetric, 256, 0.5, True, 256, 16.00),
    (best_asymmetric, 256, 0.5, True, 197, 23.55),
    (best_dynamic, 256, 0.5, True, 256, 30.12),
    (best_symmetric, 256, 0.9, False, 28.4, 26.67),
    (best_asymmetric, 256, 0.9, True, 118, 65.57),
    (best_dynamic, 256, 0.9, True, 256, 102.40),
    (best_symmetric, 256, 0.975, False, 6.6, 51.24),
    (best_symmetric, 256, 0.975, True, 7, 51.21),
    (best_asymmetric, 256, 0.975, True, 66, 125.02),
    (best_dynamic, 256, 0.975, True, 256, 186.18),
    (best_symmetric, 256, 0.99, False, 2.6, 80.40),
    (best_symmetric, 256, 0.99, True, 3, 80.18),
    (best_asymmetric, 256, 0.99, True, 41, 165.75),
    (best_dynamic, 256, 0.99, True, 256, 222.61),
    (best_symmetric, 256, 0.999, True, 1, 203.98),
    (best_asymmetric, 256, 0.999, True, 11, 231.24),
    (best_dynamic, 256, 0.999, True, 256, 252.22),
    (best_symmetric, 16, 0.9, False, 1.8, 6.67),
    (best_asymmetric, 16, 0.9, False, 5.3, 8.88),
    (best_dynamic, 16, 0.9, True, 16, 12.31),
    (best_symmetric, 64, 0.9, False, 7.1, 13.33),
    (best_asymmetric, 64, 0.9, False, 24.6, 24.72),
    (best_dynamic, 64, 0.9, True, 64, 37.65),
]


@pytest.mark.parametrize(("best", "n", "f", "whole", "size", "speedup"), OPTIMA)
def test_optima_worked_out_independently(best, n, f, whole, size, speedup):
    design = best(f, n, integer=whole)
    assert design.speedup == pytest.approx(speedup, abs=0.005)
    assert design.core_size == (size if whole else pytest.approx(size, abs=0.05))


@pytest.mark.parametrize(("best", "speedup"), list(zip(BESTS, SPEEDUPS, strict=True)))
@given(f=st.floats(0, 1), n=st.integers(1, 300))
def test_no_design_beats_the_best(best, speedup, f, n):
    every = speedup(f, n, np.arange(1, n + 1))
    whole, real = best(f, n), best(f, n, integer=False)
    assert whole.speedup == every.max()
    assert speedup(f, n, whole.core_size) == whole.speedup
    fine = speedup(f, n, np.linspace(1, n, 5000)).max()
    assert real.speedup >= max(whole.speedup, fine) * (1 - 1e-7)
    assert speedup(f, n, real.core_size) == pytest.approx(real.speedup)


def test_symmetric_optimum_in_closed_form():
    # d/dr of (1-f) r^-0.5 + f r^0.5 / n is 0 at r = (1-f) n / f
    assert best_symmetric(0.9, 256, integer=False).core_size == pytest.approx(256 / 9, rel=1e-6)


def test_dynamic_fuses_the_whole_chip():
    assert best_dynamic([0.5, 0.99], [[16], [256]]).core_size.tolist() == [[16, 16], [256, 256]]


def test_linear_performance_makes_one_big_core_best():
    best = best_asymmetric(0.5, 64, performance=lambda r: r)
    assert best == (64, 64)


def test_broadcasts():
    best = best_asymmetric([0.5, 0.9, 0.99], [[16], [256]])
    assert best.speedup.shape == (2, 3)
    assert best.speedup[1, 0] == best_asymmetric(0.5, 256).speedup
    assert best.speedup[0, 2] == best_asymmetric(0.99, 16).speedup
