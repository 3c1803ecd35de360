"""The authors' cost model: worked by hand from their formulas, and their released functions."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.serving.kinetics.choices import (
    LARGE,
    SMALL,
    batch_that_fits,
    crossings,
    even_batch_of_two,
    ignored_share,
    ignoring_batch,
    ratio,
)
from perfmodel.labs.serving.kinetics.inputs import (
    BUDGETS,
    MODELS,
    PRICE,
    PROMPT,
    block_of,
    model,
)
from perfmodel.roofline import Decoder
from perfmodel.serving import TokenDemand, text_cost, text_demand

NAMES = [m.name for m in MODELS]


def closed_form(one, prompt, output, price, samples=1):
    """Return 2NPL + 2rNpDL + rNDL^2 + I(2pDL + NDL^2), as the authors print it."""
    cached, group = one.kv_numbers, one.group
    work = samples * (
        2 * one.parameters * output
        + 2 * group * prompt * cached * output
        + group * cached * output**2
    )
    return work + price * (2 * prompt * cached * output + samples * cached * output**2)


@given(
    name=st.sampled_from(NAMES),
    prompt=st.integers(0, 10_000),
    output=st.integers(0, 100_000),
    price=st.floats(0, 1000),
    samples=st.integers(1, 32),
)
def test_cost_is_the_authors_closed_form(name, prompt, output, price, samples):
    one = model(name)
    ours = float(text_cost(one.demand, prompt, output, price, samples=samples))
    assert ours == pytest.approx(closed_form(one, prompt, output, price, samples), rel=1e-12)


def test_shapes_by_hand():
    assert [m.kv_numbers for m in MODELS] == [57_344, 57_344, 73_728, 73_728, 81_920, 131_072]
    assert [m.group for m in MODELS] == [2, 2, 4, 4, 5, 8]


@pytest.mark.parametrize(
    ("output", "tera"),
    [
        (8192, [2456, 2477, 3219, 3287, 3752, 6182]),
        (32_768, [35_893, 35_977, 46_512, 46_785, 52_446, 84_947]),
    ],
)
def test_costs_of_two_lengths(output, tera):
    ours = [float(text_cost(m.demand, PROMPT, output, PRICE)) / 1e12 for m in MODELS]
    assert [round(cost) for cost in ours] == tera


def test_even_lengths():
    assert [round(length) for length in crossings().values()] == [46, 125, 192, 392, 635, 876]


def test_sizes_draw_together_at_equal_length():
    assert float(
        text_cost(model("32B").demand, PROMPT, 32_768, PRICE)
        / text_cost(model("0.6B").demand, PROMPT, 32_768, PRICE)
    ) == pytest.approx(2.367, abs=5e-4)
    assert model("32B").parameters / model("0.6B").parameters == pytest.approx(43.56, abs=5e-3)


def test_a_prompt_is_read_once_for_all_samples():
    one = model("8B").demand
    together = float(text_cost(one, 2048, 4096, PRICE, samples=8)) / 1e12
    assert (round(together), round(8e-12 * float(text_cost(one, 2048, 4096, PRICE)))) == (
        6878,
        11_748,
    )


def released_sparse(one, prompt, budget, block, output):
    """Return the released function with its whole divisions, and the sign of its block variant."""
    wide = one.head * one.layers
    reads = budget * output - 0.5 * max(0, budget - prompt) ** 2
    looks = (2 * prompt + output) // block * output
    work = 2 * one.parameters * output + 4 * reads * one.heads * wide + looks * one.heads * wide
    return work + PRICE * (4 * reads * one.kv_heads * wide + looks * one.kv_heads * wide)


@pytest.mark.parametrize("budget", BUDGETS)
def test_budgets_with_search(budget):
    one, block = model("8B"), block_of(budget)
    ours = float(text_cost(one.demand, PROMPT, 32_768, PRICE, budget=budget, block=block))
    assert ours == pytest.approx(released_sparse(one, PROMPT, budget, block, 32_768), rel=5e-4)


def test_savings_of_budgets():
    one = model("8B").demand
    dense = float(text_cost(one, PROMPT, 32_768, PRICE))
    found = [
        dense / float(text_cost(one, PROMPT, 32_768, PRICE, budget=b, block=block_of(b)))
        for b in BUDGETS
    ]
    assert found == pytest.approx([43.8, 29.3, 17.6, 9.8, 5.2], abs=0.05)


def test_search_of_the_largest_blocks_by_hand():
    """1,024 tokens in blocks of 16: 1,435 TFLOP of bytes and 10 of work, of 4,774."""
    one = model("8B").demand
    blocks = text_demand(one, PROMPT, 32_768, budget=1024, block=16)
    free = text_demand(one, PROMPT, 32_768, budget=1024)
    assert float(blocks.cache - free.cache) * PRICE / 1e12 == pytest.approx(1435, abs=1)
    assert float(blocks.attention - free.attention) / 1e12 == pytest.approx(10, abs=0.5)


def test_order_turns_at_the_batch_that_says_so():
    turn = even_batch_of_two()
    assert float(ratio(batch=turn)) == pytest.approx(1)
    assert float(ratio(batch=turn * 0.9)) < 1 < float(ratio(batch=turn * 1.1))
    earlier = SMALL[0].parameters * SMALL[1] / (LARGE[0].parameters * LARGE[1])
    assert earlier == pytest.approx(266 / 2147, rel=5e-3)


@given(price=st.floats(150, 2000))
def test_order_turns_at_any_price(price):
    assert float(ratio(price, even_batch_of_two(price))) == pytest.approx(1)


def test_a_large_batch_is_the_authors_assumption():
    assert float(ratio(batch=1e9)) == pytest.approx(float(ratio()), rel=1e-6)


@given(name=st.sampled_from(NAMES), output=st.integers(256, 65_536), error=st.floats(0.01, 0.5))
def test_ignoring_weights_errs_by_just_so_much(name, output, error):
    batch = ignoring_batch(model(name), output, error)
    if batch >= 1:
        assert float(ignored_share(model(name), output, batch)) == pytest.approx(error)


def test_room_by_hand():
    """65.5 GB of weights; 262,144 bytes a token, 512 and on average 16,383.5 of them."""
    room = (192e9 - 65.52e9) / (262_144 * (512 + 16_383.5))
    assert batch_that_fits(model("32B"), 32_768, 192e9) == pytest.approx(room)
    assert batch_that_fits(model("32B"), 32_768, 60e9) == 0
    assert batch_that_fits(model("32B"), 32_768, 60e9, 2) > 0


def test_agrees_with_the_roofline_decoder_where_its_shape_fits():
    """Qwen3-8B: heads as wide as hidden over heads. Ours counts the input table too."""
    shape = Decoder.uniform(36, 4096, 12_288, 32, 8, 151_936, head_width=128)
    theirs, ours = TokenDemand.of(shape), model("8B").demand
    assert (theirs.cache_work, theirs.cache_bytes) == (ours.cache_work, ours.cache_bytes)
    assert shape.parameters == pytest.approx(model("8B").parameters, rel=1e-3)
    assert theirs.weight_bytes == 2 * shape.streamed_parameters


def test_refuses():
    with pytest.raises(ValueError, match=r"name must be one of 0\.6B, .*, got '7B'"):
        model("7B")
    with pytest.raises(ValueError, match="budget must be a whole number"):
        block_of(0)
    with pytest.raises(ValueError, match="error must be between"):
        ignoring_batch(model("8B"), 1024, 2.0)
    with pytest.raises(ValueError, match="memory must be above 0"):
        batch_that_fits(model("8B"), 1024, 0)
    assert np.isfinite(ratio([0.0, 1.0])).all()
