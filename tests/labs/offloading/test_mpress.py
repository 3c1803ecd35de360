"""MPress: stages of a pipeline, and where their activations wait."""

from __future__ import annotations

from dataclasses import replace
from itertools import count

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.optimize import linprog

from perfmodel.communication import one_f_one_b, simulate_pipeline
from perfmodel.labs.offloading.mpress.inputs import GPUS, LINK_COUNTS, servers
from perfmodel.labs.offloading.mpress.memory_chart import END, JOB as DRAWN_JOB, memory_by_stage
from perfmodel.labs.offloading.mpress.own_swap import SwapTimes, conclusion, time_swap
from perfmodel.labs.offloading.mpress.swapping import (
    POLICIES,
    RESOLUTION,
    PipelineJob,
    SwapPlan,
    balanced_saving,
    least_capacity,
    most_layers,
    swap_plan,
    swap_problem,
)
from perfmodel.live.drawing import Box
from perfmodel.measurement import median_interval
from perfmodel.offloading import best_placement


@pytest.mark.parametrize("layers", [24, 32, 48])
def test_every_state_can_be_read(layers):
    for moment in range(0, int(END) + 1, 3):
        scene = memory_by_stage(float(moment), layers)
        assert scene.faults() == []
        assert scene.height == memory_by_stage(0.0).height


def test_the_most_is_what_the_model_says():
    most = max(memory_by_stage(float(m)).values["stage 0 (GB)"] for m in range(int(END)))
    assert most == pytest.approx(DRAWN_JOB.needs[0] / 1e9)
    assert memory_by_stage(END).values["stage 0 (GB)"] == pytest.approx(DRAWN_JOB.states / 1e9)
    boxes = [b for b in memory_by_stage(20.0).shapes if isinstance(b, Box) and b.fill == "light"]
    assert len(boxes) >= 8 + 7 + 6


def made(window: float, together: float, scatter: float = 0.0) -> SwapTimes:
    wobble = 1 + scatter * np.linspace(-1, 1, 9)
    return SwapTimes(
        (4,), np.full(9, 10e-3), np.full((1, 9), window), np.array([together * wobble])
    )


def test_times_by_a_clock_that_ticks():
    ticks = count()
    times = time_swap([0, 2], size=64, width=4, repeats=3, clock=lambda: float(next(ticks)))
    assert times.swapping.tolist() == [1.0] * 3
    assert times.window.shape == times.together.shape == (2, 3)
    assert times.exposed.tolist() == [[0.0] * 3] * 2
    assert times.forecast.tolist() == [0.0, 0.0]


def test_exposed_by_the_model():
    assert made(4e-3, 10e-3).forecast == pytest.approx([6e-3])
    assert made(12e-3, 12e-3).forecast == pytest.approx([0.0])
    assert made(4e-3, 11e-3).exposed[0] == pytest.approx(np.full(9, 7e-3))


def test_verdict_says_what_came_out():
    """A swap of 10 ms: the model holds within 1 ms of what it leaves exposed."""
    assert "The model holds here" in conclusion(made(20e-3, 20.5e-3))
    assert "Copy and products slow each other" in conclusion(made(20e-3, 23e-3))
    assert "faster during the other than alone" in conclusion(made(20e-3, 17e-3))
    assert "faster during the other than alone" in conclusion(made(4e-3, 5e-3))
    few = SwapTimes((1,), np.ones(2), np.ones((1, 2)), np.ones((1, 2)))
    assert "too few" in conclusion(few)


@pytest.mark.parametrize("together", [18.5e-3, 20e-3, 21.5e-3])
def test_an_interval_across_the_margin_tells_nothing(together):
    """Nor does a wide one around the forecast."""
    assert "too large to say" in conclusion(made(20e-3, together, 0.2))


def test_verdict_shows_the_interval():
    low, high = median_interval(made(20e-3, 23e-3, 0.01).exposed[0])
    assert f"{1e3 * low:.2g} to {1e3 * high:.2g} ms (95 %)" in conclusion(made(20e-3, 23e-3, 0.01))
    assert low < 3e-3 < high


