"""Memory and time of plans: against event simulation, collectives, other counts, and limits."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.communication import (
    ParallelPlans,
    Tier,
    TieredCluster,
    TrainingJob,
    TransformerShape,
    collective_cost,
    hierarchical_cost,
    interleaved,
    one_f_one_b,
    plan_memory,
    plan_steps,
    ring_time,
    simulate_pipeline,
)
from perfmodel.roofline import Decoder, state_bytes, training_operations_per_token

SHAPE = TransformerShape(layers=24, hidden=2048, heads=16, vocabulary=50_000, sequence=1024)
NEAR, FAR = Tier(8, 100e9), Tier(1024, 20e9, 5e-6, together=10e9)
CLUSTER = TieredCluster(100e12, 40e9, [NEAR, FAR])
JOB = TrainingJob(SHAPE, batch=96, efficiency=0.5)


@given(st.sampled_from([1, 2, 3, 4, 8, 12]), st.integers(1, 5), st.sampled_from([1, 2, 8]))
@settings(max_examples=40, deadline=None)
def test_time_of_1f1b_is_that_of_the_event_simulation(p, groups, t):
    job = TrainingJob(SHAPE, p * groups, 0.5)
    steps = plan_steps(job, CLUSTER, ParallelPlans(t, p, micro_batch=1))
    each = float((steps.compute + steps.tensor) / (p * groups))
    away = CLUSTER.shared_bandwidth(t * p), CLUSTER.latency(t * p)
    message = float(2 * 1024 * 2048 / away[0] + away[1])
    played = simulate_pipeline(one_f_one_b(p, p * groups), each / 3, 2 * each / 3, message)
    assert float(steps.time) == pytest.approx(played.makespan, rel=1e-9)


@given(st.sampled_from([2, 3, 4, 6, 8, 12]), st.integers(1, 40))
@settings(max_examples=60, deadline=None)
def test_messages_that_dont_come_out_even_delay_by_two_more_or_less(p, m):
    steps = plan_steps(TrainingJob(SHAPE, m, 0.5), CLUSTER, ParallelPlans(1, p))
    each = float(steps.compute / m)
    message = float(2 * 1024 * 2048 / CLUSTER.shared_bandwidth(p) + CLUSTER.latency(p))
    played = simulate_pipeline(one_f_one_b(p, m), each / 3, 2 * each / 3, message).makespan
    assert abs(played - float(steps.time)) <= 2 * message * (1 + 1e-9)


def test_one_micro_batch_alone_waits_for_every_message():
    """Three there and three back through four stages, by hand and as played."""
    steps = plan_steps(TrainingJob(SHAPE, 1, 0.5), CLUSTER, ParallelPlans(1, 4))
    message = float(2 * 1024 * 2048 / CLUSTER.shared_bandwidth(4) + CLUSTER.latency(4))
    assert float(steps.messages) == pytest.approx(6 * message)
    played = simulate_pipeline(one_f_one_b(4, 1), 1.0, 2.0, 0.1)
    assert played.makespan == pytest.approx(4 * 3 + 6 * 0.1)


@pytest.mark.parametrize(("p", "chunks"), [(2, 2), (2, 4), (3, 4), (4, 2), (4, 3), (6, 2)])
@pytest.mark.parametrize("groups", [1, 3])
def test_time_of_interleaved_chunks_is_that_of_the_event_simulation(p, chunks, groups):
    m = p * groups
    plan = ParallelPlans(1, p, micro_batch=1, chunks=chunks)
    steps = plan_steps(TrainingJob(SHAPE, m, 0.5), CLUSTER, plan)
    each = float(steps.compute / m)
    message = float(2 * 1024 * 2048 / CLUSTER.shared_bandwidth(p) + CLUSTER.latency(p))
    assert message < each / 3 / chunks / 4
    played = simulate_pipeline(interleaved(p, m, chunks), each / 3, 2 * each / 3, message)
    assert float(steps.time) == pytest.approx(played.makespan, rel=1e-9)
    silent = simulate_pipeline(interleaved(p, m, chunks), each / 3, 2 * each / 3)
    assert float(steps.messages) == pytest.approx(played.makespan - silent.makespan, rel=1e-9)


@pytest.mark.parametrize("chunks", [1, 2, 3])
@pytest.mark.parametrize("recompute", [False, True])
def test_memory_in_flight_is_that_of_the_event_simulation(chunks, recompute):
    p, m = 4, 8
    plan = ParallelPlans(2, p, micro_batch=2, chunks=chunks, recompute=recompute)
    free = TrainingJob(SHAPE, 16, 0.5, {"weights": 0, "gradients": 0, "optimizer": 0})
    kept = SHAPE.layer_activations(2, 2, recompute) * 24 / p
    run = simulate_pipeline(interleaved(p, m, chunks), 1.0, 2.0, activation=kept)
    laid_out = SHAPE.layer_activations(2, 2) if recompute else 0
    assert float(plan_memory(free, plan, m)) == pytest.approx(run.peak(0) + laid_out)


@pytest.mark.parametrize("stage", [0, 1, 2, 3])
def test_states_of_one_stage_are_zero_s(stage):
    plan = ParallelPlans(1, 1, 8, sharded=stage)
    states = plan_memory(JOB, plan, 12) - SHAPE.layer_activations(1) * 24
    assert float(states) == pytest.approx(state_bytes(SHAPE.parameters, gpus=8, stage=stage))


@pytest.mark.parametrize("recompute", [False, True])
def test_operations_are_six_a_parameter_and_attention(recompute):
    """The decoder's gated network of three matrices is as large when it is 8/3 as wide."""
    shape = TransformerShape(24, 3072, 16, 50_000, 1024)
    same = Decoder.uniform(24, 3072, 8192, 16, 16, 50_000, head_dim=192, tied=True)
    ours = float(shape.operations_per_token(recompute))
    theirs = training_operations_per_token(same, 1024, recompute=recompute)
    output = 6 * 50_000 * 3072
    assert ours - output == pytest.approx(theirs - output * (4 / 3 if recompute else 1))


