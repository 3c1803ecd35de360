"""Lengths seen by requests, tokens and the cache, against sums over real lists of requests."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.serving.limits.lengths import (
    mean_context,
    mean_length_in_batch,
)

LENGTHS = st.lists(st.integers(1, 300), min_size=1, max_size=30)


@given(outputs=LENGTHS, prompt=st.integers(0, 500))
def test_context_is_the_sum_over_all_steps_of_all_requests(outputs: list[int], prompt: int) -> None:
    n = np.array(outputs)
    scv = n.var() / n.mean() ** 2
    read = [prompt + step for length in outputs for step in range(length)]
    assert mean_context(prompt, n.mean(), scv) == pytest.approx(np.mean(read), rel=1e-9)


@given(outputs=LENGTHS)
def test_a_step_drawn_at_random_belongs_to_a_long_answer(outputs: list[int]) -> None:
    n = np.array(outputs)
    by_step = np.repeat(n, n)
    found = mean_length_in_batch(n.mean(), n.var() / n.mean() ** 2)
    assert found == pytest.approx(by_step.mean(), rel=1e-9)
    assert found >= n.mean() * (1 - 1e-12)
