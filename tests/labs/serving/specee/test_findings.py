"""Each sentence is seen to come out in every way."""

import numpy as np
import pytest

from perfmodel.labs.serving.specee import devices, logs
from perfmodel.labs.serving.specee.cascade import Contest, Spread
from perfmodel.labs.serving.specee.devices import Line, Reading, SlowPrompts
from perfmodel.labs.serving.specee.findings import (
    DeviceResults,
    device_results,
    devices_said,
    race_rows,
    race_said,
)
from perfmodel.labs.serving.specee.logs import Interval

SLOW = SlowPrompts(np.array([4, 5, 9]), 1.5, (3.0, 2.0), True, 2, 0.2)
FOUND = DeviceResults(
    ran=20.0,
    full=0.3,
    early=0.15,
    free=0.12,
    every=Line(0.017, 0.002, 0.001, 0.003, 70),
    apart=(0.5, 1.9),
    slow=SLOW,
    slow_full=3,
    still=(0.28, 0.14),
    interval=Interval(1.8, 1.7, 1.9),
    quiet=Line(0.014, 0.0002, 0.01, 0.0025, 67),
    reading=Reading(0.0066, 1.08),
    error=Reading(0.002, 0.03),
)
PARTS = {
    "layer": Spread(2.7e-6, 2.6e-6, 2.8e-6),
    "check": Spread(3.4e-6, 3.3e-6, 3.5e-6),
    "fixed": Spread(9e-6, 8e-6, 9.5e-6),
    "answer": Spread(1.4e-6, 1.2e-6, 1.5e-6),
}
ALL = frozenset(range(1, 6))


def contest(asked=ALL, ratio=(1.0, 0.98, 1.02), faster=(1.0, 1.0, 1.0)):
    """Return the result of a schedule with these medians and ends."""
    forecast, speedup = Spread(1.52, 1.5, 1.54), Spread(1.53, 1.51, 1.55)
    return Contest(
        frozenset(asked), 1.734, 0.995, 0.96, forecast, speedup, Spread(*ratio), Spread(*faster)
    )


def raced(**best):
    """Return what is said of asking everywhere, and of another schedule with this result."""
    return race_said(PARTS, {"every layer": contest(), "best by the model": contest(**best)})


def test_devices_from_beginning_to_end():
    assert devices_said(FOUND) == (
        "Tokens ran 20.0 layers, and by their number alone it would be 1.60 times as fast. "
        "Measured is 2.00: more, as the layers skipped are the slow ones. By (3) without overhead "
        "it would be 2.50; 30 ms a token are more than layers. Does each token pay them, or each "
        "layer on the CPU? The line through all prompts, 17.0 ± 2.0 ms a layer, can't tell. But "
        "the points lie on **two** lines: for a while the machine was slower, at reading prompts "
        "too; perhaps another user, the log doesn't say. With all layers 3 prompts were slow, 2 of "
        "them among these. Shift one row of prompts against the other, and as many meet at 20 % of "
        "all shifts: blocks meet easily, so that this doesn't say whether a pair's runs were near "
        "in time. Prompts drawn anew know nothing of blocks in time: where both runs were quiet, "
        "early exit is 2.00 times as fast, outside the interval above, 1.70 to 1.90. The quiet "
        "line has 14.0 ± 0.2 ms a layer and 10.0 ± 2.5 ms at none (one standard error). So a token "
        "pays 6.6 ± 2.0 ms beside its layers, and a layer on the CPU takes 1.08 ± 0.03 times as "
        "long as in quiet runs without early exit."
    )


def test_less_may_be_gained_than_by_number():
    words = devices_said(FOUND._replace(early=0.2))
    assert "it would be 1.60 times as fast. Measured is 1.50. By (3)" in words
    assert "slow ones" not in words


def test_the_line_may_speak_against_a_reading():
    words = devices_said(FOUND._replace(apart=(2.5, 0.3)))
    assert "17.0 ± 2.0 ms a layer, speaks against one of the two. But" in words
    assert "can't tell" not in words


