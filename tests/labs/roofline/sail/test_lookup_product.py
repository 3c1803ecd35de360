"""Products by lookup: exact, and counted to the last addition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.roofline.sail.lookup_product import (
    bit_patterns,
    expected_empty_share,
    lookup_product,
    needless_share,
    quantized,
    subset_sums,
)
from perfmodel.labs.roofline.sail.operations import operations_per_weight


def drawn(seed, rows, batch, length, weight_bits, activation_bits):
    rng = np.random.default_rng(seed)
    half, top = 2 ** (weight_bits - 1), 2 ** (activation_bits - 1)
    return rng.integers(-half, half, (rows, length)), rng.integers(-top, top, (batch, length))


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 99),
    rows=st.integers(1, 4),
    batch=st.integers(1, 4),
    groups=st.integers(1, 4),
    width=st.integers(1, 8),
    weight_bits=st.integers(2, 8),
    activation_bits=st.integers(1, 8),
)
def test_is_the_product_and_costs_what_the_formula_says(
    seed, rows, batch, groups, width, weight_bits, activation_bits
):
    length = groups * width
    weights, vectors = drawn(seed, rows, batch, length, weight_bits, activation_bits)
    product = lookup_product(weights, vectors, width=width, activation_bits=activation_bits)
    np.testing.assert_array_equal(product.values, vectors @ weights.T)
    cost = operations_per_weight(width, batch, activation_bits)
    assert product.operations == round(float(cost) * rows * length * batch)


def test_extremes_of_twos_complement():
    vectors = np.array([[-128, 127, -1, 0]])
    product = lookup_product([[7, -8, 5, 3]], vectors, width=2, activation_bits=8)
    assert product.values.tolist() == [[-128 * 7 - 127 * 8 - 5]]


def test_table_by_hand():
    table, additions = subset_sums([1, 10, 100])
    assert table.tolist() == [0, 1, 10, 11, 100, 101, 110, 111]
    assert additions == 4
    assert subset_sums([1, 2, 3, 4])[1] == 11


@pytest.mark.parametrize("weight_bits", range(2, 9))
@pytest.mark.parametrize("width", range(1, 9))
def test_any_precision_is_exact(weight_bits, width):
    weights, vectors = drawn(3, 2, 2, 840, weight_bits, 8)
    product = lookup_product(weights, vectors, width=width, activation_bits=8)
    np.testing.assert_array_equal(product.values, vectors @ weights.T)


def test_pattern_by_hand():
    """Numbers 1 and -2 of 3 bits are 001 and 110: lowest position reads entry 1, then 2, 2."""
    assert bit_patterns(np.array([[1, -2]]), 2, 3).tolist() == [[[1, 2, 2]]]
    assert needless_share([[[1, 2, 2, 0]]]) == (0.25, 0.25)


def test_independent_bits_leave_the_expected_share_empty():
    rng = np.random.default_rng(4)
    ones = np.array([0.5, 0.3, 0.1])
    bits = rng.random((400, 120, 3)) < ones
    values = (bits * 2 ** np.arange(3)).sum(-1)
    empty, _ = needless_share(bit_patterns(values, 4, 3))
    assert empty == pytest.approx(expected_empty_share(ones, 4), abs=0.01)


@given(bits=st.integers(2, 12), seed=st.integers(0, 99))
def test_quantizing_rounds_to_half_a_step(bits, seed):
    values = np.random.default_rng(seed).normal(size=50)
    whole, scale = quantized(values, bits)
    assert np.abs(whole).max() == 2 ** (bits - 1) - 1
    assert np.abs(whole * scale - values).max() <= scale / 2 * (1 + 1e-9)


def test_quantizing_zeros_gives_zeros():
    assert quantized([0.0, 0.0], 8)[0].tolist() == [0, 0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"width": 0}, "width must be from 1 to 16, got 0"),
        ({"width": 17}, "width must be from 1 to 16, got 17"),
        ({"width": 3}, "a multiple of width 3, got 4 and 4"),
        ({"activation_bits": 0}, "activation_bits must be from 1 to 16"),
        ({"activation_bits": 3}, "vectors must be from -4 to 3, got 1 to 4"),
        ({"weights": [[1, 2]]}, "must have one length"),
        ({"weights": [[1.5, 2, 3, 4]]}, "weights must be a table of whole numbers"),
        ({"vectors": [[1, np.nan, 3, 4]]}, "vectors must be finite"),
        ({"vectors": [1, 2, 3, 4]}, "vectors must be a table of whole numbers"),
    ],
)
def test_bad_input(change, message):
    good = {"weights": [[1, 2, 3, 4]], "vectors": [[1, 2, 3, 4]], "width": 2, "activation_bits": 4}
    given_ = good | change
    with pytest.raises(ValueError, match=message):
        lookup_product(given_.pop("weights"), given_.pop("vectors"), **given_)
