"""Limits in which a server that batches by iterations is a queue whose formula is known."""

from __future__ import annotations

import numpy as np
import pytest

from perfmodel.queueing import (
    BoundedPareto,
    Exponential,
    batch_queue,
    mg1,
    nonpreemptive_priorities,
    power_of_choices,
)
from perfmodel.serving import (
    BatchRules,
    Requests,
    ServingRun,
    StepPieces,
    StepTable,
    bursty_requests,
    poisson_requests,
    simulate_serving,
)

COUNT = 200_000
BOUNDS = ((0, 150), (1, 3), (1, 6))
ONE = BatchRules(max_num_seqs=1)
TOKEN = StepPieces(0.001, 0, 0, 0)
"""A millisecond an iteration: a request alone takes as many as it puts out tokens."""


def test_one_at_a_time_is_the_queue_with_general_service() -> None:
    lengths = BoundedPareto(1.5, 50.0, 5000.0)
    requests = poisson_requests(4.0, COUNT, 1, lengths, 1)
    service = requests.output * 0.001
    queue = mg1(
        arrival_rate=4.0, mean_service=service.mean(), scv=service.var() / service.mean() ** 2
    )
    waiting = simulate_serving(requests, TOKEN, ONE).interval("waiting", 0.99)
    assert waiting.covers(queue.waiting_time)
    assert waiting.half_width < 0.2 * waiting.value


def test_priority_is_cobhams_queue() -> None:
    drawn = poisson_requests(4.0, COUNT, 1, Exponential(200.0), 2)
    urgent = np.random.default_rng(0).random(COUNT) < 0.3
    requests = Requests(drawn.arrival, 1, drawn.output, priority=np.where(urgent, 0, 1))
    service = requests.output * 0.001
    scv = service.var() / service.mean() ** 2
    queue = nonpreemptive_priorities([4.0 * 0.3, 4.0 * 0.7], [service.mean()] * 2, [scv] * 2)
    run = simulate_serving(requests, TOKEN, BatchRules(max_num_seqs=1, policy="priority"))
    for chosen, expected in zip((urgent, ~urgent), queue.waiting_time, strict=True):
        assert run.waiting[chosen].mean() == pytest.approx(expected, rel=0.05)


def test_shortest_predicted_is_priority_by_length() -> None:
    """Two lengths, the short first: Cobham's formula with the lengths as classes."""
    short = np.random.default_rng(1).random(COUNT) < 0.5
    drawn = poisson_requests(6.0, COUNT, 1, 1, 5)
    requests = Requests(drawn.arrival, 1, np.where(short, 40, 200))
    queue = nonpreemptive_priorities([3.0, 3.0], [0.04, 0.2], [0.0, 0.0])
    run = simulate_serving(requests, TOKEN, BatchRules(max_num_seqs=1, policy="shortest predicted"))
    for chosen, expected in zip((short, ~short), queue.waiting_time, strict=True):
        assert run.waiting[chosen].mean() == pytest.approx(expected, rel=0.05)


@pytest.mark.parametrize("policy", ["static", "prefill first", "decode first"])
def test_prompts_alone_are_the_queue_with_batch_service(policy) -> None:
    requests = poisson_requests(12.0, COUNT, 10, 1, 3)
    rules = BatchRules(max_num_seqs=4, policy=policy)
    run = simulate_serving(requests, StepPieces(0.1, 0.004, 0.01, 0), rules)
    queue = batch_queue(12.0, 0.1, 0.05, 4)
    assert run.interval("response", 0.99).covers(queue.response_time)
    assert run.mean_batch == pytest.approx(queue.mean_batch, rel=0.01)
    assert run.utilization == pytest.approx(queue.utilization, rel=0.01)


def test_two_choices_at_many_servers() -> None:
    requests = poisson_requests(80.0, COUNT, 1, Exponential(100.0), 4)
    steps, seconds = StepPieces(0.01, 0, 0, 0), requests.output.mean() * 0.01
    run = simulate_serving(requests, steps, ONE, replicas=100, dispatch="two choices")
    expected = power_of_choices(80 * seconds / 100, 2, seconds)
    assert run.response.mean() == pytest.approx(expected.response_time, rel=0.03)
    random = simulate_serving(requests, steps, ONE, replicas=100, dispatch="random")
    expected = power_of_choices(80 * seconds / 100, 1, seconds)
    assert random.response.mean() == pytest.approx(expected.response_time, rel=0.05)


