"""The core against the slow reference, plain against compiled, and what is conserved."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.serving import BatchRules, Requests, ServingRun, StepPieces, StepTable
from perfmodel.serving.batching import setup
from perfmodel.serving.batching.setup import play_stage
from perfmodel.serving.batching.steps import Steps
from tests.serving.batching.reference import serve

POLICIES = ("static", "prefill first", "decode first", "chunked prefill")
EXACT = ("admitted", "first", "finish", "preempted", "replica")
PIECES = StepPieces([0.5, 1.0], [0.25, 0.0], [0.1, 0.01], [0.0, 0.02], [0.003, 0.0])
TABLE = StepTable([1, 20, 2000], [0, 50, 5000], [[1, 2, 60], [2, 3, 70], [90, 95, 200]])


@st.composite
def cases(draw: st.DrawFn) -> tuple[Requests, Steps, BatchRules, int, str, bool]:
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
    )
    block = draw(st.sampled_from([1, 3, 8]))
    most = max(-(-(p + o - 1) // block) for p, o in zip(prompt, output, strict=True))
    rules = BatchRules(
        batch=draw(st.integers(1, 8)),
        cache_tokens=draw(
            st.one_of(st.just(np.inf), st.integers(0, 60).map(lambda more: block * most + more))
        ),
        block=block,
        policy=draw(st.sampled_from(POLICIES)),
        chunk=draw(st.integers(1, 30)),
        prompt_limit=draw(st.sampled_from([np.inf, 20, 64])),
        preempt=draw(st.sampled_from(["recompute", "swap"])),
        swap_token=draw(st.sampled_from([0.0, 0.25])),
        order=draw(st.sampled_from(["arrival", "shortest predicted", "priority"])),
        reserve=draw(st.sampled_from(["prompt", "prompt", "whole"])),
        spare=draw(st.sampled_from([0.0, 0.0, 0.2])),
    )
    dispatch = draw(st.sampled_from(["round robin", "least loaded", "least tokens"]))
    resident = draw(st.booleans()) and min(output) > 1
    steps = draw(st.sampled_from([PIECES, TABLE]))
    return requests, steps, rules, draw(st.integers(1, 3)), dispatch, resident


def played(case: tuple[Requests, Steps, BatchRules, int, str, bool]) -> ServingRun:
    requests, steps, rules, replicas, dispatch, resident = case
    return play_stage(requests, steps, rules, replicas, dispatch, 0, resident)


@given(cases())
@settings(max_examples=300, deadline=None)
def test_each_request_has_the_times_of_the_reference(case) -> None:
    run = played(case)
    requests, steps, rules, replicas, dispatch, resident = case
    sequences, servers = serve(requests, steps, rules, replicas, dispatch, resident)
    names = ("admitted", "first", "finish", "preempted", "server")
    for mine, theirs in zip(EXACT, names, strict=True):
        if mine == "first" and resident:
            continue
        wanted = [getattr(s, theirs) for s in sequences]
        np.testing.assert_allclose(getattr(run, mine), wanted, rtol=1e-12, err_msg=mine)
    for name in ("busy", "iterations", "sequences", "prompt_tokens", "output_tokens", "peak"):
        wanted = [getattr(server, name) for server in servers]
        np.testing.assert_allclose(getattr(run, f"replica_{name}"), wanted, rtol=1e-12)
