"""One seat feels the spread of answers, seats for all don't; the batch holds the long ones."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.serving.continuous_batching.lengths import (
    LAWS,
    LOAD,
    MEAN,
    answers,
    effect,
    length_in_batch,
    static_steps,
    token_time,
)
from perfmodel.labs.serving.continuous_batching.step_fit import yi_steps
from perfmodel.serving import (
    BatchRules,
    Requests,
    mean_length_in_batch,
    serving_iterations,
    simulate_serving,
)


@pytest.mark.parametrize("law", LAWS)
def test_theory_lies_in_the_interval_of_the_run_at_one_seat(law):
    seen = effect(law)
    assert not seen.wait_run.too_short
    assert seen.wait_run.covers(seen.wait)


def test_one_seat_waits_as_pollaczek_and_khinchine_say():
    alike, _, spread = (effect(law) for law in LAWS)
    assert spread.wait / alike.wait == pytest.approx(1 + spread.scv)
    service = MEAN * float(yi_steps().seconds(sequences=1))
    assert alike.wait == pytest.approx(LOAD / (1 - LOAD) * service / 2)


def test_seats_for_all_do_not_feel_the_spread():
    times = [effect(law).token_run for law in LAWS]
    theory = [effect(law).token for law in LAWS]
    np.testing.assert_allclose(times, theory, rtol=0.03)
    assert theory[0] == pytest.approx(theory[2])


@given(st.lists(st.integers(1, 30), min_size=1, max_size=12))
def test_a_look_at_every_token_finds_that_length(lengths):
    requests = Requests(np.zeros(len(lengths)), 1, lengths)
    rules = BatchRules(batch=4, policy="decode first")
    played = serving_iterations(requests, yi_steps(), rules)
    seen = [lengths[one] for each in played for one in (*each.decoding, *each.reading)]
    assert length_in_batch(lengths) == pytest.approx(np.mean(seen))
    scv = np.var(lengths) / np.mean(lengths) ** 2
    assert length_in_batch(lengths) == pytest.approx(
        float(mean_length_in_batch(np.mean(lengths), scv))
    )


@given(st.lists(st.integers(1, 30), min_size=1, max_size=4), st.integers(1, 4))
def test_a_static_batch_lasts_as_long_as_its_longest_answer(lengths, seats):
    longest = [max(drawn) for drawn in product(lengths, repeat=seats)]
    assert static_steps(lengths, seats) == pytest.approx(np.mean(longest))


def test_time_of_a_token_is_a_mean_over_tokens_not_over_requests():
    run = simulate_serving(Requests([0, 0], 1, [3, 2]), yi_steps(), BatchRules(batch=2))
    two, one = yi_steps().seconds(sequences=[2, 1])
    assert token_time(run) == pytest.approx((2 * two + one) / 3)


def test_bad_input():
    with pytest.raises(ValueError, match="law must be one of all alike, as in the chat"):
        answers("none")
