"""Working sets: the mean number of objects in a window counted directly, and LRU by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.offloading import (
    loop_trace,
    lru_hit_ratio,
    reuse_gaps,
    stack_distances,
    working_set_hit_ratio,
    zipf_trace,
)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9)), min_size=1, max_size=50))
def test_gaps_by_looking_back(steps: list[tuple[int, int]]) -> None:
    trace = [name for name, _ in steps]
    times = np.cumsum([step for _, step in steps])
    last: dict[int, int] = {}
    for name, when, gap in zip(trace, times, reuse_gaps(trace, times), strict=True):
        assert gap == (when - last[name] if name in last else np.inf)
        last[name] = when


@given(st.integers(0, 10**6), st.floats(0.05, 0.95))
def test_the_window_holds_the_objects_asked_for(seed: int, share: float) -> None:
    """rate E[min(gap, T)] = S(T), whose window the cache's size was to give."""
    trace = zipf_trace(500, 40, 0.8, seed)
    times = np.cumsum(np.random.default_rng(seed).exponential(1.0, 500))
    size = share * np.unique(trace).size
    window = float(working_set_hit_ratio(trace, times, size).window)
    rate = trace.size / (times[-1] - times[0])
    held = rate * np.minimum(reuse_gaps(trace, times), window).mean()
    assert held == pytest.approx(size, rel=1e-9)


def test_independent_references_have_lrus_hit_ratio() -> None:
    trace = zipf_trace(100_000, 500, 0.8, seed=1)
    sizes = [10, 50, 100, 250, 400]
    predicted = working_set_hit_ratio(trace, np.arange(trace.size), sizes).hit_ratio
    assert predicted == pytest.approx(lru_hit_ratio(stack_distances(trace), sizes), abs=0.01)


def test_a_loop_hits_only_once_it_fits() -> None:
    trace = loop_trace(5000, 50)
    found = working_set_hit_ratio(trace, np.arange(5000.0), [25, 48, 50, 60])
    assert found.hit_ratio == pytest.approx([0, 0, 0.99, 0.99])
    assert np.isinf(found.window[2:]).all()


@given(st.lists(st.integers(0, 6), min_size=2, max_size=60))
def test_never_above_all_but_first_uses_and_never_falling(trace: list[int]) -> None:
    sizes = np.linspace(0, 8, 17)
    found = working_set_hit_ratio(trace, range(len(trace)), sizes)
    bound = 1 - len(set(trace)) / len(trace)
    assert found.hit_ratio[0] == 0
    assert (found.hit_ratio <= bound + 1e-12).all()
    assert (np.diff(found.hit_ratio) >= -1e-12).all()
    assert found.hit_ratio[-1] == pytest.approx(bound)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0, 1], [0.0], 1), "times must not fall, one for each of 2 references"),
        (([0, 1], [1.0, 0.0], 1), "times must not fall"),
        (([0, 1], [1.0, 1.0], 1), "times must rise from first to last"),
        (([], [], 1), "trace must be a row of one or more whole numbers"),
    ],
)
def test_bad_input(arguments, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        working_set_hit_ratio(*arguments)


@given(st.integers(0, 10**6))
def test_a_gap_as_long_as_the_window_is_a_hit(seed: int) -> None:
    trace = np.random.default_rng(seed).integers(0, 6, 60)
    gaps = reuse_gaps(trace, np.arange(60.0))
    for gap in np.unique(gaps[np.isfinite(gaps)]):
        size = 60 / 59 * np.minimum(gaps, gap).mean()
        if size < np.unique(trace).size:
            found = working_set_hit_ratio(trace, np.arange(60.0), size)
            assert found.hit_ratio == pytest.approx((gaps <= gap).mean())
