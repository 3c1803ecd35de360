"""The drawn lookups: readable at every position, and in the end the ordinary product."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.roofline.sail import operations
from perfmodel.labs.roofline.sail.lookup_product import (
    ACTIVATIONS,
    BITS,
    WEIGHTS,
    bit_lookups,
    bit_patterns,
    lookup_product,
    quantized,
    redundant_lookups,
    subset_sums,
)
from perfmodel.labs.roofline.sail.operations import operations_per_weight
from perfmodel.roofline.decoder import LLAMA_2_7B, decoding_bound
from perfmodel.roofline.model import memory_bandwidth


@pytest.mark.parametrize("position", range(BITS))
def test_every_position_can_be_read(position):
    assert bit_lookups(position).faults() == []


def test_sum_ends_at_the_product():
    product = sum(w * x for w, x in zip(WEIGHTS, ACTIVATIONS, strict=True))
    assert bit_lookups(BITS - 1).values["sum so far"] == product


# Products by lookup: exact, and counted to the last addition.


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
    assert redundant_lookups([[[1, 2, 2, 0]]]) == (0.25, 0.25)


def test_independent_bits_leave_the_expected_share_empty():
    rng = np.random.default_rng(4)
    ones = np.array([0.5, 0.3, 0.1])
    bits = rng.random((400, 120, 3)) < ones
    values = (bits * 2 ** np.arange(3)).sum(-1)
    empty, _ = redundant_lookups(bit_patterns(values, 4, 3))
    assert empty == pytest.approx(np.mean((1 - ones) ** 4), abs=0.01)


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
        ({"width": 3}, "a multiple of width 3, got 4 and 4"),
        ({"activation_bits": 3}, "vectors must be from -4 to 3, got 1 to 4"),
        ({"weights": [[1, 2]]}, "must have one length"),
        ({"weights": [[1.5, 2, 3, 4]]}, "weights must be a table of whole numbers"),
        ({"vectors": [1, 2, 3, 4]}, "vectors must be a table of whole numbers"),
    ],
)
def test_groups_shapes_and_words_must_fit(change, message):
    good = {"weights": [[1, 2, 3, 4]], "vectors": [[1, 2, 3, 4]], "width": 2, "activation_bits": 4}
    given_ = good | change
    with pytest.raises(ValueError, match=message):
        lookup_product(given_.pop("weights"), given_.pop("vectors"), **given_)


# The count of operations of SAIL's lookups and what follows from it.

ANY = st.floats(1, 1e3)


@given(width=st.integers(1, 12), batch=ANY, more=st.floats(1.01, 10), bits=st.integers(1, 16))
def test_batch_shares_the_building_and_nothing_else(width, batch, more, bits):
    low, high = (operations.operations_per_weight(width, b, bits) for b in (batch * more, batch))
    assert low <= high
    assert float(operations.operations_per_weight(width, 1e12, bits)) == pytest.approx(bits / width)


def test_groups_of_one_are_bit_serial_arithmetic():
    assert operations.operations_per_weight(1, [1, 8, 32], 8).tolist() == [8, 8, 8]


@given(batch=ANY, bits=st.integers(1, 16))
def test_no_width_beats_the_best(batch, bits):
    counts = operations.operations_per_weight(np.arange(1, 17), batch, bits)
    assert counts.min() == operations.operations_per_weight(
        operations.best_width(batch, bits), batch, bits
    )


def test_saved_lookups_are_saved_of_lookups_and_tables():
    """Groups of 4, batch 1, 8 bits: 11 additions and 8 lookups; half of the lookups are 4 of 19."""
    assert float(operations.operations_saved(0.5, 4, 1, 8)) == pytest.approx(4 / 19)
    assert float(operations.operations_saved(1, 1, 1, 8)) == 1


@pytest.mark.parametrize(
    ("batch", "counts"),
    [
        (1, (8.00, 4.50, 4.00, 4.75, 6.80, 10.83, 18.29, 31.88)),
        (8, (8.00, 4.06, 2.83, 2.34, 2.25, 2.52, 3.29, 4.86)),
        (32, (8.00, 4.02, 2.71, 2.09, 1.76, 1.63, 1.68, 1.96)),
    ],
)
def test_counts_by_hand(batch, counts):
    """Groups of 1 to 8 and 8-bit activations."""
    ours = operations.operations_per_weight(np.arange(1, 9), batch, 8)
    assert ours == pytest.approx(counts, abs=0.005)


@pytest.mark.parametrize(
    ("batch", "width", "least"), [(1, 3, 4.00), (8, 5, 2.25), (32, 6, 1.63), (128, 8, 1.24)]
)
def test_best_width_by_hand_and_counted_in_a_product(batch, width, least):
    assert operations.best_width(batch, 8) == width
    rng = np.random.default_rng(3)
    weights, vectors = rng.integers(-8, 8, (2, 120)), rng.integers(-128, 128, (batch, 120))
    product = lookup_product(weights, vectors, width=width, activation_bits=8)
    assert product.operations / (weights.size * batch) == pytest.approx(least, abs=0.005)


def test_four_bit_activations_beat_a_multiplier():
    assert float(operations.operations_per_weight(6, 32, 4)) == pytest.approx(0.964, abs=5e-4)


def test_best_width_grows_with_the_batch():
    widths = [operations.best_width(batch, 8) for batch in (1, 8, 32, 1000)]
    assert widths == sorted(widths)
    assert widths[:3] == [3, 5, 6]


@pytest.mark.parametrize(("width", "size"), [(4, 12), (6, 56)])
def test_table_by_hand_in_operations(width, size):
    """Four weights of 4 bits: 16 entries of 4 + 2 bits."""
    assert float(operations.table_bytes(width, 4)) == size


def test_memory_bounds_llama_on_a_server():
    """Llama-2-7B at 4.5 bits a weight, and a file of 3.83 GB, over eight channels of DDR4-3200."""
    size, ddr4 = LLAMA_2_7B.parameters * 4.5 / 8, memory_bandwidth(8, 3.2e9)
    assert size / 1e9 == pytest.approx(3.8, abs=0.05)
    assert float(ddr4) == 204.8e9
    assert float(decoding_bound(200e9, size)) == pytest.approx(52.8, abs=0.05)
    assert float(decoding_bound(ddr4, 3.83e9)) == pytest.approx(53.5, abs=0.05)
