"""The count of operations of SAIL's lookups and what follows from it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.roofline.sail import operations
from perfmodel.labs.roofline.sail.lookup_product import lookup_product
from perfmodel.roofline.decoder import LLAMA_2_7B, decoding_bound
from perfmodel.roofline.model import memory_bandwidth

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


@given(width=st.integers(2, 16), bits=st.integers(1, 15))
def test_at_the_break_even_batch_lookups_equal_a_multiplier(width, bits):
    batch = float(operations.break_even_batch(width, bits))
    if width <= bits:
        assert batch == np.inf
        assert operations.operations_per_weight(width, 1e12, bits) >= 1
    elif batch >= 1:
        assert float(operations.operations_per_weight(width, batch, bits)) == pytest.approx(1)


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


@pytest.mark.parametrize(("width", "bits", "batch"), [(6, 4, 28.5), (9, 8, 502)])
def test_break_even_batch_by_hand(width, bits, batch):
    assert float(operations.break_even_batch(width, bits)) == batch


def test_best_width_grows_with_the_batch():
    widths = [operations.best_width(batch, 8) for batch in (1, 8, 32, 1000)]
    assert widths == sorted(widths)
    assert widths[:3] == [3, 5, 6]


@pytest.mark.parametrize(("width", "size"), [(4, 12), (6, 56)])
def test_table_by_hand(width, size):
    """Four weights of 4 bits: 16 entries of 4 + 2 bits."""
    assert float(operations.table_bytes(width, 4)) == size


def test_memory_bounds_llama_on_a_server():
    """Llama-2-7B at 4.5 bits a weight, and a file of 3.83 GB, over eight channels of DDR4-3200."""
    size, ddr4 = LLAMA_2_7B.parameters * 4.5 / 8, memory_bandwidth(8, 3.2e9)
    assert size / 1e9 == pytest.approx(3.8, abs=0.05)
    assert float(ddr4) == 204.8e9
    assert float(decoding_bound(200e9, size)) == pytest.approx(52.8, abs=0.05)
    assert float(decoding_bound(ddr4, 3.83e9)) == pytest.approx(53.5, abs=0.05)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: operations.operations_per_weight(0, 1, 8), "width must be 1 or more, got 0"),
        (lambda: operations.operations_per_weight(4, 0.5, 8), "batch must be 1 or more, got 0.5"),
        (lambda: operations.operations_per_weight(4, 1, np.nan), "activation_bits must be finite"),
        (lambda: operations.break_even_batch(0, 8), "width must be 1 or more, got 0"),
        (lambda: operations.operations_saved(1.5, 4, 1, 8), "repeated must be"),
        (lambda: operations.table_bytes(4, 0), "weight_bits must be 1 or more"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