def test_reading_may_not_tell_slow_prompts_apart():
    words = devices_said(FOUND._replace(slow=SLOW._replace(told_apart=False)))
    assert "the machine was slower; perhaps another user" in words


def test_few_shifts_may_meet():
    words = devices_said(FOUND._replace(slow=SLOW._replace(shifts=0.04)))
    assert "at 4 % of all shifts: the runs of a pair may have been near in time. Prompts" in words
    assert "blocks meet easily" not in words


@pytest.mark.parametrize(
    ("low", "high", "where"),
    [(1.7, 1.9, "outside"), (1.7, 2.1, "within"), (2.05, 2.1, "outside")],
)
def test_quiet_prompts_within_or_outside_the_interval(low, high, where):
    words = devices_said(FOUND._replace(interval=Interval(2.0, low, high)))
    assert f"is 2.00 times as fast, {where} the interval above, {low:.2f} to {high:.2f}." in words


def test_results_are_those_of_the_logs():
    found = device_results()
    assert found.full == devices.token_seconds("full")
    assert found.early == devices.token_seconds("early")
    assert (found.every.prompts, found.quiet.prompts) == (77, 57)
    assert found.slow_full == found.slow.both == 7
    assert found.interval.speedup == logs.speedup(logs.DECODING)
    off = np.array([reading.factor for reading in devices.readings().values()])
    off = found.every.slope - off * devices.cpu_layer()
    assert np.multiply(found.apart, found.every.slope_error) == pytest.approx(np.abs(off))
    assert found.reading.extra > found.error.extra
    assert found.still[0] < found.full


def test_race_from_beginning_to_end():
    assert raced(asked={1, 3}, ratio=(1.01, 0.99, 1.04), faster=(1.1, 1.08, 1.12)) == (
        "A layer takes 2.7 us (95 % 2.6 to 2.8), a check 3.4 us (3.3 to 3.5), the answer after the "
        "last layer 1.4 us. Asked every layer: measured is between 0.98 and 1.02 times the "
        "forecast, which is not refuted. Asked best by the model: measured is between 0.99 and "
        "1.04 times the forecast, which is not refuted. Asking fewer is 1.10 times as fast, as the "
        "model says: faster."
    )


def test_forecast_may_be_off():
    high = raced(ratio=(0.8, 0.7, 0.9))
    assert "by the model: measured is 0.80 times the forecast, which is too high." in high
    low = raced(ratio=(1.2, 1.1, 1.3))
    assert "by the model: measured is 1.20 times the forecast, which is too low." in low


def test_asking_fewer_may_be_slower_or_unknown():
    slower = raced(asked={2}, faster=(0.9, 0.85, 0.95))
    assert slower.endswith("Asking fewer is 0.90 times as fast, against the model: slower.")
    unknown = raced(asked={2}, faster=(1.02, 0.97, 1.06))
    assert unknown.endswith(
        "Asking fewer is between 0.97 and 1.06 times as fast: these rounds can't tell."
    )


def test_the_model_may_ask_everywhere():
    words = raced(faster=(1.1, 1.08, 1.12))
    assert words.endswith("every layer should be asked here: checks are cheap enough.")
    assert "Asking fewer" not in words


def test_rows_show_each_schedule():
    found = {"every layer": contest(ratio=(0.8, 0.7, 0.9)), "nowhere": contest(asked=())}
    assert race_rows(found) == [
        ("after layers", "1, 2, 3, 4, 5", "none"),
        ("layers run", "1.73", "1.73"),
        ("as all layers (%)", "99.5", "99.5"),
        ("right (%)", "96.0", "96.0"),
        ("forecast", "1.52", "1.52"),
        ("measured", "1.53", "1.53"),
        ("95 %", "1.51 to 1.55", "1.51 to 1.55"),
        ("over forecast", "0.70 to 0.90", "0.98 to 1.02"),
    ]
