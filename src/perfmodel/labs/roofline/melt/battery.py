"""What a token costs a phone's battery (MELT, Laskaridis et al., MobiCom 2024).

>>> phone = milliampere_hours(3785, 4.0)
>>> float(prompts_per_charge(phone, energy_per_token=0.16e-3 * WATT_HOUR, tokens=150).round())
631.0
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import Floats, positive

WATT_HOUR = 3600.0
"""Joules."""


@dataclass(frozen=True)
class Battery:
    """A phone's battery: charge in coulombs and the voltage that the analysis takes as fixed."""

    charge: float
    voltage: float

    @property
    def energy(self) -> float:
        """Joules."""
        return self.charge * self.voltage


def milliampere_hours(capacity: float, voltage: float) -> Battery:
    """Return the battery of `capacity` mAh at a fixed `voltage` (V).

    >>> round(milliampere_hours(3785, 4.0).energy / WATT_HOUR, 2)
    15.14
    """
    return Battery(capacity * 3.6, voltage)


def prompts_per_charge(battery: Battery, energy_per_token: ArrayLike, tokens: ArrayLike) -> Floats:
    """Return the answers that a full battery gives; `energy_per_token` (J) is the whole phone's."""
    answer_energy = positive("energy_per_token", energy_per_token) * positive("tokens", tokens)
    return np.asarray(battery.energy / answer_energy)


def mean_power(energy_per_token: ArrayLike, rate: ArrayLike) -> Floats:
    """Return the watts that joules a token (`energy_per_token`) and tokens/s (`rate`) imply."""
    return positive("energy_per_token", energy_per_token) * positive("rate", rate)
