"""Pools that feel each other: against stages in turn, by hand, and what more links can't worsen."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.serving import BatchRules, Requests, ServingRun, StepPieces, simulate_serving
from tests.serving.batching.test_core import PIECES, SECOND, cases

MANY = 10**9


@given(cases(), st.integers(1, 3), st.sampled_from([0.0, 0.125, 1.0]))
@settings(max_examples=150, deadline=None)
def test_with_links_for_all_it_is_one_stage_after_the_other(case, readers, lag) -> None:
    """The slow loop over both pools against the two stages in turn, which share only the core."""
    requests, steps, rules, replicas, dispatch, *_ = case
    given_ = {
        "replicas": replicas,
        "dispatch": dispatch,
        "prefill_replicas": readers,
        "transfer_token": lag,
    }
    apart = simulate_serving(requests, steps, rules, **given_)
    coupled = simulate_serving(requests, steps, rules, **given_, transfer_links=MANY)
    for name in ServingRun.__dataclass_fields__:
        if name != "requests":
            mine, theirs = getattr(coupled, name), getattr(apart, name)
            np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-12, err_msg=name)


def test_a_link_sends_one_prompt_after_the_other() -> None:
    """Both prompts are read in 1 s. Of 2 s each, the second is sent from 3 s to 5 s."""
    requests = Requests([0, 0], 10, 2)
    rules = BatchRules(max_num_seqs=2)
    found = [
        simulate_serving(
            requests, SECOND, rules, prefill_replicas=1, transfer_token=0.2, transfer_links=links
        )
        for links in (1, 2)
    ]
    assert found[0].second_token_time.tolist() == [4, 6]
    assert found[1].second_token_time.tolist() == [4, 4]
    assert found[0].largest_inter_token_latency.tolist() == [3, 5]


def test_blocks_that_are_held_keep_others_out() -> None:
    """The cache holds one prompt. It is read in [0, 1), sent until 3, the next read in [3, 4)."""
    requests = Requests([0, 0], 10, 2)
    rules, roomy = BatchRules(cache_tokens=16), BatchRules()
    first = [
        simulate_serving(
            requests,
            *(SECOND, roomy),
            prefill_replicas=1,
            prefill_rules=rules,
            transfer_token=0.2,
            hold_until_sent=hold,
            transfer_links=2,
        ).first_token_time.tolist()
        for hold in (False, True)
    ]
    assert first == [[1, 2], [1, 4]]


def test_a_full_decode_server_stops_the_transfer() -> None:
    """A prompt needs both blocks. The first decodes in [3, 6); only then is the second sent."""
    requests = Requests([0, 0], 10, 4)
    rules, roomy = BatchRules(cache_tokens=32), BatchRules()
    found = {}
    for wait in (False, True):
        run = simulate_serving(
            requests,
            *(SECOND, BatchRules(cache_tokens=16)),
            prefill_replicas=1,
            prefill_rules=roomy,
            transfer_token=0.2,
            transfer_links=2,
            back_pressure=wait,
        )
        found[wait] = run.second_token_time.tolist()
    assert found == {False: [4, 7], True: [4, 9]}
    both = simulate_serving(
        requests, SECOND, rules, prefill_replicas=1, transfer_token=0.2, back_pressure=True
    )
    assert both.second_token_time.tolist() == [4, 4]


def test_all_three_brakes_pass_on_to_prefill() -> None:
    """The second waits for the decode server until 6 and holds the blocks that the third needs."""
    requests = Requests([0, 0, 0], 10, 4)
    run = simulate_serving(
        requests,
        *(SECOND, BatchRules(cache_tokens=16)),
        prefill_replicas=1,
        prefill_rules=BatchRules(cache_tokens=16),
        transfer_token=0.2,
        transfer_links=1,
        hold_until_sent=True,
        back_pressure=True,
    )
    assert run.first_token_time.tolist() == [1, 4, 9]
    assert run.second_token_time.tolist() == [4, 9, 14]


def test_room_that_was_reserved_is_given_back_whole():
    """Requests come in another order than their numbers, and need blocks for whole answers."""
    run = simulate_serving(
        Requests(np.zeros(4), np.ones(4, int), [2, 2, 3, 3], priority=[1, 1, 0, 0]),
        PIECES,
        BatchRules(
            1, cache_tokens=3, block_size=1, policy="static", order="priority", reserve="whole"
        ),
        prefill_replicas=1,
        transfer_token=0.125,
        transfer_links=1,
        back_pressure=True,
    )
    assert run.replica_output_tokens.sum() == 10


@given(cases(), st.integers(1, 2), st.booleans(), st.booleans())
@settings(max_examples=80, deadline=None)
def test_every_token_comes_and_a_brake_loses_none(case, readers, hold, wait) -> None:
    requests, _, rules, replicas, dispatch, *_ = case
    run = simulate_serving(
        requests,
        PIECES,
        rules,
        replicas=replicas,
        dispatch=dispatch,
        prefill_replicas=readers,
        transfer_token=0.125,
        transfer_links=1,
        hold_until_sent=hold,
        back_pressure=wait,
    )
    assert run.replica_output_tokens.sum() == requests.tokens
    longer = requests.output > 1
    sent = run.first_token_time + 0.125 * requests.prompt
    assert (run.second_token_time[longer] > sent[longer] - 1e-9).all()
    assert (run.finish >= run.first_token_time).all()
    mean, largest = run.per_token[longer], run.largest_inter_token_latency[longer]
    assert (largest >= mean - 1e-9).all()
    assert (largest <= (run.finish - run.first_token_time)[longer] + 1e-9).all()


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(1, 40)), min_size=1, max_size=20))
@settings(max_examples=60, deadline=None)
def test_arrivals_over_one_link_follow_lindley(pairs) -> None:
    """One prompt an iteration of 1 s: a queue in front of a link, in closed form by recursion."""
    arrival, prompt = zip(*pairs, strict=True)
    requests = Requests(arrival, prompt, 2)
    run = simulate_serving(
        requests,
        StepPieces(1, 0, 0, 0),
        BatchRules(),
        prefill_replicas=1,
        prefill_rules=BatchRules(max_num_seqs=1),
        replicas=len(pairs),
        transfer_token=0.25,
        transfer_links=1,
    )
    free, sent = 0.0, []
    for ready, tokens in zip(run.first_token_time, requests.prompt, strict=True):
        free = max(free, ready) + 0.25 * tokens
        sent.append(free)
    assert run.second_token_time == pytest.approx(np.array(sent) + 1)


def test_bad_input() -> None:
    requests = Requests([0], 10, 2)
    with pytest.raises(ValueError, match="transfer_links must be"):
        simulate_serving(requests, SECOND, BatchRules(), prefill_replicas=1, transfer_links=0)


@given(cases(), st.integers(0, 2), st.integers(1, 6))
@settings(max_examples=60, deadline=None)
def test_no_more_are_in_flight_than_the_client_allows(case, readers, concurrency) -> None:
    """A request is sent at its arrival or at once when another finishes, and never beyond them."""
    requests, steps, rules, replicas, dispatch, *_ = case
    run = simulate_serving(
        requests,
        steps,
        rules,
        replicas=replicas,
        dispatch=dispatch,
        prefill_replicas=readers,
        transfer_token=0.125,
        concurrency=concurrency,
    )
    sent, finish = run.requests.arrival, np.sort(run.finish)
    for i, moment in enumerate(sent):
        freed = finish[i - concurrency] if i >= concurrency else 0.0
        earlier = sent[i - 1] if i else 0.0
        assert moment == pytest.approx(max(requests.arrival[i], freed, earlier), rel=1e-12)


def test_a_closed_loop_obeys_littles_law() -> None:
    """With 8 always in flight, throughput times mean response is 8, but for the run's two ends."""
    requests = Requests(np.zeros(4000), 20, np.arange(4000) % 30 + 1)
    run = simulate_serving(requests, PIECES, BatchRules(max_num_seqs=4), concurrency=8)
    in_flight = len(requests) / run.span * run.response.mean()
    assert in_flight == pytest.approx(8, rel=2e-3)