def test_all_at_once_without_limits_takes_as_long_as_the_longest() -> None:
    """n requests of one length: one iteration of prompts, then each step reads all of the cache."""
    steps = StepPieces(0.01, 1e-4, 1e-3, 1e-6, 1e-7)
    run = simulate_serving(Requests(np.zeros(20), 50, 8), steps, BatchRules())
    first = 0.01 + 1e-4 * 1000 + 1e-3 * 20 + 1e-7 * 20 * 50 * 51 / 2
    rest = sum(0.01 + 1e-3 * 20 + 1e-6 * 20 * (50 + made) for made in range(1, 8))
    np.testing.assert_allclose(run.first_token, first)
    np.testing.assert_allclose(run.finish, first + rest)
    np.testing.assert_allclose(run.per_token, rest / 7)
    assert (run.iterations, run.mean_batch, run.peak_kv_tokens) == (8, 20.0, 20 * 64)


def test_a_table_of_a_linear_cost_is_that_cost() -> None:
    tokens, cached = np.array([1.0, 30, 5000]), np.array([0.0, 500, 60_000])
    rules = BatchRules(max_num_seqs=16, policy="decode first")
    requests = poisson_requests(5.0, 300, 100, 50, 1)
    by_cache = StepTable(tokens, cached, 0.01 + 1e-6 * np.stack([cached] * 3))
    table = simulate_serving(requests, by_cache, rules)
    linear = simulate_serving(requests, StepPieces(0.01, 0, 0, 1e-6), rules)
    np.testing.assert_allclose(table.finish, linear.finish)
    short = StepTable(tokens, cached[:2], by_cache.grid[:, :2])
    with pytest.raises(ValueError, match="cached end at 500 and the run reached"):
        simulate_serving(requests, short, rules)
    prompts = poisson_requests(5.0, 300, 100, 1, 1)
    by_tokens = StepTable(tokens, cached, 0.01 + 1e-4 * np.stack([tokens] * 3, axis=1))
    table = simulate_serving(prompts, by_tokens, rules)
    linear = simulate_serving(prompts, StepPieces(0.01, 1e-4, 0, 0), rules)
    np.testing.assert_allclose(table.finish, linear.finish)
    with pytest.raises(ValueError, match="tokens end at 30 and the run reached"):
        simulate_serving(prompts, StepTable(tokens[:2], cached, by_tokens.grid[:2]), rules)


def test_chunks_bound_the_gap_between_tokens() -> None:
    """What the cut is for: no iteration is longer than `chunk` tokens make it."""
    steps = StepPieces(0.01, 1e-4, 1e-4, 0)
    requests = poisson_requests(3.0, 2000, 2000, 50, 6)
    cut = simulate_serving(
        requests, steps, BatchRules(max_num_seqs=32, policy="chunked prefill", chunk_size=256)
    )
    whole = simulate_serving(requests, steps, BatchRules(max_num_seqs=32))
    # A sequence that ends its prompt gains a token too, so that an iteration has one more.
    assert cut.per_token.max() <= 0.01 + 1e-4 * (256 + 2)
    assert np.quantile(whole.per_token, 0.99) > np.quantile(cut.per_token, 0.99)


def test_separate_servers_spare_the_decoding_from_prompts() -> None:
    steps = StepPieces(0.01, 1e-4, 0, 0)
    requests = bursty_requests(2.0, 2000, 2000, 50, 7, squared_variation=4.0)
    mixed = simulate_serving(requests, steps, BatchRules(), replicas=2)
    apart = simulate_serving(
        requests, steps, BatchRules(), replicas=1, prefill_replicas=1, transfer_token=1e-5
    )
    sent = 1e-5 * 2000
    np.testing.assert_array_less(apart.per_token, 0.01 + (sent + 0.011) / 49)
    assert np.quantile(mixed.per_token, 0.9) > 0.02
    assert apart.prefill_tokens == requests.prompt.sum()


@pytest.mark.parametrize("unit", [0.1, 0.7, 1 / 3, 1e-9])
@pytest.mark.parametrize("seed", range(5))
def test_moments_that_coincide_do_so_in_any_unit_of_time(unit: float, seed: int) -> None:
    """A request that comes as an iteration ends is seen by the next one."""
    rng = np.random.default_rng(seed)
    arrival, prompt, output = (rng.integers(low, high, 60) for low, high in BOUNDS)

    def played(second: float) -> ServingRun:
        steps = StepPieces(2 * second, second, 0, 0)
        requests = Requests(arrival * second, prompt, output)
        return simulate_serving(requests, steps, BatchRules(max_num_seqs=3), replicas=2)

    whole, scaled = played(1.0), played(unit)
    for name in ("admitted", "first_token_time", "finish", "replica_busy"):
        assert getattr(scaled, name) / unit == pytest.approx(getattr(whole, name), rel=1e-9)
