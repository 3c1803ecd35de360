"""Hill and Marty's chips: the paper's numbers, the order of the designs, and their optima."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfmodel.scaling.laws import amdahl_speedup
from perfmodel.scaling.multicore import (
    asymmetric_speedup,
    best_asymmetric,
    best_dynamic,
    best_symmetric,
    claims,
    core_performance,
    dynamic_speedup,
    symmetric_speedup,
)

SPEEDUPS = [symmetric_speedup, asymmetric_speedup, dynamic_speedup]
BESTS = [best_symmetric, best_asymmetric, best_dynamic]
chips = st.tuples(st.floats(0, 1), st.integers(1, 1024), st.floats(0, 1)).map(
    lambda drawn: (drawn[0], drawn[1], 1 + drawn[2] * (drawn[1] - 1))
)


@pytest.mark.parametrize("claim", claims(), ids=lambda claim: claim.quantity)
def test_ledger(claim):
    assert claim.check().met


def test_ledger_tolerances_are_half_a_printed_digit():
    by_name = {claim.quantity: claim for claim in claims()}
    best = by_name["best speedup, dynamic chip, n = 256, f = 0.9, whole r"]
    assert best.tolerance * best.published == pytest.approx(0.05)
    assert best.derived
    whole_size = by_name["best core size, asymmetric chip, n = 256, f = 0.5, whole r"]
    assert whole_size.tolerance == 0
    assert all(claim.tolerance < 0.04 for claim in claims())


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


@pytest.mark.parametrize("best", BESTS)
def test_best_refuses_bad_input(best):
    with pytest.raises(ValueError, match="budget must be 1 or more, got 0"):
        best(0.5, 0)
    with pytest.raises(ValueError, match="parallel_fraction must be between 0 and 1, got 2"):
        best(2, 16)
