"""Cells in NumPy: what they compute, and that the clock is read cell by cell."""

import numpy as np
import pytest
from scipy import ndimage

from perfmodel.prediction.architectures import cell_timing
from perfmodel.prediction.architectures.cell_timing import latencies_here, run, tensor


def test_paths_are_summed():
    images = tensor(3, 5)
    assert run([1, 0, 0, 1, 1, 0], images) == pytest.approx(2 * images)
    assert run([1, 1, 1, 1, 1, 1], images) == pytest.approx(4 * images)
    assert (run([1, 1, 1, 0, 0, 0], images) == 0).all()


def test_pool_is_the_mean_of_nine():
    images = tensor(2, 6)
    expected = ndimage.uniform_filter(images, size=(1, 3, 3), mode="constant")
    assert run([0, 0, 0, 4, 0, 0], images) == pytest.approx(expected)


def test_convolution_adds_up_its_nine_products():
    images = np.zeros((2, 5, 5))
    images[0, 2, 2] = 1.0
    result = run([0, 0, 0, 3, 0, 0], images)
    assert (result[:, 1:4, 1:4] != 0).all()
    result[:, 1:4, 1:4] = 0
    assert (result == 0).all()
    one = run([0, 0, 0, 2, 0, 0], images)
    assert one[0, 2, 2] == pytest.approx(0.5)
    assert np.count_nonzero(one) == 2


def test_fastest_of_shuffled_rounds():
    # Readings 0, 9, 9, 12, ... us: runs take 9, 3, 4 and 8 us, two a round.
    readings = iter(1000 * np.cumsum([0, 9, 0, 3, 0, 4, 0, 8]))
    result = latencies_here([[0] * 6, [1] * 6], tensor(1, 1), 2, lambda: int(next(readings)))
    orders = [np.random.default_rng(seed).permutation(2).tolist() for seed in (0, 1)]
    expected = [
        min((9, 3)[orders[0].index(cell)], (4, 8)[orders[1].index(cell)]) for cell in (0, 1)
    ]
    assert result == pytest.approx(1e-6 * np.array(expected))


def test_a_cell_of_other_operations_is_refused():
    with pytest.raises(ValueError, match="cell must be six numbers from 0 to 4"):
        run([5, 0, 0, 0, 0, 0], tensor(1, 1))
    assert cell_timing.tensor(2, 3).shape == (2, 3, 3)
