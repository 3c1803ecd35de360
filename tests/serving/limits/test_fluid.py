"""The service without chance: its fixed point, its limits, and the simulator at steady arrivals."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.serving import (
    BatchRules,
    RequestMix,
    Requests,
    StepPieces,
    fluid_state,
    max_running_requests,
    request_work,
    simulate_serving,
)

PIECES = st.builds(
    lambda fixed, prompt, sequence, cache: StepPieces(fixed, prompt, sequence, cache),
    *(
        st.lists(st.floats(low, high), min_size=2, max_size=2)
        for low, high in ((1e-3, 0.1), (0, 1e-3), (1e-5, 1e-2), (0, 1e-6))
    ),
)
MIXES = st.builds(
    RequestMix, prompt=st.floats(1, 3000), output=st.floats(1, 2000), scv=st.floats(0, 4)
)


@given(steps=PIECES, mix=MIXES, share=st.floats(0.01, 0.95))
def test_a_step_does_the_work_that_comes_during_it(
    steps: StepPieces, mix: RequestMix, share: float
) -> None:
    rate = share / float(request_work(steps, mix).max())
    state = fluid_state(rate, steps, mix)
    come = rate * state.step
    tokens = (come * mix.prompt, come * mix.output)
    read = come * (mix.output * mix.context - mix.prompt)
    pairs = come * mix.prompt * (mix.prompt + 1) / 2
    assert steps.seconds(*tokens, read, pairs) == pytest.approx(state.step, rel=1e-9)
    assert state.batch == pytest.approx(rate * mix.output * state.step)


@given(prompt=st.integers(1, 40), output=st.integers(1, 30))
def test_a_request_alone_takes_its_work_and_what_each_step_costs(prompt: int, output: int) -> None:
    steps = StepPieces(1e-2, 2e-4, 3e-3, 5e-5, 7e-5)
    alone = simulate_serving(Requests([0.0], prompt, output), steps, BatchRules(max_num_seqs=1))
    work = float(request_work(steps, RequestMix(prompt, output))[0])
    assert float(alone.finish[0]) == pytest.approx(output * 1e-2 + work)


def test_each_prompt_token_is_paired_with_itself_and_all_before_it() -> None:
    pairs = [(later, earlier) for later in range(5) for earlier in range(later + 1)]
    work = request_work(StepPieces(0, 0, 0, 0, prompt_pair=1), RequestMix(prompt=5, output=1))
    assert work.tolist() == [len(pairs)]


@given(steps=PIECES, mix=MIXES, share=st.floats(0.05, 0.95))
def test_at_its_limit_a_rate_is_at_the_limit(
    steps: StepPieces, mix: RequestMix, share: float
) -> None:
    rate = share / float(request_work(steps, mix).max())
    state = fluid_state(rate, steps, mix)
    limits = max_running_requests(
        steps,
        mix,
        token_time=state.step * (1 + 1e-12),
        cache_tokens=state.cached,
        batch=state.batch,
    )
    for name in ("token time", "cache", "batch"):
        assert limits[name] == pytest.approx(rate, rel=1e-6)
    assert limits["piece 0"] * request_work(steps, mix)[0] == pytest.approx(1)
    assert max_running_requests(steps, mix)["cache"] == math.inf


def steady_token_time(steps: StepPieces, mix: RequestMix, rate: float) -> float:
    requests = Requests(np.arange(10_000) / rate, int(mix.prompt), int(mix.output))
    run = simulate_serving(requests, steps, BatchRules(max_num_seqs=4096, policy="decode first"))
    return float(run.per_token[4_000:8_000].mean())


def test_the_simulator_reaches_it_where_requests_come_evenly() -> None:
    steps = StepPieces([0.0, 0.01], [1e-4, 0], [1e-4, 0], [0, 2e-7])
    mix = RequestMix(prompt=2, output=100)
    rate = 0.8 / float(request_work(steps, mix).max())
    found = steady_token_time(steps, mix, rate)
    assert found == pytest.approx(fluid_state(rate, steps, mix).step, rel=0.02)


def test_a_whole_prompt_in_one_step_costs_more_than_its_mean_share() -> None:
    steps = StepPieces([0.0, 0.01], [1e-4, 0], [1e-4, 0], [0, 2e-7])
    mix = RequestMix(prompt=200, output=100)
    rate = 0.8 / float(request_work(steps, mix).max())
    assert steady_token_time(steps, mix, rate) > 1.2 * fluid_state(rate, steps, mix).step


def test_what_no_step_can_do_is_refused() -> None:
    steps, mix = StepPieces(0.01, 0, 1e-3, 0), RequestMix(10, 100)
    with pytest.raises(ValueError, match="rate must be below 10/s"):
        fluid_state(10.0, steps, mix)


def test_a_piece_that_asks_for_nothing_limits_nothing() -> None:
    steps, mix = StepPieces([0.01, 0.0], 0, [1e-3, 0.0], 0), RequestMix(1, 100)
    alone = max_running_requests(StepPieces(0.01, 0, 1e-3, 0), mix, batch=20, cache_tokens=9000)
    both = max_running_requests(steps, mix, batch=20, cache_tokens=9000)
    assert both["piece 1"] == math.inf
    assert {name: both[name] for name in alone} == alone