@given(st.integers(2, 64), st.floats(1, 1e9))
@settings(max_examples=40, deadline=None)
def test_ring_time_is_the_collective_s(ranks, size):
    cost = collective_cost("all-reduce", "ring", ranks, size)
    assert float(ring_time(size, ranks, 1e9, 1e-6)) == pytest.approx(cost.time(1e-6, 1e9))


@pytest.mark.parametrize("ranks", [16, 24, 64])
def test_sums_over_nodes_are_the_hierarchical_collective_s(ranks):
    cost = hierarchical_cost(ranks, 8, 1e8)
    stepwise = cost.intra_node.time(0, 100e9) + cost.inter_node.time(5e-6, 10e9)
    assert float(CLUSTER.all_reduce_time(1e8, ranks)) == pytest.approx(stepwise)
    assert stepwise < float(ring_time(1e8, ranks, 20e9, 5e-6))


def test_one_ring_where_it_is_sooner_or_nodes_are_not_full():
    slow = TieredCluster(1e14, 1e9, [Tier(4, 10e9), Tier(64, 9e9, together=2e9)])
    assert float(slow.all_reduce_time(1e8, 8)) == float(ring_time(1e8, 8, 9e9))
    assert float(CLUSTER.all_reduce_time(1e8, 12)) == float(ring_time(1e8, 12, 20e9, 5e-6))


def test_tensor_groups_slow_down_where_they_leave_the_node():
    job = TrainingJob(TransformerShape(24, 4096, 32, 50_000, 2048), 8, 0.5)
    steps = plan_steps(job, CLUSTER, ParallelPlans([1, 2, 4, 8, 16], 1))
    share = steps.tensor / steps.time
    assert share[0] == 0
    assert (np.diff(share) > 0).all()
    assert np.diff(steps.tensor)[3] > np.diff(steps.tensor)[:3].max()
    assert steps.compute * [1, 2, 4, 8, 16] == pytest.approx(np.full(5, steps.compute[0]))


def test_utilization_is_the_efficiency_when_nothing_waits():
    steps = plan_steps(JOB, CLUSTER, ParallelPlans(1, 1, recompute=[False, True]))
    assert steps.utilization[0] == pytest.approx(0.5)
    again = SHAPE.operations_per_token(True) / SHAPE.operations_per_token()
    assert steps.utilization[1] == pytest.approx(0.5 / again)
    assert (steps.time == steps.compute).all()


def test_exchange_hides_behind_the_last_backward_pass():
    plans = ParallelPlans(1, 1, [1, 2, 32], sharded=[[0], [1], [2], [3]])
    open_, hidden = (
        plan_steps(TrainingJob(SHAPE, 96, 0.5, overlap=overlap), CLUSTER, plans).exchange
        for overlap in (False, True)
    )
    assert (open_[:, 0] == 0).all()
    assert (open_[0] == open_[1]).all()
    assert (open_[1:, 1:] < open_[3, 1:]).sum() == 4
    assert (hidden <= open_).all()
    assert (hidden < open_)[:, 1:].all()