def test_worked_gpt_by_hand():
    """12 L h^2 = 9.66e9 parameters; s b h (34 + 5 a s / h) a layer is 620.8 MB."""
    job = PipelineJob()
    assert job.parameters == pytest.approx(9.66e9, rel=1e-3)
    assert job.activation == pytest.approx(6 * 2048 * 4096 * 74)
    assert job.states == pytest.approx(19.3e9, rel=2e-3)
    assert job.needs[[0, 7]] == pytest.approx([49.1e9, 23.06e9], rel=1e-3)
    assert job.needs.mean() == pytest.approx(36.1e9, rel=1e-3)
    assert job.kept == 6 * 2 * 2048 * 4096
    assert job.tokens == 65_536


def test_forward_by_hand():
    """Two operations a parameter and token, and attention's 4 s h a token and layer."""
    job = PipelineJob()
    work = 2048 * 6 * (24 * 4096**2 + 4 * 1024 * 4096)
    assert job.forward(1e12) == pytest.approx(work / 1e12)


@given(st.sampled_from([1, 2, 3, 4, 6, 8]), st.integers(1, 12))
def test_in_flight_is_what_the_schedule_holds(stages, micro_batches):
    job = PipelineJob(stages=stages, micro_batches=micro_batches)
    run = simulate_pipeline(one_f_one_b(stages, micro_batches), 1.0, 2.0)
    assert job.in_flight.tolist() == [run.peak(stage) for stage in range(stages)]
    assert job.step(3.0) == pytest.approx(run.makespan)


@given(st.sampled_from([1, 2, 3, 4, 6, 8, 12, 16, 24, 48]))
def test_balance(stages):
    job = PipelineJob(stages=stages, micro_batches=1000)
    held = job.in_flight * job.activation
    assert 1 - held.mean() / held[0] == pytest.approx(balanced_saving(stages))
    assert balanced_saving(stages) < 0.5
    assert (np.diff(job.needs) < 0).all()


def test_layers_that_stages_cannot_share_are_refused():
    with pytest.raises(ValueError, match="stages must divide the 48 layers, got 7"):
        PipelineJob(stages=7)


V100, A100 = servers()["V100"], servers()["A100"]
JOB = PipelineJob()


def period(job, server, policy, order=range(GPUS)):
    plan = swap_plan(job, server, policy, order)
    return np.inf if plan is None else plan.period


def test_cube_mesh_has_six_links_at_each_gpu():
    assert (LINK_COUNTS == LINK_COUNTS.T).all()
    assert (LINK_COUNTS.sum(axis=0) == 6).all()
    assert V100.peer_rates.sum() == 8 * 6 * 25e9
    assert V100.peer_rates.min() == 25e9


def test_ports_of_the_switch_carry_one_way_each():
    assert A100.peer_paths[0].sum() == A100.peer_paths[8].sum() == 7
    assert not A100.peer_paths[:, range(8), range(8)].any()
    assert (A100.peer_paths.sum(axis=0) == 2 * (1 - np.eye(8))).all()


def test_small_models_need_nothing():
    work = 3 * JOB.with_layers(24).forward(V100.rate)
    for policy in POLICIES:
        plan = swap_plan(JOB.with_layers(24), V100, policy)
        assert plan.period == pytest.approx(work)
    steps = 32 + 7
    assert plan.throughput == pytest.approx(65_536 / (steps * work))


def test_peers_alone_need_the_mean_to_fit():
    """Their worked GPT: 36.1 GB on average don't fit 32 GB, and do fit 40 GB."""
    bigger = replace(V100, capacity=40e9)
    assert swap_plan(JOB, V100, "peers") is None
    assert swap_plan(JOB, bigger, "nothing") is None
    assert swap_plan(JOB, bigger, "peers").period == pytest.approx(3 * JOB.forward(V100.rate))
    assert swap_plan(JOB, replace(V100, capacity=0.999 * JOB.needs.mean()), "peers") is None


def test_computing_all_again_takes_a_third_longer():
    job = JOB.with_layers(64)
    least = job.states + 8 * job.kept + (job.activation - job.kept)
    tight = replace(V100, capacity=1.0001 * least)
    forward = job.forward(V100.rate)
    assert period(job, tight, "compute again") == pytest.approx(4 * forward, rel=1e-3)
    assert swap_plan(job, replace(V100, capacity=0.999 * least), "compute again") is None


