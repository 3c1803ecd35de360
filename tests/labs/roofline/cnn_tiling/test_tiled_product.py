"""The tiled product is the product; its counts have their limits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.roofline.cnn_tiling.tiled_product import loop_starts, product, words


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 12), *[st.integers(1, 15)] * 3)
def test_equals_the_product(n, ti, tj, tk) -> None:
    rng = np.random.default_rng(n)
    left, right = rng.normal(size=(2, n, n))
    assert product(left, right, ti, tj, tk) == pytest.approx(left @ right, rel=1e-9, abs=1e-12)


def test_one_tile_moves_each_matrix_once() -> None:
    assert words(10, 10, 10, 10) == 4 * 10**2
    assert words(10, 1, 1, 1) == 4 * 10**3


def test_loops_of_the_inner_columns() -> None:
    assert loop_starts(8, 2, [1, 4, 8], 2).tolist() == [512, 128, 64]


def test_bad_input() -> None:
    with pytest.raises(ValueError, match=r"square and alike, got \(2, 3\) and \(2, 3\)"):
        product(np.ones((2, 3)), np.ones((2, 3)), 1, 1, 1)
    with pytest.raises(ValueError, match="tj must be a whole number, 1 or more, got 0"):
        product(np.ones((2, 2)), np.ones((2, 2)), 1, 0, 1)
    with pytest.raises(ValueError, match="tk must be above 0, got 0"):
        words(4, 1, 1, 0)
