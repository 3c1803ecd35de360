"""The shared processor against queues whose answers are known, and against its own balance."""

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.queueing.station.mmc import mm1, mmc
from perfmodel.serving import BatchRules, StepPieces, poisson_requests, simulate_serving
from perfmodel.serving.limits.processor_sharing import processor_sharing_queue


@given(rate=st.floats(0.05, 0.95), output=st.floats(1, 500))
def test_a_step_that_grows_with_each_sequence_is_one_processor(rate: float, output: float) -> None:
    shared = processor_sharing_queue(rate / output, output, [1.0, 2.0], slots=math.inf)
    assert shared.response_time == pytest.approx(mm1(rate / output, 1 / output).response_time)


@given(rate=st.floats(0.05, 0.95), servers=st.integers(1, 8))
def test_steps_that_never_grow_are_that_many_servers(rate: float, servers: int) -> None:
    found = processor_sharing_queue(rate * servers / 50, 50, np.ones(servers))
    known = mmc(rate * servers / 50, 1 / 50, servers)
    assert found.waiting_time == pytest.approx(known.waiting_time, rel=1e-6, abs=1e-9)
    assert found.token_time == pytest.approx(1.0)


@settings(deadline=None)
@given(rate=st.floats(0.1, 0.9), fixed=st.floats(0.01, 3), item=st.floats(0.01, 1))
def test_more_seats_never_make_anybody_wait_longer(rate: float, fixed: float, item: float) -> None:
    times = fixed + item * np.arange(1, 9)
    load = rate * 4 / times[3] / 100
    few, many = (
        processor_sharing_queue(load, 100, times[:4]),
        processor_sharing_queue(load, 100, times),
    )
    assert many.waiting_time <= few.waiting_time * (1 + 1e-9)
    assert many.response_time <= few.response_time * (1 + 1e-9)
    assert few.mean_batch == pytest.approx(load * 100 * few.token_time)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((1.0, 10, []), "step_seconds"),
        ((1.0, 10, [1.0, 1.0]), "rate times output must be below 2"),
        ((0.1, 10, [1.0, 2.0]), "below 1 tokens"),
    ],
)
def test_what_cannot_be_solved_is_refused(arguments: tuple, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        processor_sharing_queue(*arguments)


def test_beyond_the_steps_that_were_given_none_is_shorter() -> None:
    falling = processor_sharing_queue(0.5, 1.0, [2.0, 1.0], slots=math.inf)
    level = processor_sharing_queue(0.5, 1.0, [2.0, *np.ones(60)], slots=math.inf)
    assert falling.mean_batch == pytest.approx(level.mean_batch)


@pytest.mark.parametrize("lengths", [[40], [1, 79], [10, 10, 10, 130]])
def test_the_law_of_the_lengths_does_not_matter_with_seats_for_all(lengths: list[int]) -> None:
    steps = StepPieces(0.01, 0, 2e-3, 0)
    requests = poisson_requests(8.0, 20_000, 1, np.array(lengths), seed=2)
    run = simulate_serving(requests, steps, BatchRules(max_num_seqs=10_000, policy="decode first"))
    seen = (run.finish - run.first_token_time).sum() / (requests.output - 1).sum()
    theory = processor_sharing_queue(
        8.0, 40, steps.seconds(sequences=np.arange(1, 99)), slots=math.inf
    )
    assert seen == pytest.approx(theory.token_time, rel=0.03)
    assert theory.token_time > 2 * float(steps.seconds(sequences=1))
