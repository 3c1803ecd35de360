"""Runs of the chat: percentiles, the theory of interrupted pauses, and capacity."""

import numpy as np
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
from perfmodel.labs.serving.continuous_batching.inputs import chat_lengths
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
    assert beyond == pytest.approx(0.05, rel=0.2) or cut == 0


@given(st.integers(1, 400), st.integers(1, 400))
def test_more_seats_never_shorten_the_pause(one, other):
    low, high = sorted((one, other))
    assert interrupted_pause(low) <= interrupted_pause(high)


def test_capacity_is_the_last_rate_that_is_sustained(monkeypatch):
    capacity.cache_clear()
    monkeypatch.setattr(chat, "sustains", lambda policy, rate, limit: rate <= 0.72)
    assert capacity("any") == 0.7
    monkeypatch.setattr(chat, "sustains", lambda policy, rate, limit: False)
    capacity.cache_clear()
    assert capacity("any") == 0.0
    capacity.cache_clear()


def test_a_load_is_sustained_by_chunks_and_not_by_whole_prompts():
    assert sustains(CUT, 0.8)
    assert not sustains(UNCUT, 0.8)
    assert not sustains(CUT, 1.8)


def test_bad_input():
    with pytest.raises(ValueError, match="seats must be 1 or more"):
        interrupted_share(0, 100)
    with pytest.raises(ValueError, match="seats / output must be"):
        interrupted_share(200, 100)
    with pytest.raises(ValueError, match="percent"):
        interrupted_pause(8, percent=101)