def test_passes_of_an_exchange_by_hand():
    """Six micro-batches on sixteen replicas, 10 GB/s for each and 5 us a message."""
    steps = plan_steps(JOB, CLUSTER, ParallelPlans(1, 1, 16, sharded=[0, 1, 2, 3]))
    each = 2 * SHAPE.parameters / 10e9 + 16 * 5e-6
    assert steps.exchange / (15 / 16 * each) == pytest.approx([2, 2, 7, 18])


@pytest.mark.parametrize("recompute", [False, True])
def test_what_the_last_backward_pass_hides(recompute):
    plan = ParallelPlans(2, 1, 24, recompute=recompute)
    open_, hidden = (
        plan_steps(TrainingJob(SHAPE, 96, 0.5, overlap=o), CLUSTER, plan) for o in (False, True)
    )
    # Two sums forward and two backward in a layer; computing it again repeats the first two.
    forward, again, back = (1, 1, 2) if recompute else (1, 0, 2)
    work = (again + back) / (forward + again + back)
    sums = (2 * again + 2) / (2 + 2 * again + 2)
    backward = (work * open_.compute + sums * open_.tensor) / 4
    assert float(open_.exchange - hidden.exchange) == pytest.approx(float(backward))


def test_sums_go_inside_nodes_and_between_them():
    nodes = TieredCluster(1e14, 1e9, [Tier(8, 10e9), Tier(64, 1e9)])
    stepwise = ring_time(1e8, 8, 10e9) + ring_time(1e8 / 8, 2, 1e9)
    assert float(nodes.all_reduce_time(1e8, 16)) == float(stepwise)


def test_micro_batches_trade_bubble_for_memory():
    job = TrainingJob(SHAPE, 96, 0.5)
    steps = plan_steps(job, CLUSTER, ParallelPlans(1, 8, micro_batch=[1, 2, 4, 8]))
    assert (np.diff(steps.bubble) > 0).all()
    assert (np.diff(steps.memory) > 0).all()


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        (ParallelPlans(3, 1), "tensor must divide the 16 heads, got 3"),
        (ParallelPlans(1, [4, 5]), "pipeline x chunks must divide the 24 layers, got 5"),
        (ParallelPlans(1, 1, 5), "data x micro_batch must divide the batch of 96, got 5"),
        (ParallelPlans(1, 4, 16, chunks=2), "must be a multiple of pipeline .* got 6"),
        (ParallelPlans(16, 12, 6), "plans must use 1024 devices at most, got 1152"),
    ],
)
def test_plans_that_dont_divide(plan, words):
    with pytest.raises(ValueError, match=words):
        plan_steps(JOB, CLUSTER, plan)


def test_bad_input():
    with pytest.raises(ValueError, match="tensor must be whole numbers"):
        ParallelPlans(1.5, 1)
    with pytest.raises(ValueError, match="sharded must be 0, 1, 2 or 3, got 4"):
        ParallelPlans(1, 1, sharded=4)
    with pytest.raises(ValueError, match="states must have weights, gradients, optimizer, got w"):
        TrainingJob(SHAPE, 8, 0.5, {"w": 2})
    with pytest.raises(ValueError, match="heads must divide hidden 100, got 3"):
        TransformerShape(1, 100, 3, 10, 10)
    with pytest.raises(ValueError, match="tiers must be one or more"):
        TieredCluster(1e12, 1e9, [])
    with pytest.raises(ValueError, match="got 12 devices after 8"):
        TieredCluster(1e12, 1e9, [Tier(8, 1e9), Tier(12, 1e9)])
    with pytest.raises(ValueError, match="together must be left out of the first tier.* got 1e"):
        TieredCluster(1e12, 1e9, [Tier(8, 1e9, together=1e9), Tier(64, 1e9)])
    with pytest.raises(ValueError, match="states of gradients must be 0 or more, got -2"):
        TrainingJob(SHAPE, 8, 0.5, {"weights": 2, "gradients": -2, "optimizer": 8})
    for call in (CLUSTER.ring_bandwidth, CLUSTER.latency, partial(CLUSTER.all_reduce_time, 1e8)):
        with pytest.raises(ValueError, match="group must be whole numbers, got 2.5"):
            call(2.5)
    with pytest.raises(ValueError, match="group must be 1024 or less, got 2048"):
        CLUSTER.ring_bandwidth(2048)
