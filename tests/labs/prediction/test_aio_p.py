"""AIO-P: labels by work, transfer to another device, and the drawing of ways to adapt."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression, Ridge

from perfmodel.labs.prediction.aio_p import task_transfer
from perfmodel.labs.prediction.aio_p.label_scaling import (
    by_work,
    relative_residuals,
    restored,
    standardised,
    synthetic_networks,
)
from perfmodel.labs.prediction.aio_p.task_transfer import (
    OTHERS,
    TARGETS,
    WAYS,
    Tasks,
    adapt,
    base,
    tasks,
    ways_to_adapt,
)


def test_by_hand():
    assert by_work(0.76, 1e9 - 1) == pytest.approx(0.076)
    assert by_work(0.76, 3e8) == pytest.approx(0.08019, abs=5e-6)
    assert by_work([1.0, 2.0], [0, 9]) == pytest.approx([1, 1])
    assert standardised(0.70, 6e8, 0.070, 0.004) == pytest.approx(0.397, abs=0.0005)
    assert restored(-0.5, 1e9 - 1, 0.070, 0.004) == pytest.approx(0.68)


@settings(max_examples=50)
@given(st.floats(-1e3, 1e3), st.floats(0, 1e15), st.floats(-10, 10), st.floats(1e-3, 1e3))
def test_restoring_undoes_the_transform(score, work, mean, deviation):
    label = standardised(score, work, mean, deviation)
    scale = 1 + abs(score) + abs(mean) * 16
    assert abs(restored(label, work, mean, deviation) - score) <= 1e-12 * scale


def test_the_transform_helps_where_scores_grow_with_work_only():
    for seed in range(3):
        plain, by = relative_residuals(*synthetic_networks(1, seed=seed))
        assert by < 0.2 * plain
        plain, by = relative_residuals(*synthetic_networks(0, seed=seed))
        assert by > 5 * plain


def test_what_is_left_is_the_noise_that_was_put_in():
    score, work, features = synthetic_networks(0, 4000)
    plain, _ = relative_residuals(score, work, features)
    assert plain * score.std() == pytest.approx(0.01 * score.mean(), rel=0.05)
    assert (work >= 1e6).all()
    assert (work <= 1e10).all()


def test_constant_work_changes_nothing():
    score, _, features = synthetic_networks(0)
    plain, by = relative_residuals(score, np.full(score.size, 1e8), features)
    assert by == pytest.approx(plain)


def test_features_have_a_row_for_each_network():
    with pytest.raises(ValueError, match=r"features must have shape \(3, p\), got \(2, 1\)"):
        relative_residuals([1, 2, 3], [1, 1, 1], [[1], [2]])


@pytest.fixture
def devices():
    """Five operation counts with a price on each device; `curved` is no sum of prices."""
    x = np.random.default_rng(1).uniform(0, 1, (400, 5))
    source = x @ [1, 2, 3, 4, 5]
    seconds = {
        "source": source,
        "slower": 10 + 3 * source,
        "reversed": 20 - source,
        "other": x @ [5, 4, 3, 2, 1],
        "between": x @ [6, 6, 6, 6, 6],
        "curved": np.exp(source / 5),
    }
    return Tasks(x, pd.DataFrame(seconds))


def scores(known, device, learner=None, **how):
    frozen = base(known, LinearRegression(), "source", 200)
    runs = adapt(known, frozen, device, learner or Ridge(1e-9), rounds=3, **how)
    return runs.groupby("approach")[["mae", "spearman"]].mean()


def test_a_device_that_is_slower_by_a_line_needs_the_line_only(devices):
    means = scores(devices, "slower")
    assert means["mae"][["line", "matched"]].max() < 1e-9
    assert means["mae"]["source"] > 0.5
    assert means["spearman"]["source"] == pytest.approx(1)
    assert means["spearman"]["constant"] == 0


def test_an_opposed_device_is_turned_by_the_line_and_made_worse_by_matching(devices):
    means = scores(devices, "reversed")
    assert means["mae"]["line"] < 1e-9
    assert means["mae"]["matched"] > means["mae"]["constant"]
    assert means["spearman"]["matched"] == pytest.approx(-1)


def test_further_devices_span_what_the_source_lacks(devices):
    means = scores(devices, "between", shots=4, others=("other",))
    assert means["mae"]["adapter"] < 0.01
    assert means["mae"]["line"] > 0.05
    assert "adapter" not in scores(devices, "between").index


def test_the_residual_adds_to_the_line(devices):
    means = scores(devices, "other")
    assert means["mae"]["line + residual"] == pytest.approx(0, abs=1e-6)
    assert means["mae"]["target only"] == pytest.approx(0, abs=1e-6)
    assert means["mae"]["line"] > 0.05


def test_errors_are_over_the_range_of_the_target(devices):
    stretched = Tasks(devices.features, devices.seconds * 1000)
    errors = [scores(tasks, "curved")["mae"].to_numpy() for tasks in (devices, stretched)]
    assert errors[0] == pytest.approx(errors[1])


def test_networks_that_the_base_learned_are_not_used(devices):
    spoiled = devices.seconds.copy()
    spoiled.loc[:199, "curved"] = 1e6
    again = Tasks(devices.features, spoiled)
    assert scores(again, "curved").equals(scores(devices, "curved"))


def test_a_new_device_joins_with_the_networks_that_were_timed_on_it(devices):
    here = task_transfer.with_device(devices, "here", 7 * devices.on("other")[200:260], 200)
    assert len(here.features) == 260
    means = scores(here, "here")
    assert means["mae"]["line + residual"] == pytest.approx(0, abs=1e-6)
    with pytest.raises(ValueError, match="NaN"):
        base(here, LinearRegression(), "here", 200)
    with pytest.raises(ValueError, match="seconds must be at most 10, got 11"):
        task_transfer.with_device(devices, "here", np.ones(11), 390)


def test_networks_are_left_to_test_and_the_base_knows_all(devices):
    frozen = base(devices, Ridge(), "source", 200)
    with pytest.raises(ValueError, match="shots must leave 10 of 200 to be tested, got 195"):
        adapt(devices, frozen, "other", Ridge(), shots=195)
    with pytest.raises(ValueError, match="frozen must predict the 400 networks, got 3"):
        adapt(devices, task_transfer.Base(np.ones(3), 2), "other", Ridge())
    with pytest.raises(ValueError, match=r"features must have shape \(400, p\), got \(3, 2\)"):
        Tasks(np.ones((3, 2)), devices.seconds)


@pytest.fixture(scope="module")
def real():
    known = task_transfer.tasks()
    forest = RandomForestRegressor(30, min_samples_leaf=2, random_state=0)
    return known, base(known, forest)


MAE = {
    "1080ti_256": (18.3, 13.7, 11.3, 8.6),
    "titan_rtx_256": (18.7, 12.9, 10.7, 8.4),
    "gold_6226": (18.3, 5.8, 11.4, 5.9),
    "pixel2": (17.5, 11.0, 13.6, 11.1),
    "samsung_s7": (17.5, 8.4, 13.2, 9.5),
    "fpga": (18.4, 11.4, 11.8, 8.1),
    "eyeriss": (18.9, 18.7, 11.7, 11.5),
}
"""An independent run: mean absolute errors in % of the range, with 20 networks of the target."""
ORDER = {
    "1080ti_256": (0.702, 0.883),
    "titan_rtx_256": (0.772, 0.911),
    "gold_6226": (0.949, 0.950),
    "pixel2": (0.799, 0.791),
    "samsung_s7": (0.882, 0.839),
    "fpga": (0.817, 0.911),
    "eyeriss": (0.378, 0.789),
}
"""Spearman's correlation in that run: source, line and residual."""


