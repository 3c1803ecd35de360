"""Frontier: plans for a trillion parameters, calibrated on two, and split products."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import accumulate, chain, count, cycle

import numpy as np
import pytest

from perfmodel.communication import ParallelPlans, best_plan, plan_memory, plan_steps
from perfmodel.labs.communication.frontier import calibration
from perfmodel.labs.communication.frontier.calibration import (
    ALTERNATIVES,
    BASE,
    Assumptions,
    calibrated,
    fit_inside_node,
    job_of,
    plans_of,
    predicted,
    tensor_shares,
    under_alternatives,
)
from perfmodel.labs.communication.frontier.inputs import (
    PRINTED,
    SHAPES,
    STATES,
    TENSOR_THROUGHPUT,
    frontier,
)
from perfmodel.labs.communication.frontier.own_products import (
    ProductTimes,
    conclusion,
    shared_product,
    time_products,
)
from perfmodel.labs.communication.frontier.schedule_chart import (
    END,
    SCHEDULES,
    STAGES,
    _middle,
    schedule_steps,
)
from perfmodel.live.drawing import Box


def test_shapes_have_the_sizes_of_their_names():
    sizes = [shape.parameters for shape in SHAPES.values()]
    assert np.allclose(sizes, [22.07e9, 174.6e9, 1008e9], rtol=1e-3)


def test_a_gpu_is_half_a_package():
    cluster = frontier()
    assert cluster.peak == 191.5e12
    assert cluster.memory == 64e9
    assert np.ceil(1e12 * sum(STATES.values()) / cluster.memory) == 219
    reached = np.array(list(PRINTED.values())) * cluster.peak / 1e12
    assert reached == pytest.approx([73.5, 69.2, 61.2], abs=0.05)


def test_only_the_first_is_fitted():
    assert predicted("22B").utilization == pytest.approx(PRINTED["22B"])
    assert predicted("175B").utilization == pytest.approx(0.3865, abs=2e-4)
    assert predicted("1T").utilization == pytest.approx(0.3250, abs=2e-4)
    for name in SHAPES:
        assert sum(predicted(name).shares.values()) == pytest.approx(1)
        assert predicted(name).memory <= frontier().memory


def test_guessing_the_first_again_is_nearer_for_175b_and_far_off_for_1t():
    for name, guess, ours in (("175B", 0.062, 0.069), ("1T", 0.201, 0.017)):
        assert PRINTED["22B"] / PRINTED[name] - 1 == pytest.approx(guess, abs=5e-4)
        assert predicted(name).utilization / PRINTED[name] - 1 == pytest.approx(ours, abs=1e-3)


def test_utilization_is_efficiency_times_the_share_of_products_that_count():
    best = predicted("1T")
    counted = SHAPES["1T"].operations_per_token() / SHAPES["1T"].operations_per_token(True)
    assert best.plan.recompute
    assert best.utilization == pytest.approx(calibrated() * best.shares["compute"] * counted)


def test_a_trillion_fits_only_where_activations_are_computed_again():
    with pytest.raises(ValueError, match="plans must have one that fits"):
        best_plan(job_of("1T", 0.5), frontier(), plans_of("1T", Assumptions(recompute=(False,))))
    assert not predicted("175B").plan.recompute


def test_memory_of_the_chosen_plan_by_hand():
    plan = ParallelPlans(8, 32, 12, sharded=1, recompute=True)
    h, s, layers = 25_600, 2048, 4
    states = (layers * (12 * h * h + 13 * h) + (51_200 + s) * h) / 8 * (2 + 4 + 8 / 12)
    kept = 32 * layers * 2 * s * h
    laid_out = s * h * (10 + (24 + 5 * 128 * s / h) / 8)
    assert float(plan_memory(job_of("1T", 0.5), plan, 256)) == pytest.approx(
        states + kept + laid_out
    )


def test_what_decides_the_fall():
    shares = under_alternatives()
    free = np.array([False in a.recompute for a in ALTERNATIVES])
    assert shares.shape == (72, 3)
    assert BASE in ALTERNATIVES
    assert np.allclose(shares[:, 0], PRINTED["22B"])
    assert (shares[free, 2] < 0.345).all()
    assert (shares[~free, 2] > 0.385).all()


def test_the_middle_model_stands_at_the_edge_of_memory():
    spared = [predicted(name, Assumptions(memory=0.9)) for name in SHAPES]
    assert spared[1].memory < 0.9 * frontier().memory < predicted("175B").memory
    assert spared[0].utilization > spared[1].utilization > spared[2].utilization


@pytest.mark.parametrize("name", ["175B", "1T"])
def test_weak_scaling_is_the_printed_100_percent(name):
    """The plan within a replica and its share of the batch stay as they are."""
    cluster, plan = frontier(), predicted(name).plan
    job = job_of(name, calibrated())
    small = replace(job, batch=job.batch // int(plan.data))
    alone = replace(plan, data=np.array(1))
    times = [float(plan_steps(j, cluster, p).time) for j, p in ((small, alone), (job, plan))]
    assert 0.98 < times[0] / times[1] < 1


def test_sums_of_a_layer_by_hand():
    """Two GPUs of 175B: four sums of 1.0 ms in all, beside 119.5 ms of products."""
    shares = tensor_shares((1, 2, 4, 8, 16))
    assert shares[0] == 0
    assert shares[1] == pytest.approx(1.007 / (1.007 + 119.5), rel=0.02)
    assert (np.diff(shares) > 0).all()


def test_groups_inside_a_node_are_fitted_and_the_next_is_predicted():
    fit = fit_inside_node()
    off = fit.throughput(list(TENSOR_THROUGHPUT)) / list(TENSOR_THROUGHPUT.values()) - 1
    assert (np.abs(off[:3]) < 0.02).all()
    assert 0.05 < off[3] < 0.15
    assert off[4] > 0.5


@pytest.mark.parametrize("size", [2, 3, 8, 65])
def test_halves_add_up_to_the_product(size):
    x, w = np.random.default_rng(size).random((2, size, size))
    with ThreadPoolExecutor(2) as pool:
        ours = shared_product(x, w, pool, np.empty((2, size, size)))
    assert ours == pytest.approx(x @ w)


def test_times_by_a_clock_that_ticks():
    ticks = count()
    times = time_products([4, 8], repeats=3, clock=lambda: float(next(ticks)))
    assert [t.size for t in times] == [4, 8]
    assert times[0].alone == times[0].shared == 1
    assert times[0].forecast == 3
    assert times[0].forecast_gain == pytest.approx(1 / 3)
    assert times[0].gain == 1


def test_the_fastest_counts_and_the_first_call_does_not():
    """A clock on which the four calls of each kind take 1, 2, 5 and 7 seconds."""
    readings = accumulate(
        chain.from_iterable((0.0, spent) for spent in cycle([1.0, 2.0, 5.0, 7.0]))
    )
    times = time_products([4], repeats=3, clock=lambda: next(readings))[0]
    assert (times.alone, times.half, times.adding, times.handing, times.shared) == (2,) * 5


def test_verdict_says_what_came_out():
    good = ProductTimes(512, 4e-3, 2e-3, 1e-4, 0.0, 2.2e-3)
    bad = ProductTimes(64, 1e-5, 6e-6, 1e-6, 5e-6, 2e-5)
    assert "faster from n = 512;" in conclusion([bad, good])
    assert "within 10 %" in conclusion([bad, good])
    late = ProductTimes(1024, 3e-2, 1.6e-2, 1e-3, 5e-6, 3.2e-2)
    assert "faster at n = 512, but not at the largest n; the" in conclusion([bad, good, late])
    assert "the forecast says from n = 512." in conclusion([bad, good, late])
    again = ProductTimes(2048, 3e-1, 1.6e-1, 1e-3, 5e-6, 1.7e-1)
    assert "faster from n = 2048;" in conclusion([good, late, again])
    assert conclusion([bad]).startswith("Two cores are faster nowhere; the forecast says nowhere.")
    assert "67 % longer than forecast" in conclusion([bad])


def test_the_field_is_what_is_searched():
    field = calibration.plan_field()
    assert 0.5 < field.failing < 0.8
    assert calibration.tried(int(np.argmin(field.seconds))) == field.best
    assert calibration.tried(int(np.argmax(field.seconds))) is None


def test_learning_is_sooner_than_chance():
    learned, chance = (calibration.median_over_best(learning) for learning in (True, False))
    assert (learned[: calibration.LEARN_FROM] == chance[: calibration.LEARN_FROM]).all()
    assert 1 <= learned[-1] < 1.05 < chance[-1]


def test_a_regression_that_knows_no_memory_points_beyond_it():
    picks = [calibration.regressed(seed) for seed in calibration.SEEDS]
    assert all(over >= 1 for over, _ in picks)
    assert max(failures for _, failures in picks) > 10


@pytest.mark.parametrize("learning", [True, False])
def test_stairs_stand_on_every_trial_and_never_slope(learning):
    trials, heights = calibration.best_so_far(learning, first=4, most=2.0)
    across, down = np.diff(trials), np.diff(heights)
    assert (across * down == 0).all()
    best = np.minimum(calibration.median_over_best(learning), 2.0)
    assert heights[::2] == pytest.approx(best[3:])
    assert trials[::2].tolist() == list(range(4, 41))


def test_standings_are_the_races():
    rows = {name: rest for name, *rest in calibration.standings()}
    assert list(rows) == ["chance", "regression", "learning", "whitebox"]
    assert rows["chance"][2] == calibration.median_over_best(False)[-1]
    assert rows["regression"][0] > calibration.TRIALS
    assert all(worst >= median >= 1 for *_, median, worst in rows.values())


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_every_state_can_be_read(schedule):
    for moment in range(int(END) + 1):
        assert schedule_steps(schedule, float(moment)).faults() == []


def test_the_end_and_the_memory():
    ends = [schedule_steps(name, END) for name in SCHEDULES]
    assert [scene.values["idle (%)"] for scene in ends] == pytest.approx([100 / 3] * 2)
    assert "at most 6" in ends[0].says
    assert "at most 4" in ends[1].says
    assert all(scene.values["held by stage 0"] == 0 for scene in ends)


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("moment", [0.0, 1.0, 3.0, 5.5, 6.0, 9.0, 14.0, END])
def test_what_is_held_is_what_is_drawn(schedule, moment):
    """Micro-batches whose forward pass is drawn, and whose backward pass isn't to its end."""
    scene = schedule_steps(schedule, moment)
    boxes = [shape for shape in scene.shapes if isinstance(shape, Box)]
    for stage in range(STAGES):
        row = [box for box in boxes if abs(box.y + 10 - _middle(stage)) < 1]
        passes = [box for box in row if box.height == 20]
        begun = sum(box.colour == 1 for box in passes)
        ended = sum(box.colour == 2 and bool(box.label) for box in passes)
        assert scene.values[f"held by stage {stage}"] == begun - ended


def test_sheets_are_of_one_size():
    heights = {schedule_steps(n, m).height for n in SCHEDULES for m in (0.0, 5.0, END)}
    assert len(heights) == 1
