"""Schedules of training pipelines: idle shares, memory, what they are when there's little to do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.communication import (
    gpipe,
    interleaved,
    one_f_one_b,
    pipeline_bubble,
    simulate_pipeline,
)

P, M, SECONDS = st.integers(1, 7), st.integers(1, 14), st.floats(0.1, 3.0)


@given(P, M, SECONDS, SECONDS)
@settings(max_examples=60, deadline=None)
def test_idle_share_is_the_formula_s(p, m, forward, backward):
    for schedule in (gpipe(p, m), one_f_one_b(p, m)):
        run = simulate_pipeline(schedule, forward, backward)
        assert run.makespan == pytest.approx((m + p - 1) * (forward + backward))
        assert run.idle_fraction == pytest.approx(float(pipeline_bubble(p, m)))


@given(P, st.integers(1, 4), st.integers(1, 4), SECONDS)
@settings(max_examples=60, deadline=None)
def test_idle_share_of_interleaved_chunks(p, groups, chunks, backward):
    run = simulate_pipeline(interleaved(p, p * groups, chunks), 1.0, backward)
    assert run.idle_fraction == pytest.approx(float(pipeline_bubble(p, p * groups, chunks)))


@given(P, M)
@settings(max_examples=60, deadline=None)
def test_memory_of_stages(p, m):
    all_of_it = simulate_pipeline(gpipe(p, m), 1.0, 2.0, activation=3.0)
    less = simulate_pipeline(one_f_one_b(p, m), 1.0, 2.0, activation=3.0)
    assert [all_of_it.peak(s) for s in range(p)] == [3.0 * m] * p
    assert [less.peak(s) for s in range(p)] == [3.0 * min(p - s, m) for s in range(p)]


def test_chunks_cost_memory():
    peaks = [simulate_pipeline(interleaved(4, 16, v), 1.0, 2.0).peak(0) for v in (1, 2, 4)]
    assert peaks == [4, 5.5, 4 * (1 + 3 / 16)]


@given(P, M, SECONDS, st.floats(0, 1))
@settings(max_examples=60, deadline=None)
def test_messages_cost_time_and_slow_stages_set_the_pace(p, m, slow, transfer):
    plain = simulate_pipeline(one_f_one_b(p, m), 1.0, 2.0)
    sent = simulate_pipeline(one_f_one_b(p, m), 1.0, 2.0, transfer)
    assert sent.makespan >= plain.makespan + 2 * (p - 1) * transfer - 1e-9
    uneven = np.ones(p)
    uneven[p // 2] += slow
    run = simulate_pipeline(one_f_one_b(p, m), uneven, 2 * uneven)
    assert run.makespan >= 3 * m * (1 + slow) - 1e-9


def test_bubble_vanishes_with_micro_batches():
    shares = pipeline_bubble(8, [1, 10, 100, 10_000])
    assert (np.diff(shares) < 0).all()
    assert shares[-1] < 1e-3
    assert pipeline_bubble(1, 5) == 0


@given(P, M)
@settings(max_examples=40, deadline=None)
def test_every_stage_takes_every_micro_batch_once_each_way(p, m):
    for schedule in (gpipe(p, m), one_f_one_b(p, m), interleaved(p, p * m, 2)):
        numbers = np.sort(schedule.task.ravel())
        assert numbers.tolist() == list(range(numbers.size))


def test_ten_thousand_tasks_give_the_formula_in_machine_code():
    run = simulate_pipeline(one_f_one_b(16, 1000), 1.0, 2.0)
    assert run.graph.tasks == 32_000
    assert run.makespan == 3045


def test_bad_input():
    with pytest.raises(ValueError, match="micro_batches must be a multiple of the 4 stages, got 6"):
        interleaved(4, 6, 2)
    with pytest.raises(ValueError, match="one for each of the 3 stages"):
        simulate_pipeline(gpipe(3, 2), [1.0, 2.0], 1.0)
