"""One efficiency fitted, others predicted; what they hang on; groups that leave a node."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from perfmodel.communication import ParallelPlans, best_plan, plan_memory, plan_steps
from perfmodel.labs.communication.frontier import calibration
from perfmodel.labs.communication.frontier.calibration import (
    ALTERNATIVES,
    BASE,
    Assumptions,
    calibrated,
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
from perfmodel.labs.communication.frontier.tensor_groups import fit_inside_node


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


def test_unknown_model():
    with pytest.raises(ValueError, match="name must be one of 22B, 175B, 1T, got '7B'"):
        calibration.predict("7B", 0.5)
