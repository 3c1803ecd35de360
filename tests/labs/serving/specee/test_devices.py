import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.serving.specee import devices
from perfmodel.labs.serving.specee.devices import (
    FEWEST,
    GPU_LAYER,
    cpu_layer,
    fitted_line,
    forecast_seconds,
    full_seconds,
    long_enough,
    points,
    quiet_reading,
    quiet_seconds,
    reading_seconds,
    readings,
    shares,
    slow_prompts,
    slowed,
    tilted,
    token_seconds,
)
from perfmodel.labs.serving.specee.logs import all_exits, prompts
from perfmodel.serving import device_layers, mean_exit_layer


def test_layers_by_hand():
    """404.8 MB a layer: 0.2 ms from the GPU's memory, 14.2 ms on the CPU, which is 28.5 GB/s."""
    assert pytest.approx(404.8e6, rel=1e-3) == devices.LAYER_BYTES
    assert pytest.approx(404.8e6 / 2039e9, rel=1e-3) == GPU_LAYER
    assert cpu_layer() == pytest.approx((230.06e-3 - 16 * 0.1985e-3) / 16, rel=1e-3)
    assert full_seconds(16) == pytest.approx(token_seconds("full"))


def test_forecast_is_the_tokens_mean():
    exits = all_exits()
    mean = np.mean(np.minimum(exits, 16) * GPU_LAYER + np.maximum(exits - 16, 0) * cpu_layer())
    assert forecast_seconds(16) == pytest.approx(mean)
    assert device_layers(shares(), 16).second == pytest.approx(9.3447, abs=1e-4)


def test_early_exit_gained_more_than_layers_say_and_less_than_devices_allow():
    measured = token_seconds("full") / token_seconds("early")
    assert 32 / mean_exit_layer(shares()) < measured < full_seconds(16) / forecast_seconds(16)


@pytest.mark.parametrize("reading", readings().values(), ids=readings())
def test_each_reading_gives_the_measured_mean(reading):
    assert forecast_seconds(16, reading) == pytest.approx(token_seconds("early"))


def test_line_is_least_squares_and_agrees_with_both_readings():
    layers, seconds = points()
    assert layers.size == fitted_line().prompts == 77
    slope, intercept = np.polyfit(layers, seconds, 1)
    line = fitted_line()
    assert (line.slope, line.intercept) == (pytest.approx(slope), pytest.approx(intercept))
    for reading in readings().values():
        assert abs(line.slope - reading.factor * cpu_layer()) < 2 * line.slope_error
        assert abs(line.intercept - reading.extra) < 2 * line.intercept_error


def test_two_states_are_far_apart():
    """Time of a layer: slow prompts are 20 % above the slowest quiet one."""
    rows, kept = prompts(), long_enough()
    layers = np.full(80, 1.0)
    layers[kept] = points()[0]
    for which, by in (("full", np.ones(80)), ("early", layers)):
        time = rows[f"{which}_ms"] / np.maximum(rows[f"{which}_tokens"], 1) / by
        slow, quiet = time[slowed(which)], time[kept & ~slowed(which)]
        assert slow.min() / quiet.max() > 1.2
        assert slow.max() / slow.min() < 1.1
    assert not slowed("early")[~kept].any()
    assert slowed("early")[43:61].all()


def test_slow_prompts_were_read_slowly_too():
    """Reading a prompt has no part in finding the slow ones, and tells the same ones apart."""
    for which in ("full", "early"):
        seconds, slow = reading_seconds(which), slowed(which)
        assert seconds[slow].min() > seconds[long_enough() & ~slow].max()
        assert np.median(seconds[slow]) / np.median(seconds[~slow]) == pytest.approx(1.47, abs=0.02)
    assert not (slowed("full") & ~slowed("early")).any()


def test_slow_prompts_come_in_a_block_that_others_meet_easily():
    """Full: 50 to 57 but 53; early: 44 to 61. A span of 8 fits in there at 11 of 80 shifts."""
    slow = slow_prompts()
    assert slow.block.tolist() == [*range(44, 62)]
    assert slow.both == slowed("full").sum() == 7
    assert slow.shifts == 11 / 80
    assert slow.told_apart
    assert slow.longer == pytest.approx(slow.reading[0] / slow.reading[1], rel=0.05)


def test_quiet_line_is_tight_and_finds_both_kinds_of_overhead():
    """57 prompts, hardly off the line: the intercept and the slope are both beyond layers alone."""
    line, (reading, error) = fitted_line(quiet=True), quiet_reading()
    assert line.prompts == (long_enough() & ~slowed("early")).sum() == 57
    assert line.slope_error < fitted_line().slope_error / 5
    assert reading.extra == pytest.approx(line.intercept - 16 * GPU_LAYER)
    assert reading.extra > 3 * error.extra
    assert reading.factor - 1 > 3 * error.factor
    assert quiet_seconds("full") < token_seconds("full")
    assert quiet_seconds("full") / quiet_seconds("early") > token_seconds("full") / token_seconds(
        "early"
    )


def test_points_are_prompts_of_some_length():
    layers, seconds = points()
    assert FEWEST == 20
    assert (layers > 0).all()
    assert 0.05 < seconds.min() < seconds.max() < 0.4


@given(st.floats(12, 31))
def test_tilted_shares_have_the_mean_asked_for(mean):
    found = tilted(mean)
    assert found.sum() == pytest.approx(1)
    assert mean_exit_layer(found) == pytest.approx(mean)
    left = shares()
    kept = (left > 0) & (np.arange(32) > 12)
    steps = np.diff(np.log(found[kept] / left[kept])) / np.diff(np.flatnonzero(kept))
    assert steps == pytest.approx(np.full(steps.size, steps[0]), abs=1e-6)


def test_refuses():
    with pytest.raises(ValueError, match="mean must be between 10 and 31.5"):
        tilted(32.0)
    with pytest.raises(ValueError, match="on_first must be at most the 32 layers"):
        forecast_seconds(33)
