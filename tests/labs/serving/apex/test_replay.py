import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.serving.apex import replay as lab
from perfmodel.labs.serving.apex.exchange import AllReduce, all_reduce
from perfmodel.labs.serving.apex.replay import (
    FITTED_TO,
    PAPER,
    Constants,
    decoder_steps,
    fitted,
    lengthened,
    loaded,
    means,
    predicted,
    relative_first,
    replay,
    room,
    since_start,
)
from perfmodel.labs.serving.apex.served import alone, find
from perfmodel.serving import Requests


def test_a_lone_request_by_hand():
    """One prompt of 300, five tokens: four steps that read weights and 300 to 303 tokens."""
    run = replay(Requests([0.0], [300], [5]), 4)
    steps = decoder_steps(4)
    after = sum(float(steps.seconds(0, 1, 300 + made)) for made in range(4))
    assert means(run).token == pytest.approx(after / 5, rel=1e-3)
    prompt = float(steps.seconds(300, 0, 0, 300 * 301 / 2))
    assert means(run).first == pytest.approx(prompt, rel=0.01)


@settings(max_examples=10, deadline=None)
@given(st.integers(1, 40), st.integers(0, 50))
def test_sum_of_times_is_accounted_for(count, seed):
    rng = np.random.default_rng(seed)
    arrival = np.sort(rng.uniform(0, 5, count))
    run = replay(Requests(arrival, rng.integers(1, 900, count), rng.integers(1, 60, count)), 8)
    own = means(run)
    assert count * own.first + run.requests.tokens * own.token == pytest.approx(own.total)


def test_context_costs_time():
    requests = Requests([0.0, 0.1], [2000, 4000], [50, 50])
    assert means(replay(requests, 8)).token > means(replay(requests, 8, context=False)).token


def test_room_is_the_plans_but_for_what_vllm_counts():
    """97 % of 80 GB less all weights, tables included."""
    left = 0.97 * 80e9 - 2 * 70_553_436_160 / 2
    assert room(2) == pytest.approx(left / 163_840, rel=0.001)
    assert room(2) < room(4) < room(8)


def test_fitted_constants_do_not_move_any_more():
    """One more step of Newton's method with slopes taken here changes them by less than 1 %."""
    runs = [find(*key) for key in FITTED_TO]
    target = np.array([run.printed.token for run in runs])
    logs = np.log(fitted()[:3])

    def errors(at):
        return np.array([predicted(run, Constants(*np.exp(at))).token for run in runs]) / target - 1

    here = errors(logs)
    slope = np.stack([(errors(logs + 0.02 * unit) - here) / 0.02 for unit in np.eye(3)], axis=1)
    step = np.linalg.lstsq(slope, here, rcond=None)[0]
    assert np.abs(step).max() < 0.01
    assert np.abs(here).max() < 0.02


def test_half_of_the_data_sheet_is_missing_without_constants():
    run = find("lmsys_05", 8)
    assert predicted(run, PAPER).token < 0.6 * run.printed.token


def test_a_slow_exchange_turns_the_order_round(monkeypatch):
    """With an all-reduce of 100 us on eight GPUs, four are faster: the order could be otherwise."""

    def slow(ranks, gpu="H100"):
        line = all_reduce(ranks, gpu)
        return AllReduce(1e-4 if ranks == 8 else line.latency, line.byte_time)

    requests = Requests([0.0], [100], [20])
    assert means(replay(requests, 8)).token < means(replay(requests, 4)).token
    monkeypatch.setattr(lab, "all_reduce", slow)
    assert means(replay(requests, 8)).token > means(replay(requests, 4)).token


def test_since_start_weighs_by_tokens():
    run, chat = find("creation_05", 4), find("lmsys_05", 4)
    both, own, before = since_start(run), predicted(run), predicted(chat)
    weight = run.output_tokens / (run.output_tokens + chat.output_tokens)
    assert both.token == pytest.approx(weight * own.token + (1 - weight) * before.token)
    assert both.total == pytest.approx(own.total + before.total)
    assert since_start(chat) == before


def test_first_tokens_are_compared_with_those_taken_apart():
    run, chat = find("creation_05", 4), find("lmsys_05", 4)
    first = [predicted(one).first for one in (run, chat)]
    assert first == pytest.approx(
        (1 + relative_first((run, chat), PAPER)) * [alone(run).first, chat.printed.first]
    )
    assert alone(run).first != pytest.approx(run.printed.first)


def test_context_lengthens_a_token_more_where_texts_are_longer():
    """Chat has 150 tokens a request, summaries have 2,900."""
    chat, summaries = (
        lengthened(find(trace, 8), PAPER) for trace in ("lmsys_05", "summarization_05")
    )
    assert 0 < 5 * chat < summaries < 0.2


def test_loaded_has_the_rate_asked_for_and_waits_more_the_higher_it_is():
    run = find("creation_05", 8)
    slow, fast = (loaded(run, rate, 2, PAPER, count=80) for rate in (0.2, 20.0))
    assert (slow.requests.rate, fast.requests.rate) == pytest.approx((0.2, 20.0))
    assert slow.requests.tokens == fast.requests.tokens == run.offered().output[:80].sum()
    assert fast.response.mean() > slow.response.mean()
    assert set(fast.replica.tolist()) == {0, 1, 2, 3}


def test_refuses():
    with pytest.raises(ValueError, match="ranks must be one of"):
        decoder_steps(3)
    with pytest.raises(ValueError, match="overhead must be 0 or more"):
        decoder_steps(8, Constants(1.0, -1.0, 0.0))
