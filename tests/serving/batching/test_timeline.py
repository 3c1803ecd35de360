"""The time between tokens: the simulator's own times, a list of iterations, and by hand."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.serving import (
    BatchRules,
    Requests,
    StepPieces,
    inter_token_latencies,
    serving_iterations,
    simulate_serving,
)

POLICIES = ["static", "prefill first", "decode first", "chunked prefill"]
STEPS = StepPieces(
    fixed=[0.01, 0.0],
    prompt_token=[0.0, 1e-3],
    sequence=[2e-3, 1e-3],
    cache_token=[1e-4, 0.0],
    prompt_pair=[0.0, 1e-5],
)


@st.composite
def mixes(draw: st.DrawFn) -> Requests:
    count = draw(st.integers(1, 12))
    lengths = st.lists(st.integers(1, 9), min_size=count, max_size=count)
    when = st.lists(st.floats(0, 0.5), min_size=count, max_size=count)
    return Requests(draw(when), draw(lengths), draw(lengths))


@given(mixes(), st.sampled_from(POLICIES), st.integers(1, 5), st.integers(1, 12))
@settings(max_examples=200, deadline=None)
def test_gaps_are_those_between_the_iterations_that_give_tokens(requests, policy, batch, chunk):
    rules = BatchRules(max_num_seqs=batch, policy=policy, chunk_size=chunk)
    left, given_at = requests.prompt.copy(), [[] for _ in range(len(requests))]
    for one in serving_iterations(requests, STEPS, rules):
        for request, share in one.prefill.items():
            left[request] -= share
        for request in {*one.decoding, *(r for r in one.prefill if left[r] == 0)}:
            given_at[request].append(one.end)
    assert [len(times) for times in given_at] == requests.output.tolist()
    who, gap = inter_token_latencies(requests, STEPS, rules)
    assert who.tolist() == np.repeat(np.arange(len(requests)), requests.output - 1).tolist()
    np.testing.assert_allclose(gap, np.concatenate([np.diff(times) for times in given_at]))


@given(mixes(), st.sampled_from(POLICIES), st.integers(1, 5))
@settings(deadline=None)
def test_the_mean_of_a_requests_gaps_is_its_time_per_token(requests, policy, batch):
    rules = BatchRules(max_num_seqs=batch, policy=policy, chunk_size=8)
    who, gap = inter_token_latencies(requests, STEPS, rules)
    counts = np.bincount(who, minlength=len(requests))
    sums = np.bincount(who, gap, minlength=len(requests))
    more = counts > 0
    run = simulate_serving(requests, STEPS, rules)
    np.testing.assert_allclose(sums[more] / counts[more], run.per_token[more])


def test_prefill_first_makes_others_wait_and_decode_first_does_not():
    requests = Requests([0.0, 0.5], [1, 50], [3, 1])
    steps = StepPieces(1, 0.1, 0, 0)
    first, mixed = (
        inter_token_latencies(requests, steps, BatchRules(max_num_seqs=2, policy=policy))[1]
        for policy in ("prefill first", "decode first")
    )
    np.testing.assert_allclose(first, [6 + 1, 1])
    np.testing.assert_allclose(mixed, [6, 1])


def test_a_run_with_evictions_is_refused():
    rules = BatchRules(max_num_seqs=2, cache_tokens=32, block_size=1)
    with pytest.raises(ValueError, match="preempt no request, got 1 preemptions"):
        inter_token_latencies(Requests([0, 0], 10, 10), STEPS, rules)
