"""The cost of a text against sums over its steps, the published shapes, and its limits."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.roofline import LLAMA_2_70B, Decoder, decode_bytes
from perfmodel.serving.amortised.text_cost import (
    TokenDemand,
    crossover_length,
    text_cost,
    text_demand,
)

SMALL = TokenDemand(work=100.0, weight_bytes=150.0, cache_work=4.0, cache_bytes=2.0)
LENGTHS = st.integers(0, 300)


def by_steps(prompt, output, price, samples=1, budget=None, block=None, batch=None, overlap=False):
    """Add up thin slices of the steps, one at a time, by another road than integrals."""
    slices = 64
    total = 0.0
    for t in (np.arange(output * slices) + 0.5) / slices:
        context, read = prompt + t, prompt + samples * t
        seen = context
        if budget is not None:
            seen = min(context, budget)
            read = samples * seen
        work = samples * (SMALL.work + SMALL.cache_work * seen)
        moved = SMALL.cache_bytes * read
        if batch is not None:
            moved += samples * SMALL.weight_bytes / batch
        if block is not None:
            work += samples * SMALL.cache_work / 2 * context / block
            moved += SMALL.cache_bytes / 2 * (prompt + samples * t) / block
        total += (max(work, price * moved) if overlap else work + price * moved) / slices
    return total


@pytest.mark.parametrize("overlap", [False, True])
@pytest.mark.parametrize(
    "more",
    [
        {},
        {"batch": 3},
        {"samples": 4},
        {"budget": 25},
        {"budget": 25, "block": 5, "samples": 3},
        {"budget": 7, "block": 2, "batch": 8},
    ],
)
@pytest.mark.parametrize("price", [0.0, 0.7, 3.0, 60.0])
def test_integral_is_the_sum_over_thin_steps(price, more, overlap):
    found = float(text_cost(SMALL, 12, 40, price, overlap=overlap, **more))
    assert found == pytest.approx(by_steps(12, 40, price, overlap=overlap, **more), rel=1e-4)


@given(prompt=LENGTHS, output=LENGTHS, price=st.floats(0, 600), samples=st.integers(1, 8))
def test_max_lies_between_the_largest_part_and_the_sum(prompt, output, price, samples):
    parts = text_demand(SMALL, prompt, output, samples=samples, batch=4)
    total = float(text_cost(SMALL, prompt, output, price, samples=samples, batch=4))
    hidden = float(text_cost(SMALL, prompt, output, price, samples=samples, batch=4, overlap=True))
    work = float(parts.matrices + parts.attention)
    reading = price * float(parts.weights + parts.cache)
    assert total == pytest.approx(work + reading)
    assert max(work, reading) * (1 - 1e-9) <= hidden <= total * (1 + 1e-9)
    assert hidden >= total / 2 * (1 - 1e-9)


@given(prompt=LENGTHS, first=LENGTHS, second=LENGTHS, price=st.floats(0, 600))
def test_a_text_in_two_parts_costs_the_same(prompt, first, second, price):
    for more in ({}, {"budget": 40, "block": 4}, {"batch": 2, "overlap": True}):
        whole = text_cost(SMALL, prompt, first + second, price, **more)
        parts = text_cost(SMALL, prompt, first, price, **more) + text_cost(
            SMALL, prompt + first, second, price, **more
        )
        assert float(whole) == pytest.approx(float(parts), abs=1e-6)


@given(budget=st.integers(1, 700))
def test_budget_never_costs_more_and_a_large_one_changes_nothing(budget):
    full = float(text_cost(SMALL, 100, 200, 30))
    kept = float(text_cost(SMALL, 100, 200, 30, budget=budget))
    assert kept <= full * (1 + 1e-12)
    assert (kept == pytest.approx(full)) == (budget >= 300 or kept > full * (1 - 1e-6))


@given(price=st.floats(0, 600), prompt=st.integers(0, 60), batch=st.floats(1, 1e4))
def test_at_the_crossover_attention_costs_what_weights_do(price, prompt, batch):
    length = float(crossover_length(SMALL, price, prompt, batch=batch))
    parts = text_demand(SMALL, prompt, length, batch=batch)
    attention = float(parts.attention + price * parts.cache)
    weights = float(parts.matrices + price * parts.weights)
    assert attention == pytest.approx(weights) if length else attention >= 0
    if not length:
        growth = SMALL.cache_work + price * SMALL.cache_bytes
        assert prompt * growth >= (SMALL.work + price * SMALL.weight_bytes / batch) * (1 - 1e-9)


def test_demand_of_a_decoder_agrees_with_its_bytes():
    demand = TokenDemand.of(LLAMA_2_70B, 1.0)
    assert demand.weight_bytes + 1000 * demand.cache_bytes == decode_bytes(LLAMA_2_70B, 1.0, 1000)
    assert demand.work == LLAMA_2_70B.operations_per_token
    # scores and values: a multiplication and an addition for each number of every head, twice
    head = LLAMA_2_70B.hidden_size // LLAMA_2_70B.heads
    assert demand.cache_work == 4 * LLAMA_2_70B.heads * head * LLAMA_2_70B.layers


def test_shared_heads_save_bytes_and_no_work():
    plain = TokenDemand.of(Decoder.uniform(2, 64, 128, 8, 8, 100, head_dim=8))
    grouped = TokenDemand.of(Decoder.uniform(2, 64, 128, 8, 2, 100, head_dim=8))
    assert grouped.cache_work == plain.cache_work
    assert grouped.cache_bytes == plain.cache_bytes / 4


def test_shapes_broadcast():
    prompt, output = np.array([[0.0], [10.0]]), np.array([5.0, 50.0, 500.0])
    for more in ({}, {"budget": 20}, {"overlap": True}, {"budget": 20, "samples": 2, "block": 4}):
        found = text_cost(SMALL, prompt, output, 5.0, **more)
        assert found.shape == (2, 3)
        assert found[1, 2] == pytest.approx(float(text_cost(SMALL, 10, 500, 5.0, **more)))
    assert text_cost(SMALL, 0, 10, [1, 2, 3], budget=4).shape == (3,)


def test_refuses():
    for name, low in (("samples", "1"), ("block", "1"), ("batch", "1")):
        with pytest.raises(ValueError, match=f"{name} must be {low} or more"):
            text_demand(SMALL, 0, 1, **{name: 0.5})
    with pytest.raises(ValueError, match="budget must be above 0"):
        text_demand(SMALL, 0, 1, budget=0)
    with pytest.raises(ValueError, match="cost of a cached token must be above 0"):
        crossover_length(TokenDemand(1, 1, 0, 0), 3)
