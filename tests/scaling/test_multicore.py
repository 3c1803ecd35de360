"""The best of Hill and Marty's chips: the paper's numbers, and optima that no design beats."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfmodel.scaling.multicore import best_asymmetric, best_dynamic, best_symmetric, claims
from perfmodel.scaling.multicore_speedup import (
    asymmetric_speedup,
    dynamic_speedup,
    symmetric_speedup,
)

SPEEDUPS = [symmetric_speedup, asymmetric_speedup, dynamic_speedup]
BESTS = [best_symmetric, best_asymmetric, best_dynamic]


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


@pytest.mark.parametrize("best", BESTS)
def test_best_refuses_bad_input(best):
    with pytest.raises(ValueError, match="budget must be 1 or more, got 0"):
        best(0.5, 0)
    with pytest.raises(ValueError, match="parallel_fraction must be between 0 and 1, got 2"):
        best(2, 16)