def test_a_cached_beginning_saves_its_reading() -> None:
    """20 tokens of the prompt at 1/8 s each; the last 4 read them, whose pairs stay."""
    reading = StepPieces(0, 0.125, 0, 0)
    whole, cached = (
        simulate_serving(Requests([0], 24, 3, cached=part), reading, BatchRules())
        for part in (0, 20)
    )
    assert whole.first_token_time[0] == pytest.approx(3.0)
    assert cached.first_token_time[0] == pytest.approx(0.5)
    assert cached.prefill_tokens == 4


def test_a_closed_loop_over_servers_drawn_at_random_is_a_closed_network() -> None:
    """Five requests among three exponential servers: mean value analysis gives 15/7 a second."""
    prompts = np.maximum(1, np.rint(np.random.default_rng(1).exponential(10_000, 20_000)))
    requests = Requests(np.zeros(prompts.size), prompts, 1)
    one = BatchRules(max_num_seqs=1)
    run = simulate_serving(
        requests, StepPieces(0, 1e-4, 0, 0), one, replicas=3, dispatch="random", concurrency=5
    )
    assert prompts.size / run.finish.max() == pytest.approx(15 / 7, rel=0.02)


def test_a_closed_loop_over_reading_sending_and_writing_is_a_recursion() -> None:
    """Three stations take one at a time; a request is sent when the fourth before it ends.

    Station j ends request i at max(its end of i - 1, end of i at j - 1) plus its time.
    """
    rng = np.random.default_rng(2)
    prompts, outputs = rng.integers(1, 200, 150), rng.integers(2, 30, 150)
    one = BatchRules(max_num_seqs=1)
    run = simulate_serving(
        Requests(np.zeros(150), prompts, outputs), StepPieces(0.125, 0, 0, 0), one,
        prefill_replicas=1, prefill_steps=StepPieces(0, 2**-6, 0, 0), transfer_token=2**-7,
        transfer_links=1, concurrency=4,
    )  # fmt: skip
    ended, at = list[float](), np.zeros(3)
    for i, (prompt, output) in enumerate(zip(prompts, outputs, strict=True)):
        now = ended[i - 4] if i >= 4 else 0.0
        for j, seconds in enumerate((prompt * 2**-6, prompt * 2**-7, 0.125 * (output - 1))):
            at[j] = now = max(now, at[j]) + seconds
        ended.append(now)
    assert run.finish == pytest.approx(ended)