def test_a_host_link_by_hand():
    """Stages 0 and 1 share a link; what exceeds their memory goes over it in each period."""
    job = JOB.with_layers(64)
    spare = V100.capacity - job.states - job.activation
    over = sum(job.activation - spare / waiting for waiting in (7, 6))
    plan = swap_plan(job, V100, "host")
    assert plan.period == pytest.approx(over / V100.host_link)
    assert plan.loads["host"] == pytest.approx(1)
    assert plan.loads["stages"] < 1
    assert plan.loads["peers"] == 0


def test_late_by_hand():
    """Host link 3 has stages 6 and 7; stage 7 keeps nothing waiting, stage 6 waits one period."""
    job = JOB.with_layers(64)
    problem = swap_problem(job, V100, ("own", "host"))
    shares = np.zeros((GPUS, GPUS + 2))
    shares[np.arange(GPUS), np.arange(GPUS)] = 1.0
    shares[6, [6, GPUS]] = 0.0, 1.0
    placed = best_placement(replace(problem, capacity=problem.capacity + 1e12))
    plan = SwapPlan(job, problem, replace(placed, fractions=shares))
    late = 2 * job.activation / V100.host_link - plan.period
    assert plan.late == pytest.approx([0.0] * 6 + [late, 0.0])
    assert late > 0


def test_only_the_last_stage_but_one_can_be_late():
    """By (4) out and back take two periods at most, and stages before it wait that long."""
    for layers in (32, 48, 56, 64):
        for policy in ("host", "host + again", "all"):
            plan = swap_plan(JOB.with_layers(layers), V100, policy)
            assert plan.late[[0, 1, 2, 3, 4, 5, 7]] == pytest.approx(np.zeros(7), abs=1e-9)
            assert plan.late[6] <= plan.period * (1 + 1e-9)
            on_time = swap_plan(JOB.with_layers(layers), V100, policy, in_time=True)
            if on_time is not None:
                assert on_time.late == pytest.approx(np.zeros(8), abs=1e-9)
                assert on_time.period >= plan.period * (1 - 1e-9)
    assert swap_plan(JOB.with_layers(64), V100, "all", in_time=True) is not None


def test_most_layers():
    assert most_layers(V100, "nothing") == 24
    assert most_layers(replace(V100, capacity=1e9), "all") == 0
    room = replace(V100, capacity=1.001 * (JOB.states + JOB.activation))
    assert most_layers(room, "host") == most_layers(room, "all") == 48
    assert most_layers(room, "compute again") == 40


@settings(max_examples=8, deadline=None)
@given(st.sampled_from([8, 24, 64, 160]), st.integers(1, 12), st.sampled_from(["V100", "A100"]))
def test_least_capacity_by_hand(layers, micro_batches, name):
    """States and a micro-batch, and what a policy leaves at home of those that wait."""
    job = replace(JOB, micro_batches=micro_batches).with_layers(layers)
    waiting = min(8, micro_batches) - 1
    one = job.states + job.activation
    by_hand = {
        "nothing": one + waiting * job.activation,
        "compute again": one + waiting * job.kept,
        "host": one,
        "host + again": one,
        "all": one,
    }
    if name == "A100":
        by_hand["peers"] = max(one, job.needs.mean())
    for policy, least in by_hand.items():
        result = least_capacity(job, servers()[name], policy)
        assert result == pytest.approx(least, abs=2 * RESOLUTION * job.needs.max())


def test_where_nothing_waits_all_ways_need_what_computing_again_needs():
    alone = replace(JOB, micro_batches=1)
    assert least_capacity(alone, V100, "all") == least_capacity(alone, V100, "compute again")


def test_least_capacity_is_where_plans_end():
    job = JOB.with_layers(64)
    for policy in POLICIES:
        least = least_capacity(job, V100, policy)
        assert swap_plan(job, replace(V100, capacity=least), policy) is not None
        below = replace(V100, capacity=least - 2 * RESOLUTION * job.needs.max())
        assert swap_plan(job, below, policy) is None


