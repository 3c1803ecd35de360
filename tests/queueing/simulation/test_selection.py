"""Order statistics and counts: the same from buckets in machine code as from sorting."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

from perfmodel.engine import object_files
from perfmodel.queueing.simulation import selection
from perfmodel.queueing.simulation.selection import Ordered, scan

LEVELS = np.array([0.0, 0.1, 1.0, 7.5])


@pytest.fixture(scope="module", autouse=True)
def machine_code():
    object_files.loaded(scan)


def both(values, monkeypatch):
    monkeypatch.setattr(selection, "LONG", 1)
    bucketed = Ordered(values)
    monkeypatch.setattr(selection, "LONG", values.size + 1)
    return bucketed, Ordered(values)


def check(values, monkeypatch):
    bucketed, ordered = both(values, monkeypatch)
    ranks = np.arange(values.size)
    assert np.array_equal(bucketed.at(ranks), np.sort(values))
    picked = ranks[:: -max(1, values.size // 7)]
    assert np.array_equal(bucketed.at(picked), ordered.at(picked))
    bounds = np.array([0, values.size // 3, values.size // 3, values.size])
    assert np.array_equal(bucketed.below(bounds, LEVELS), ordered.below(bounds, LEVELS))


times = st.one_of(st.floats(0, 1e300), st.sampled_from([0.0, -0.0, 0.1, 1.0, 5e-324, np.inf]))


@given(values=arrays(np.float64, st.integers(1, 60), elements=times))
def test_buckets_hold_what_sorting_finds(values):
    with pytest.MonkeyPatch.context() as patch:
        check(values, patch)


@pytest.mark.parametrize("shape", [0.3, 1.1, 4.0])
def test_a_long_heavy_tailed_series(shape, monkeypatch):
    check(np.random.default_rng(3).pareto(shape, 30_001), monkeypatch)


def test_negative_values_are_sorted():
    values = np.linspace(1, -1, selection.LONG + 1)
    assert Ordered(values).at(np.array([0, 1])).tolist() == [-1.0, values[-2]]


def test_counts_by_row_are_those_of_a_loop(monkeypatch):
    values = np.array([3.0, 0.1, 0.2, 9.0, 1.0])
    for series in both(values, monkeypatch):
        counted = series.below(np.array([0, 2, 5]), LEVELS)
        assert counted.tolist() == [[0, 1, 1, 2], [0, 0, 2, 2]]
