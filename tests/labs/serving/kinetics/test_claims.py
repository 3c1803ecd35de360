import numpy as np
import pytest

from perfmodel.labs.serving.kinetics.claims import (
    SHEET,
    attention_over_weights,
    cache_bytes,
    growth_by_doubling,
    matching_length,
)
from perfmodel.labs.serving.kinetics.inputs import MODELS, PRICE, PROMPT, model
from perfmodel.serving import text_demand


def test_rows_missed_are_those_that_say_why():
    checked = [claim.check() for claim in SHEET.claims]
    assert [c.claim.quantity for c in checked if not c.met] == [
        c.quantity for c in SHEET.claims if c.miss
    ]
    assert (len(checked), sum(c.met for c in checked)) == (37, 34)


def test_no_row_hangs_on_the_made_up_curve():
    assert not any("surrogate" in claim.quantity for claim in SHEET.claims)
    assert "no row" in SHEET.unheld


def test_cache_by_hand():
    assert cache_bytes("0.6B") == 28 * 8 * 128 * 2 * 2 * 32_768 == 3.5 * 2**30


def test_growth_lies_about_that_of_the_ends():
    ends = np.log(131_072 / 57_344) / np.log(32.76 / 0.752)
    assert growth_by_doubling() == pytest.approx(2**ends, abs=0.02)


def test_matching_length_solves_the_square_by_hand():
    """Equation (2) set equal to a cost is a quadratic in the length."""
    large, small = model("14B"), model("4B")

    def square(one):
        return (one.group + PRICE) * one.kv_numbers

    cost = 2 * large.parameters * 8000 + square(large) * (2 * PROMPT * 8000 + 8000**2)
    linear = 2 * small.parameters + 2 * PROMPT * square(small)
    roots = np.roots([square(small), linear, -cost])
    assert matching_length("4B", "14B", 8000) == pytest.approx(roots.max())


def test_printed_ratio_leaves_out_the_reading_of_the_prompt():
    """Theirs, with the bytes of the prompt, is ours; the printed one has only its work."""
    for one, printed in zip(MODELS, attention_over_weights(8192), strict=True):
        parts = text_demand(one.demand, PROMPT, 8192)
        ours = float((parts.attention + PRICE * parts.cache) / parts.matrices)
        left_out = 2 * PRICE * PROMPT * one.kv_numbers / (2 * one.parameters)
        assert printed + left_out == pytest.approx(ours)


def test_the_smallest_model_reaches_a_thousand_where_the_text_says():
    assert attention_over_weights(46_000)[0] < 1000 < attention_over_weights(47_000)[0]
    assert sum(ratio > 10 for ratio in attention_over_weights(4096)) == 4
