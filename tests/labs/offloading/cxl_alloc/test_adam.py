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


def test_bytes_counted():
    assert adam.MUST == 28
    assert adam.MOVED == 164


def test_bad_size():
    with pytest.raises(ValueError, match="size must be a whole number, 1 or more, got 0"):
        states(0)
