import numpy as np
import pytest

from perfmodel.labs.offloading.cxl_alloc import adam
from perfmodel.labs.offloading.cxl_alloc.adam import in_expressions, states
from perfmodel.labs.offloading.cxl_alloc.tasks import BLOCK, in_blocks


@pytest.mark.parametrize("size", [1, 7, BLOCK, BLOCK + 1, 100_001])
def test_both_ways_give_the_same_weights_and_states(size):
    one, other = states(size), states(size)
    for _ in range(3):
        in_expressions(*one)
        in_blocks(*other)
    for ours, theirs in zip(one, other, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5)


def test_a_step_by_hand():
    w, m, v, g = (np.array([x], np.float32) for x in (1.0, 0.5, 0.2, 2.0))
    in_expressions(w, m, v, g)
    assert m[0] == pytest.approx(0.9 * 0.5 + 0.1 * 2)
    assert v[0] == pytest.approx(0.95 * 0.2 + 0.05 * 4)
    assert w[0] == pytest.approx(1 - 1e-4 * 0.65 / np.sqrt(0.39))


def test_the_small_number_counts_where_there_is_hardly_a_gradient():
    w, m, v, g = states(5, 1e-8)
    before, mean, square = w.copy(), 0.9 * m + 0.1 * g, 0.95 * v + 0.05 * g * g
    in_expressions(w, m, v, g)
    taken = before.astype(float) - w
    assert taken == pytest.approx(1e-4 * mean / (np.sqrt(square) + 1e-8), abs=2e-7)
    assert (np.abs(taken - 1e-4 * mean / np.sqrt(square)) > 1e-5).all()
    assert (np.abs(taken - 1e-4 * mean / np.sqrt(square + 1e-8)) > 5e-6).all()


def test_bytes_counted():
    assert adam.MUST == 28
    assert adam.MOVED == 164


def test_bad_size():
    with pytest.raises(ValueError, match="size must be a whole number, 1 or more, got 0"):
        states(0)
    with pytest.raises(ValueError, match="gradient must be above 0, got 0"):
        states(3, 0.0)