@pytest.mark.parametrize("device", TARGETS)
def test_real_devices(device, real):
    runs = adapt(*real, device, Ridge(1.0), OTHERS, rounds=12)
    mean = runs.groupby("approach")[["mae", "spearman"]].mean()
    ways = ["constant", "line", "target only", "line + residual"]
    assert 100 * mean["mae"][ways].to_numpy() == pytest.approx(MAE[device], abs=1.0)
    assert mean["mae"]["line"] <= mean["mae"]["matched"]
    ways = ["source", "line + residual"]
    assert mean["spearman"][ways].to_numpy() == pytest.approx(ORDER[device], abs=0.04)
    assert (mean["mae"]["matched"] > mean["mae"]["constant"]) == (device == "eyeriss")


@pytest.mark.parametrize("way", WAYS)
def test_is_readable(way):
    assert ways_to_adapt(way).faults() == []


def test_numbers_are_those_that_a_ridge_learns():
    known = tasks()
    ridge = Ridge(1.0).fit(known.features[:20], known.on("fpga")[:20])
    alone = ridge.coef_.size + 1
    counts = {way: ways_to_adapt(way).values["numbers to learn"] for way in WAYS}  # noqa: PD011
    assert counts["target only"] == alone
    assert counts["line + residual"] == counts["line"] + alone
    assert counts["adapter"] == len(OTHERS) + 2
