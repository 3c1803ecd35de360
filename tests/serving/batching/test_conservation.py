"""What must hold under any rules: nothing is lost, nothing comes early, no cache overflows."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.serving import (
    BatchRules,
    Requests,
    StepPieces,
    bursty_requests,
    lognormal_tokens,
    poisson_requests,
    serving_iterations,
    simulate_serving,
)

STEPS = StepPieces([0.02, 0.1], [0.002, 0.0], [0.002, 0.0], [0.0, 0.0001], [1e-6, 0.0])
POLICIES = (
    *("static", "prefill first", "decode first", "chunked prefill"),
    *("shortest predicted", "priority"),
)


@st.composite
def settings_of_a_run(draw):
    seed = draw(st.integers(0, 10_000))
    requests = bursty_requests(
        draw(st.sampled_from([1.0, 5.0, 50.0])),
        draw(st.integers(1, 60)),
        lognormal_tokens(60, 50),
        lognormal_tokens(draw(st.sampled_from([1.5, 30])), 30),
        seed,
        squared_variation=4.0,
    )
    block = draw(st.sampled_from([1, 16, 64]))
    most = int((requests.prompt + requests.output).max())
    rules = BatchRules(
        max_num_seqs=draw(st.integers(1, 20)),
        cache_tokens=most * draw(st.floats(1, 5)) + block,
        block_size=block,
        policy=draw(st.sampled_from(POLICIES)),
        chunk_size=draw(st.integers(1, 200)),
        preempt=draw(st.sampled_from(["recompute", "swap"])),
        swap_token=1e-4,
        reserve=draw(st.sampled_from(["prompt", "whole"])),
    )
    how = {
        "replicas": draw(st.integers(1, 4)),
        "dispatch": draw(
            st.sampled_from(
                ["round robin", "random", "least loaded", "least tokens", "two choices"]
            )
        ),
        "prefill_replicas": draw(st.integers(0, 2)),
        "transfer_token": 1e-3,
    }
    return requests, rules, how


@given(settings_of_a_run())
@settings(max_examples=150)
def test_tokens_times_and_memory(drawn) -> None:
    requests, rules, how = drawn
    run = simulate_serving(requests, STEPS, rules, **how)
    assert run.replica_output_tokens.sum() == requests.tokens
    assert run.prefill_tokens >= requests.prompt.sum()
    again = rules.preempt == "recompute" and run.preempted.any()
    if not again:
        assert run.prefill_tokens == requests.prompt.sum()
    assert run.peak_kv_tokens <= rules.cache_tokens
    if rules.reserve == "whole":
        assert not run.preempted.any()
    alone = STEPS.seconds(1, 1)
    assert (run.admitted >= requests.arrival).all()
    assert (run.first_token_time >= run.admitted + alone * (1 - 1e-9)).all()
    least = run.first_token_time + (requests.output - 1) * STEPS.seconds(0, 1)
    assert (run.finish >= least * (1 - 1e-9)).all()
    sent = (
        np.where(requests.output > 1, 1e-3 * requests.prompt, 0) if how["prefill_replicas"] else 0
    )
    assert (run.finish >= (least + sent) * (1 - 1e-9)).all()
    servers = how["replicas"] + how["prefill_replicas"]
    assert run.replica.max() < servers
    assert run.busy <= servers * run.finish.max() * (1 + 1e-9)
    assert run.mean_batch <= rules.max_num_seqs


@given(settings_of_a_run())
@settings(max_examples=60)
def test_iterations_one_by_one_are_those_of_the_run(drawn) -> None:
    requests, rules, _ = drawn
    run = simulate_serving(requests, STEPS, rules)
    played = serving_iterations(requests, STEPS, rules)
    assert len(played) == run.iterations
    assert sum(len(one.decoding) + len(one.prefill) for one in played) == run.replica_scheduled[0]
    assert sum(sum(one.prefill.values()) for one in played) == run.prefill_tokens
    assert max(one.kv_tokens for one in played) == run.peak_kv_tokens
    assert sum(one.end - one.start for one in played) == pytest.approx(run.busy)
    assert played[-1].end == run.finish.max()
    tokens = np.zeros(len(requests), int)
    for before, one in zip([None, *played], played, strict=False):
        assert before is None or one.start >= before.end
        inside = {*one.decoding, *one.prefill, *one.stalled}
        assert len(inside) <= rules.max_num_seqs
        assert not inside & set(one.waiting)
        if rules.composition == "chunked prefill":
            assert len(one.decoding) + sum(one.prefill.values()) <= rules.chunk_size
        if rules.composition in ("static", "prefill first"):
            assert not (one.decoding and one.prefill)
        else:
            assert one.decoding or not one.stalled
        tokens[list(one.decoding)] += 1
    assert (tokens < requests.output).all()


def test_nobody_overtakes_when_served_by_arrival() -> None:
    requests = bursty_requests(
        *(5.0, 400, lognormal_tokens(60, 50), lognormal_tokens(80, 60), 3), squared_variation=4.0
    )
    for policy in POLICIES[:4]:
        rules = BatchRules(max_num_seqs=16, cache_tokens=1000, policy=policy)
        run = simulate_serving(requests, STEPS, rules)
        assert run.preempted.any()
        assert (np.diff(run.admitted) >= 0).all()


def test_who_comes_back_from_the_host_counts_in_the_chunk() -> None:
    """Few places in the cache, so that many are swapped out and come back beside new prompts."""
    lengths = lognormal_tokens(20, 10)
    rules = BatchRules(
        max_num_seqs=8,
        cache_tokens=120,
        block_size=1,
        policy="chunked prefill",
        chunk_size=12,
        preempt="swap",
    )
    back = 0
    for seed in range(8):
        played = serving_iterations(poisson_requests(5.0, 30, lengths, lengths, seed), STEPS, rules)
        for before, one in pairwise(played):
            assert len(one.decoding) + sum(one.prefill.values()) <= rules.chunk_size
            back += bool(one.prefill) and bool(set(one.decoding) & set(before.waiting))
    assert back > 10


def test_bad_input() -> None:
    requests = Requests([0, 1, 2], [10, 200, 10], 20)
    with pytest.raises(ValueError, match=r"request 1 .prompt 200, output 20. holds 14 blocks"):
        simulate_serving(requests, STEPS, BatchRules(cache_tokens=16 * 13))
    simulate_serving(requests, STEPS, BatchRules(cache_tokens=16 * 14))
    long_last = Requests([0, 1, 2], [10, 10, 200], [1, 1, 20])
    with pytest.raises(ValueError, match=r"request 2 .prompt 200, output 20. holds 14 blocks"):
        simulate_serving(long_last, STEPS, BatchRules(cache_tokens=16 * 13), prefill_replicas=1)
    one = Requests([0, 1, 2], [10, 200, 10], 1)
    roomy = BatchRules(cache_tokens=1600)
    few = BatchRules(cache_tokens=16)
    simulate_serving(one, STEPS, few, prefill_rules=roomy, prefill_replicas=1)
    with pytest.raises(ValueError, match="dispatch must be one of"):
        simulate_serving(requests, STEPS, BatchRules(), dispatch="fair")
    with pytest.raises(ValueError, match="replicas must be a whole number, 1 or more"):
        simulate_serving(requests, STEPS, BatchRules(), replicas=0)
    with pytest.raises(ValueError, match="transfer_token must be one number"):
        simulate_serving(requests, STEPS, BatchRules(), transfer_token=[1, 2])
    with pytest.raises(ValueError, match="transfer_token must be 0 or more"):
        simulate_serving(requests, STEPS, BatchRules(), transfer_token=-1)
