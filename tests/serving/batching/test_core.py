"""The core against the slow reference, and compiled against plain."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.engine import object_files
from perfmodel.engine.fields import as_lists
from perfmodel.serving import (
    BatchRules,
    Requests,
    ServingRun,
    StepPieces,
    StepTable,
    lognormal_tokens,
    poisson_requests,
)
from perfmodel.serving.batching import setup
from perfmodel.serving.batching.closed_loop import play_closed
from perfmodel.serving.batching.core import play
from perfmodel.serving.batching.setup import play_stage
from perfmodel.serving.batching.steps import Steps
from tests.serving.batching.reference import serve

POLICIES = ("static", "prefill first", "decode first", "chunked prefill")
EXACT = ("admitted", "first_token_time", "finish", "preempted", "replica")
PIECES = StepPieces([0.5, 1.0], [0.25, 0.0], [0.125, 2**-7], [0.0, 2**-6], [2**-8, 0.0])
"""Binary fractions, whose sums the reference has without rounding."""
SECOND = StepPieces(1.0, 0.0, 0.0, 0.0)
"""Iterations end when others arrive."""
TABLE = StepTable([1, 20, 2000], [0, 50, 5000], [[1, 2, 60], [2, 3, 70], [90, 95, 200]])


Case = tuple[Requests, Steps, BatchRules, int, str, bool, int]
"""Requests, steps, rules, replicas, way to dispatch, resident, concurrency (0: no limit)."""


@st.composite
def cases(draw: st.DrawFn) -> Case:
    count = draw(st.integers(1, 25))
    whole = {"min_size": count, "max_size": count}
    prompt = draw(st.lists(st.integers(1, 40), **whole))
    output = draw(st.lists(st.integers(1, 30), **whole))
    requests = Requests(
        draw(st.lists(st.integers(0, 60), **whole)),
        prompt,
        output,
        priority=draw(st.lists(st.integers(0, 2), **whole)),
        predicted=draw(st.lists(st.integers(1, 9), **whole)),
        cached=[draw(st.sampled_from([0, 0, p // 2, p - 1])) for p in prompt],
    )
    block = draw(st.sampled_from([1, 3, 8]))
    most = max(-(-(p + o - 1) // block) for p, o in zip(prompt, output, strict=True))
    rules = BatchRules(
        max_num_seqs=draw(st.integers(1, 8)),
        cache_tokens=draw(
            st.one_of(st.just(np.inf), st.integers(0, 60).map(lambda more: block * most + more))
        ),
        block_size=block,
        policy=draw(st.sampled_from(POLICIES)),
        chunk_size=draw(st.integers(1, 30)),
        max_prefill_tokens=draw(st.sampled_from([np.inf, 20, 64])),
        preempt=draw(st.sampled_from(["recompute", "swap"])),
        swap_token=draw(st.sampled_from([0.0, 0.25])),
        order=draw(st.sampled_from(["arrival", "shortest predicted", "priority"])),
        reserve=draw(st.sampled_from(["prompt", "prompt", "whole"])),
        watermark=draw(st.sampled_from([0.0, 0.0, 0.2])),
    )
    dispatch = draw(st.sampled_from(["round robin", "least loaded", "least tokens"]))
    resident = draw(st.booleans()) and min(output) > 1
    steps = draw(st.sampled_from([PIECES, TABLE, SECOND]))
    replicas, concurrency = draw(st.integers(1, 3)), draw(st.sampled_from([0, 0, 1, 2, 5]))
    return requests, steps, rules, replicas, dispatch, resident, concurrency


def played(case: Case) -> ServingRun:
    requests, steps, rules, replicas, dispatch, resident, concurrency = case
    return play_stage(requests, steps, rules, replicas, dispatch, 0, resident, concurrency)


@given(cases())
@settings(max_examples=200, deadline=None)
def test_each_request_has_the_times_of_the_reference(case) -> None:
    run = played(case)
    requests, steps, rules, replicas, dispatch, resident, concurrency = case
    served, servers = serve(
        requests, steps, rules, replicas, dispatch, resident, concurrency or np.inf
    )
    np.testing.assert_allclose(run.requests.arrival, [s.sent for s in served], rtol=1e-12)
    names = ("admitted", "first", "finish", "preempted", "server")
    for mine, theirs in zip(EXACT, names, strict=True):
        if mine == "first_token_time" and resident:
            continue
        wanted = [getattr(s, theirs) for s in served]
        np.testing.assert_allclose(getattr(run, mine), wanted, rtol=1e-12, err_msg=mine)
    token_times = [np.array(s.token_times) for s in served]
    longer = requests.output > 1
    nth = 0 if resident else 1
    second = [
        times[nth] if more else np.inf for times, more in zip(token_times, longer, strict=True)
    ]
    np.testing.assert_allclose(run.second_token_time, second, rtol=1e-12)
    gaps = [np.diff(times[nth:]).max(initial=0.0) for times in token_times]
    np.testing.assert_allclose(run.largest_later_latency, gaps, rtol=1e-12, atol=1e-12)
    for name in ("busy", "iterations", "scheduled", "prefill_tokens", "output_tokens", "peak"):
        wanted = [getattr(server, name) for server in servers]
        np.testing.assert_allclose(getattr(run, f"replica_{name}"), wanted, rtol=1e-12)


@given(cases())
@settings(max_examples=40)
def test_machine_code_finds_the_same_numbers_to_the_last_bit(case) -> None:
    requests, steps, rules, replicas, dispatch, resident, concurrency = case
    given_ = (requests, steps, rules, replicas, dispatch, 0, resident)
    plan, state = setup.prepared(*given_)
    plan = plan._replace(concurrency=concurrency)
    plain = as_lists((plan, state))
    loop = play_closed if concurrency else play
    assert loop(*plain)
    assert object_files.loaded(loop)(plan, state)
    for name, mine, theirs in zip(state._fields, as_lists(state), plain[1], strict=True):
        assert mine == theirs, name


@pytest.mark.parametrize("concurrency", [0, 20])
@pytest.mark.parametrize("dispatch", ["round robin", "least loaded", "two choices"])
def test_a_run_that_goes_over_to_machine_code_is_the_same(
    monkeypatch, dispatch, concurrency
) -> None:
    requests = poisson_requests(0.4, 300, lognormal_tokens(20, 15), lognormal_tokens(12, 9), 4)
    rules = BatchRules(
        max_num_seqs=6, cache_tokens=200, block_size=8, policy="chunked prefill", chunk_size=16
    )
    given_ = (requests, PIECES, rules, 2, dispatch, 0)
    whole = play_stage(*given_, concurrency=concurrency)
    object_files.loaded(play_closed if concurrency else play)
    assert whole.preempted.sum() > 10
    for stop in (0, 1, 500):
        monkeypatch.setattr(object_files, "WORTH_CALLING", stop)
        part = play_stage(*given_, concurrency=concurrency)
        for name in ServingRun.__dataclass_fields__:
            if name != "requests":
                np.testing.assert_array_equal(getattr(part, name), getattr(whole, name), name)
    monkeypatch.setattr(setup, "SHORT", 0)
    compiled = play_stage(*given_, concurrency=concurrency)
    np.testing.assert_array_equal(compiled.finish, whole.finish)


def test_a_queue_that_outgrows_its_room_is_that_of_the_server_alone() -> None:
    """At random one of three servers gets more than a third, all of them at once."""
    priority = np.random.default_rng(0).integers(0, 9, 300)
    requests = Requests(np.zeros(300), 9, np.arange(300) % 7 + 1, priority=priority)
    rules = BatchRules(max_num_seqs=4, policy="priority")
    together = play_stage(requests, SECOND, rules, 3, "random", 1)
    assert np.bincount(together.replica).max() > 101
    for server in range(3):
        own = together.replica == server
        subset = Requests(np.zeros(own.sum()), 9, requests.output[own], priority=priority[own])
        alone = play_stage(subset, SECOND, rules, 1, "round robin", 0)
        np.testing.assert_array_equal(together.finish[own], alone.finish)


def test_reference_knows_a_schedule_worked_out_by_hand() -> None:
    """Two places, blocks of 2 tokens, 4 of them: the second is evicted and read in again.

    Each prompt of 3 takes 2 blocks. After [0, 1) both have a token and 3 tokens in the cache, and
    [1, 2) fills their blocks. For the third token both need a block: request 1 goes, and request 0
    has its third in [2, 3). Then its prompt of 3 + 2 tokens is read in and puts out the third.
    """
    requests = Requests([0, 0], 3, 3)
    rules = BatchRules(max_num_seqs=2, cache_tokens=8, block_size=2)
    served, servers = serve(requests, StepPieces(1, 0, 0, 0), rules)
    assert [s.finish for s in served] == [3.0, 4.0]
    assert [s.preempted for s in served] == [0, 1]
    assert (servers[0].prefill_tokens, servers[0].output_tokens) == (3 + 3 + 5, 6)
