"""Steps and what they hold: against the package's models, sequences gone through, a simulator."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.serving import (
    BatchRules,
    Requests,
    StepPieces,
    simulate_serving,
)
from tests.solutions.serving.exercise import GIB, STUDENTS, drawn, reference, wrong

ONE = StepPieces(1.0, 0.0, 0.0, 0.0)


def test_room_is_for_the_caches_of_whole_sequences_to_the_last_byte():
    layers, kv_heads, numbers, tokens = 3, 2, 8, 50
    cache = sum(2 * numbers * 2 for _ in product(range(layers), range(kv_heads), range(tokens)))
    memory = (2e9 + 7 * cache) / GIB
    assert reference("room", 1.0, layers, 8, kv_heads, numbers, tokens, memory) == pytest.approx(
        7, rel=1e-4
    )


@given(
    st.integers(0, 500), st.integers(1, 99), st.integers(0, 10**5), st.floats(1e9, 1e11),
    st.sampled_from([0.5, 1.0, 2.0]), st.floats(1e4, 1e6),
)  # fmt: skip
@settings(max_examples=50)
def test_a_step_is_that_of_two_pieces(prompt, sequences, cached, parameters, width, token):
    rate, bandwidth = 3e14, 2e12
    pieces = StepPieces(
        fixed=[0, width * parameters / bandwidth],
        prompt_token=[2 * parameters / rate, 0],
        sequence=[2 * parameters / rate, 0],
        cache_token=[0, token / bandwidth],
    )
    asked = reference("steps", prompt, sequences, cached, parameters, width, token, rate, bandwidth)
    assert float(asked) == pytest.approx(float(pieces.seconds(prompt, sequences, cached)))
    both = wrong("steps", "sum for the longer one")(
        prompt, sequences, cached, parameters, width, token, rate, bandwidth
    )
    assert asked <= both <= 2 * asked * (1 + 1e-12)


@given(st.floats(1, 30), st.integers(0, 2000), st.floats(1e4, 3e5), st.floats(1e13, 3e14))
@settings(max_examples=40)
def test_both_times_are_equal_at_the_ridge(billions, context, token, rate):
    bandwidth = 3e12
    if token * context / bandwidth > 0.9 * 2e9 * billions / rate:
        return
    at = reference("ridge", billions, 8.0, context, token, rate, bandwidth)
    compute = 2e9 * billions * at / rate
    assert compute == pytest.approx((1e9 * billions + token * context * at) / bandwidth)


@given(st.integers(1, 50), st.lists(st.integers(1, 60), min_size=1, max_size=8))
@settings(max_examples=40)
def test_what_is_held_is_the_mean_over_all_steps(prompt, outputs):
    steps = [prompt + done for length in outputs for done in range(length)]
    assert reference("held", prompt, np.array(outputs)) == pytest.approx(np.mean(steps))


@given(st.lists(st.integers(1, 20), min_size=1, max_size=12), st.integers(1, 5))
@settings(max_examples=30, deadline=None)
def test_refilled_batch_is_that_of_the_simulator(outputs, seats):
    requests = Requests(np.zeros(len(outputs)), np.ones(len(outputs), int), outputs)
    refilled = simulate_serving(
        requests, ONE, BatchRules(max_num_seqs=seats, policy="decode first")
    )
    asked = reference("refilled", np.array(outputs), seats)
    assert asked == refilled.iterations == pytest.approx(refilled.span)
    static = wrong("refilled", "static batch")(np.array(outputs), seats)
    assert max(max(outputs), sum(outputs) / seats) <= asked <= static


@pytest.mark.parametrize("student", STUDENTS)
def test_chunks_are_played_step_by_step(student):
    given = drawn("stall", student)
    left, longest, now = given["prompt"], 0.0, 0.0
    while left > 0:
        read = min(left, given["chunk"] - given["sequences"])
        step = given["fixed"] + given["each"] * (read + given["sequences"])
        left, longest, now = left - read, max(longest, step), now + step
    table = reference("stall", *given.values())
    assert (table["chunked"], table["first"]) == (pytest.approx(longest), pytest.approx(now))


@given(st.floats(1e4, 1e6), st.floats(1, 70), st.floats(1e13, 1e15))
def test_both_ways_back_take_the_same_at_the_tie(token, billions, rate):
    _, tie = reference("evicted", 9, 9, token, billions, rate, 1e12, 1.0)
    assert 2 * token / tie == pytest.approx(2e9 * billions / rate)
    for factor, said in ((0.99, "recompute"), (1.01, "swap")):
        link = factor * tie
        assert reference("evicted", 9, 9, token, billions, rate, 1e12, link)[0] == said
