import tracemalloc

import numpy as np
import pytest

from perfmodel.benchmarking.counting.allocations import count_allocations


def test_same_in_20_runs():
    assert len({count_allocations(lambda: [str(i) for i in range(200)]) for _ in range(20)}) == 1


def test_an_empty_call_takes_nothing():
    result = count_allocations(lambda: None)
    assert (result.peak_bytes, result.retained_bytes, result.retained_blocks) == (0, 0, 0)


@pytest.mark.parametrize("n", [10_000, 20_000])
def test_arrays_at_the_peak_and_at_the_end(n):
    chained = count_allocations(lambda: (np.ones(n) + 1.0).sum())
    kept = count_allocations(lambda: np.ones(n))
    assert chained.peak_bytes == pytest.approx(16 * n, rel=0.02)
    assert chained.retained_bytes < 1000
    assert kept.retained_bytes == pytest.approx(8 * n, rel=0.02)
    assert kept.peak_bytes >= kept.retained_bytes


def test_blocks():
    assert count_allocations(lambda: [bytearray(100) for _ in range(50)]).retained_blocks >= 100


def test_leaves_tracing_as_it_was():
    count_allocations(list)
    assert not tracemalloc.is_tracing()
    tracemalloc.start()
    try:
        count_allocations(list)
        assert tracemalloc.is_tracing()
    finally:
        tracemalloc.stop()
