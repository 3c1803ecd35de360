"""One request at a time: M/G/1 against the simulator and against a sum step by step."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.serving import (
    BatchRules,
    Requests,
    StepPieces,
    StepTable,
    poisson_requests,
    simulate_serving,
    unbatched_queue,
    unbatched_seconds,
)

STEPS = StepPieces([0.0, 0.01], [2e-4, 0], [2e-4, 1e-3], [0, 1e-5], [1e-7, 0])
ONE = BatchRules(max_num_seqs=1, block_size=1)
TOKENS = st.tuples(st.integers(1, 200), st.integers(1, 60))


@given(lengths=st.lists(TOKENS, min_size=1, max_size=8))
def test_seconds_alone_are_those_of_the_simulator(lengths: list[tuple[int, int]]) -> None:
    prompt, output = np.array(lengths).T
    apart = Requests(1e4 * np.arange(len(lengths)), prompt, output)
    run = simulate_serving(apart, STEPS, ONE)
    np.testing.assert_allclose(unbatched_seconds(STEPS, prompt, output), run.response, rtol=1e-6)


def test_a_table_serves_as_well_as_pieces() -> None:
    table = StepTable([1, 400], [0, 800], [[0.01, 0.02], [0.05, 0.06]])
    steps = [float(table.seconds(0, 1, 10 + j)) for j in (1, 2)]
    found = unbatched_seconds(table, [10], [3])
    assert found == pytest.approx([float(table.seconds(10, 1, 0)) + sum(steps)])


def test_waiting_is_that_of_the_simulator() -> None:
    lengths = np.array([5, 10, 200])
    theory = unbatched_queue(0.5, STEPS, np.full(3, 50), lengths)
    requests = poisson_requests(0.5, 40_000, 50, lengths, seed=3)
    waiting = simulate_serving(requests, STEPS, ONE).interval("waiting", 0.999)
    assert waiting.covers(float(theory.waiting_time))
    assert not waiting.covers(1.1 * float(theory.waiting_time))


@pytest.mark.parametrize(
    ("prompt", "output", "said"),
    [([1], [0], "output"), ([0.5], [1], "prompt"), ([1, 2], [1], "output must be 2")],
)
def test_lengths_that_no_request_has_are_refused(prompt: list, output: list, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        unbatched_seconds(STEPS, prompt, output)
