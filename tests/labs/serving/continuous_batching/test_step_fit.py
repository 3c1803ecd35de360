"""Constants of an iteration: what they were fitted to, and what they weren't."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.serving.continuous_batching.inputs import (
    CHUNKED_SECONDS,
    DECODE_SECONDS,
    PROMPT_SECONDS,
    chat_lengths,
)
from perfmodel.labs.serving.continuous_batching.step_fit import (
    chunked_seconds,
    fit_errors,
    yi_steps,
)
from perfmodel.serving import BatchRules, Requests, StepPieces, simulate_serving


def test_no_other_constants_nearby_fit_better():
    steps = yi_steps()
    constants = np.array(
        [steps.fixed[0], steps.sequence[0], steps.prompt_token[1], steps.prompt_pair[1]]
    )
    new = np.append(np.zeros(8), list(PROMPT_SECONDS))
    sequences = np.append(list(DECODE_SECONDS), np.ones(7))
    measured = np.array([*DECODE_SECONDS.values(), *PROMPT_SECONDS.values()])

    def misfit(values):
        f, s, a, d = values
        ours = np.maximum(f + s * sequences, a * (new + sequences) + d * new * (new + 1) / 2)
        return (np.log(ours / measured) ** 2).sum()

    best = misfit(constants)
    assert best == pytest.approx((np.log1p(fit_errors()) ** 2).sum())
    for one in range(4):
        for factor in (0.98, 1.02):
            other = constants.copy()
            other[one] *= factor
            assert misfit(other) > best


def test_the_fit_is_as_near_as_the_measurements_repeat():
    assert np.abs(fit_errors()).max() < 0.2
    assert np.abs(fit_errors()).mean() < 0.1


def test_decoding_is_bound_by_memory_and_prompts_by_computing():
    steps = yi_steps()
    assert steps.seconds(sequences=128) == pytest.approx(steps.fixed[0] + 128 * steps.sequence[0])
    computing = 1024 * steps.prompt_token[1] + 1024 * 1025 / 2 * steps.prompt_pair[1]
    ours = steps.seconds(prompt_tokens=1024, sequences=1, pairs=1024 * 1025 / 2)
    assert ours == pytest.approx(computing + steps.sequence[1])


@given(st.integers(1, 3000), st.integers(1, 700))
def test_a_prompt_in_chunks_is_the_simulators(prompt, chunk):
    steps = yi_steps()
    rules = BatchRules(batch=1, policy="chunked prefill", chunk=chunk)
    run = simulate_serving(Requests([0.0], prompt, 1), steps, rules)
    assert chunked_seconds(steps, prompt, chunk) == pytest.approx(run.first_token[0])


def test_chunks_never_take_less_and_one_chunk_is_the_prompt():
    steps = yi_steps()
    for prompt in CHUNKED_SECONDS:
        uncut = chunked_seconds(steps, prompt, prompt)
        pairs = prompt * (prompt + 1) / 2
        assert uncut == pytest.approx(float(steps.seconds(prompt, 1, 0, pairs)))
        assert chunked_seconds(steps, prompt, 100) > chunked_seconds(steps, prompt, 512) >= uncut


def test_the_lengths_are_those_that_the_paper_prints():
    prompt, output = chat_lengths()
    assert prompt.size == output.size == 30731
    assert (np.median(prompt), np.median(output)) == (1730, 415)
    assert (np.quantile(prompt, 0.9), np.quantile(output, 0.9)) == (5696, 834)
    assert (prompt + output).max() <= 8192


def test_bad_input():
    with pytest.raises(ValueError, match="chunk must be"):
        chunked_seconds(StepPieces(1, 0, 0, 0), 10, 0)
    with pytest.raises(ValueError, match="prompt must be"):
        chunked_seconds(StepPieces(1, 0, 0, 0), 1.5, 10)
