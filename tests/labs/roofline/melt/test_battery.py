"""What a token costs a battery."""

from __future__ import annotations

import pytest

from perfmodel.labs.roofline.melt import battery, inputs

MILLIWATT_HOUR = 1e-3 * battery.WATT_HOUR


def test_battery_by_hand():
    assert pytest.approx(1821e-3 * 3600 * 4.2) == inputs.IPHONE_SE.energy
    stored = inputs.GALAXY_S23.energy
    assert stored / battery.WATT_HOUR == pytest.approx(15.14, abs=0.005)
    assert stored / (0.16 * MILLIWATT_HOUR) == pytest.approx(94_625, abs=0.5)


def test_answers_share_the_charge():
    one = float(battery.prompts_per_charge(inputs.PIXEL_6A, 0.5, 1))
    assert one == inputs.PIXEL_6A.energy / 0.5
    assert float(battery.prompts_per_charge(inputs.PIXEL_6A, 0.5, 150)) == pytest.approx(one / 150)


@pytest.mark.parametrize(("energy", "rate", "watts"), [(0.16, 13.6, 7.83), (0.21, 13.2, 9.98)])
def test_power_by_hand(energy, rate, watts):
    power = float(battery.mean_power(energy * MILLIWATT_HOUR, rate))
    assert power == pytest.approx(watts, abs=0.005)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: battery.prompts_per_charge(inputs.PIXEL_6A, 0, 10),
            "energy_per_token must be above 0",
        ),
        (lambda: battery.prompts_per_charge(inputs.PIXEL_6A, 1, 0), "tokens must be above 0"),
        (lambda: battery.mean_power(1, -1), "rate must be above 0"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
