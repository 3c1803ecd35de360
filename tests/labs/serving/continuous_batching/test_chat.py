"""Runs of the chat: percentiles, the theory of interrupted pauses, and capacity."""

import math
import random

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.serving.continuous_batching import chat
from perfmodel.labs.serving.continuous_batching.chat import (
    CUT,
    UNCUT,
    capacity,
    chat_run,
    interrupted_pause,
    interrupted_share,
    sustains,
)
from perfmodel.labs.serving.continuous_batching.inputs import (
    WHOLE,
    chat_lengths,
    sent_requests,
)
from perfmodel.labs.serving.continuous_batching.step_fit import yi_steps


def test_pauses_are_as_many_as_tokens_after_the_first():
    seen = chat_run(rate=0.3, count=60)
    answers = seen.run.requests.output
    assert seen.pauses.size == (answers - 1).sum()
    sums = np.bincount(seen.owner, seen.pauses, minlength=60)
    np.testing.assert_allclose(sums, seen.run.finish - seen.run.first)


def test_without_company_pauses_are_steps_of_one_sequence():
    seen = chat_run(rate=1e-4, count=20)
    assert seen.pause(100) == pytest.approx(float(yi_steps().seconds(sequences=1)))


def test_a_limit_is_kept_on_average_or_by_every_pause():
    """One request at a time, counted by hand; its mean is below the limit more often."""
    seen = chat_run(UNCUT, rate=0.6, count=60)
    pauses = [seen.pauses[seen.owner == one] for one in range(60)]
    on_average = sum(one.size == 0 or one.mean() <= 0.15 for one in pauses)
    by_all = sum(one.size == 0 or one.max() <= 0.15 for one in pauses)
    assert seen.kept_on_average(0.15) == pytest.approx(on_average / 60)
    assert seen.kept_by_all(0.15) == pytest.approx(by_all / 60)
    assert 0 < by_all < on_average
    with pytest.raises(ValueError, match="limit must be"):
        seen.kept_by_all(-1.0)


def test_chunks_bound_the_pause_by_their_iteration():
    """At most 512 tokens, the last of a long prompt: the pairs of 8,192 tokens at most."""
    longest = float(yi_steps().seconds(512, 0, 0, 512 * 8192))
    assert chat_run(CUT, rate=0.8, count=100).pause(100) <= longest * (1 + 1e-9)
    assert chat_run(UNCUT, rate=0.8, count=100).pause(99) > longest


@pytest.mark.parametrize("seats", [16, 32, 64])
def test_theory_of_interrupted_pauses_meets_the_run_where_seats_are_full(seats):
    run = chat_run(UNCUT, seats=seats, rate=10.0, count=25 * seats)
    assert interrupted_pause(seats) == pytest.approx(run.pause(99), rel=0.15)
    share = np.mean(run.pauses > float(yi_steps().seconds(sequences=seats)) + 1e-6)
    assert float(interrupted_share(seats, run.run.requests.output.mean())) == pytest.approx(
        share, rel=0.2
    )


def test_few_seats_leave_more_than_99_of_100_pauses_alone():
    assert interrupted_pause(4) == float(yi_steps().seconds(sequences=4))
    prompt, output = chat_lengths()
    reading = yi_steps().seconds(prompt, 1, 0, prompt * (prompt + 1) / 2)
    share = 20 / output.mean()
    cut = interrupted_pause(20, percent=95.0) - float(yi_steps().seconds(sequences=20))
    beyond = share * np.mean(reading > cut)
    assert beyond == pytest.approx(0.05, rel=0.2)


@given(st.integers(1, 400), st.integers(1, 400))
def test_more_seats_never_shorten_the_pause(one, other):
    low, high = sorted((one, other))
    assert interrupted_pause(low) <= interrupted_pause(high)


def test_capacity_is_the_last_rate_that_is_sustained(monkeypatch):
    capacity.cache_clear()
    for most, found in ((0.725, 0.72), (-1.0, 0.0), (9.0, 2.0)):
        monkeypatch.setattr(chat, "sustains", lambda policy, rate, limit, most=most: rate <= most)
        assert capacity("any") == found
        capacity.cache_clear()


def test_a_load_is_sustained_by_chunks_and_not_by_whole_prompts():
    assert sustains(CUT, 0.4)
    assert not sustains(UNCUT, 0.4)
    assert not sustains(CUT, 1.8)


def test_the_ablation_is_of_the_requests_that_the_script_sends():
    """Its own lines, with its own libraries: a shuffled table, gaps one by one."""
    prompt, output = chat_lengths()
    table = pd.DataFrame({"p": prompt, "o": output}).sample(frac=1, random_state=42)
    random.seed(42)
    clock, arrivals = 0.0, []
    for _ in range(128):
        clock += min(-math.log(1.0 - random.random()) / 0.5, 3.0 / 0.5)
        arrivals.append(clock)
    ours = sent_requests(0.5, 128)
    np.testing.assert_allclose(ours.arrival, arrivals)
    assert ours.prompt.tolist() == table.p.head(128).tolist()
    assert ours.output.tolist() == table.o.head(128).tolist()
    assert (ours.prompt > 3000).sum() == 35  # said in the ledger


def test_other_draws_do_not_bring_the_printed_pause_of_uncut_prompts():
    pauses = [chat_run(CUT, chunk=WHOLE, seed=seed).pause(99) for seed in range(10)]
    assert min(pauses) > 1.2  # said in the ledger


def test_bad_input():
    with pytest.raises(ValueError, match="seats must be 1 or more"):
        interrupted_share(0, 100)
    with pytest.raises(ValueError, match="seats / output must be"):
        interrupted_share(200, 100)
    with pytest.raises(ValueError, match="rate"):
        sent_requests(0.0, 4)
    with pytest.raises(ValueError, match="percent"):
        interrupted_pause(8, percent=101)
