"""Units of which all times are whole multiples: found in any unit, and not found by chance."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.lattice import in_units, lattice_span


@given(
    st.lists(st.integers(0, 1000), min_size=1, max_size=30).filter(any),
    st.floats(1e-9, 1e9),
)
def test_multiples_are_found_whatever_the_unit(counts, unit):
    times = np.array(counts) * unit
    span = lattice_span(times)
    found = in_units(times, span)
    assert found * np.gcd.reduce(counts) == pytest.approx(np.array(counts), abs=1e-6)
    assert (found == np.rint(found)).all()


def test_a_unit_below_the_least_time():
    assert lattice_span(0.2, [0.3, 0.5]) == pytest.approx(0.1)


def test_sums_that_rounding_has_moved():
    assert lattice_span(np.cumsum(np.full(1000, 0.1))) == pytest.approx(0.1)


@given(st.integers(0, 1000))
def test_random_times_have_none(seed):
    assert lattice_span(np.random.default_rng(seed).exponential(size=5)) is None


def test_a_random_time_behind_many_others():
    assert lattice_span(np.append(np.arange(1, 500), np.pi)) is None


@pytest.mark.parametrize("times", [(1e-313, 1.0), (1.0, 1e308), (1e-200, 1e200)])
def test_times_too_far_apart_have_none(times):
    assert lattice_span(times) is None


def test_nothing_but_moments_at_0():
    assert lattice_span([0.0, 0.0], 0.0) == 1.0


def test_without_a_unit_times_stay():
    assert in_units([0.1, np.pi], None).tolist() == [0.1, np.pi]