def test_which_of_host_and_computing_again_is_faster_hangs_on_the_share_of_the_peak():
    slow, fast = servers(0.2)["V100"], servers(0.6)["V100"]
    assert period(JOB, slow, "host") < period(JOB, slow, "compute again")
    assert period(JOB, fast, "host") > period(JOB, fast, "compute again")


@settings(max_examples=12, deadline=None)
@given(
    st.sampled_from([32, 40, 48, 56, 64]),
    st.permutations(range(GPUS)),
    st.sampled_from(["V100", "A100"]),
    st.floats(0.8, 1.3),
)
def test_plans_keep_to_every_limit_and_all_ways_are_best(layers, order, name, room):
    server = servers()[name]
    server = replace(server, capacity=room * 32e9)
    job = JOB.with_layers(layers)
    periods = {policy: period(job, server, policy, order) for policy in POLICIES}
    assert periods["all"] <= min(periods.values()) + 1e-9
    both = periods["host + again"]
    assert both <= min(periods["host"], periods["compute again"], periods["nothing"]) + 1e-9
    plan = swap_plan(job, server, "all", order)
    if plan is None:
        return
    problem, shares = plan.problem, plan.placement.fractions
    assert (plan.placement.used <= problem.capacity * (1 + 1e-6)).all()
    assert shares.sum(axis=1) == pytest.approx(np.ones(GPUS))
    sent = np.einsum("sg,sg->", shares[:, :GPUS], problem.work[GPUS:, :, :GPUS].sum(axis=0))
    if name == "V100":
        hops = shares[:, :GPUS] * (1 - np.eye(GPUS))
        parked = hops.sum() * problem.work[GPUS:, :, :GPUS].max()
        assert sent == pytest.approx(2 * parked)


def test_against_a_program_written_out():
    """Peers and host for 64 layers without the package's placement: bytes as variables."""
    job = JOB.with_layers(64)
    a, waiting = job.activation, job.in_flight - 1
    spare = V100.capacity - job.states - a
    pairs = [(i, j) for i in range(8) for j in range(8) if LINK_COUNTS[i, j]]
    count = len(pairs) + 8 + 1
    upper, limit = [], []
    for gpu in range(8):
        row = np.zeros(count)
        for k, (i, j) in enumerate(pairs):
            row[k] += waiting[i] * ((j == gpu) - (i == gpu))
        row[len(pairs) + gpu] = -waiting[gpu]
        upper.append(row)
        limit.append(spare - waiting[gpu] * a)
        row = np.zeros(count)
        row[[k for k, (i, _) in enumerate(pairs) if i == gpu]] = 1
        row[len(pairs) + gpu] = 1
        upper.append(row)
        limit.append(a)
    for k, (i, j) in enumerate(pairs):
        row = np.zeros(count)
        row[[k, pairs.index((j, i))]] = 1
        row[-1] = -25e9 * LINK_COUNTS[i, j]
        upper.append(row)
        limit.append(0.0)
    for group in range(4):
        row = np.zeros(count)
        row[[len(pairs) + 2 * group, len(pairs) + 2 * group + 1]] = 1
        row[-1] = -V100.host_link
        upper.append(row)
        limit.append(0.0)
    scale = np.append(np.full(count - 1, 1e9), 1.0)
    least = linprog(
        np.append(np.zeros(count - 1), 1.0),
        np.array(upper) * scale / 1e9,
        np.array(limit) / 1e9,
        bounds=[(0, None)] * (count - 1) + [(3 * job.forward(V100.rate), None)],
    )
    both = swap_problem(job, V100, ("own", "peers", "host"))
    assert best_placement(both).time == pytest.approx(least.fun, rel=1e-6)


def test_orders_and_jobs_that_no_server_has_room_for_are_refused():
    with pytest.raises(ValueError, match="order must have a GPU for each of 8 stages"):
        swap_plan(JOB, V100, "host", [0] * 8)
    with pytest.raises(ValueError, match="capacity must hold states and a micro-batch"):
        swap_problem(JOB.with_layers(96), V100)
