"""The drawn lookups: readable at every position, and in the end the ordinary product."""

import pytest

from perfmodel.labs.roofline.sail.bit_lookups import ACTIVATIONS, BITS, WEIGHTS, bit_lookups


@pytest.mark.parametrize("position", range(BITS))
def test_every_position_can_be_read(position):
    assert bit_lookups(position).faults() == []


def test_sum_ends_at_the_product():
    product = sum(w * x for w, x in zip(WEIGHTS, ACTIVATIONS, strict=True))
    assert bit_lookups(BITS - 1).values["sum so far"] == product


def test_refuses_a_position_beyond_the_bits():
    with pytest.raises(ValueError, match="position must be below 4, got 4"):
        bit_lookups(4)
