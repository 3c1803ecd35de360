"""The count of operations of SAIL's lookups and what follows from it."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfmodel.labs.roofline.sail import operations

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


def test_only_what_the_count_cannot_tell_is_missed():
    results = [claim.check() for claim in operations.claims()]
    missed = [found.claim.quantity for found in results if not found.met]
    assert missed == ["speed over a processor, from the operation count alone"]
    assert all(bool(found.claim.miss) != found.met for found in results)


def test_a_wrong_product_would_be_seen(monkeypatch):
    right = operations.lookup_product

    def off_by_one(*args, **options):
        return dataclasses.replace(found := right(*args, **options), values=found.values + 1)

    monkeypatch.setattr(operations, "lookup_product", off_by_one)
    claim = next(c for c in operations.claims() if c.quantity.startswith("products by lookup"))
    assert not claim.check().met


def test_best_width_grows_with_the_batch():
    widths = [operations.best_width(batch, 8) for batch in (1, 8, 32, 1000)]
    assert widths == sorted(widths)
    assert widths[:3] == [3, 5, 6]


def test_table_by_hand():
    """Four weights of 4 bits: 16 entries of 4 + 2 bits."""
    assert float(operations.table_bytes(4, 4)) == 12


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
