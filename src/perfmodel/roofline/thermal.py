"""Heat as a second roof: one thermal resistance, one heat capacity, one temperature limit.

A device without a fan is a lump that takes up power and gives heat to the air. While it is cold it
may draw more than it can get rid of; once it reaches its limit, it can't.

>>> phone = ThermalBody(resistance=3.0, capacity=80.0)
>>> round(phone.sustained_power(48.0), 2), round(phone.time_to_limit(13.8, 48.0))
(7.67, 195)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import Floats, finite, non_negative, positive


@dataclass(frozen=True)
class ThermalBody:
    """A body that holds heat and leaks it: C dT/dt = P - (T - T_ambient) / R.

    Attributes
    ----------
    resistance : float
        Kelvin per watt, to the air, above 0.
    capacity : float
        Joules per kelvin, above 0.
    ambient : float
        Degrees Celsius.
    """

    resistance: float
    capacity: float
    ambient: float = 25.0

    def __post_init__(self) -> None:
        """Refuse a body that holds or leaks nothing."""
        positive("resistance", self.resistance)
        positive("capacity", self.capacity)
        finite("ambient", self.ambient)

    @property
    def time_constant(self) -> float:
        """Seconds in which 63 % of a change is done."""
        return self.resistance * self.capacity

    def temperature(self, time: ArrayLike, power: ArrayLike, start: float | None = None) -> Floats:
        """Return degrees Celsius after `time` (s) at constant `power` (W), from `start`."""
        begin = self.ambient if start is None else float(finite("start", start))
        end = self.ambient + self.resistance * non_negative("power", power)
        decay = np.exp(-non_negative("time", time) / self.time_constant)
        return np.asarray(end + (begin - end) * decay)

    def sustained_power(self, limit: float) -> float:
        """Return the watts that hold the temperature at `limit` (degrees Celsius) for ever."""
        return self._headroom(limit) / self.resistance

    def time_to_limit(self, power: float, limit: float) -> float:
        """Return the seconds at `power` (W) from ambient to `limit`; infinite if never reached."""
        share = self._headroom(limit) / (self.resistance * float(positive("power", power)))
        return float(-self.time_constant * np.log1p(-share)) if share < 1 else np.inf

    def _headroom(self, limit: float) -> float:
        if not float(finite("limit", limit)) > self.ambient:
            raise ValueError(f"limit must be above the ambient {self.ambient:g}, got {limit!r}")
        return limit - self.ambient


def throttled(
    body: ThermalBody, power: float, limit: float, duration: float, step: float = 0.1
) -> tuple[Floats, Floats, Floats]:
    """Simulate a device that draws `power` until it reaches `limit` and then what keeps it there.

    Parameters
    ----------
    body : ThermalBody
        The device, which starts at the ambient temperature.
    power : float
        Watts it would like to draw.
    limit : float
        Degrees Celsius.
    duration, step : float
        Seconds, above 0.

    Returns
    -------
    times, powers, temperatures : ndarray, shape (n,)
        At the start of each step: s, W, degrees Celsius.

    Examples
    --------
    >>> phone = ThermalBody(4.0, 60.0)
    >>> times, powers, temperatures = throttled(phone, 13.8, 48, 600)
    >>> powers[[0, -1]].round(2)
    array([13.8 ,  5.75])
    """
    times = np.arange(0.0, float(positive("duration", duration)), float(positive("step", step)))
    powers, temperatures = np.empty_like(times), np.empty_like(times)
    keeping = min(body.sustained_power(limit), float(positive("power", power)))
    now = body.ambient
    for i in range(times.size):
        powers[i] = keeping if now >= limit else power
        temperatures[i] = now
        now = float(body.temperature(step, powers[i], now))
    return times, powers, temperatures


def tokens_within(body: ThermalBody, rate: float, power: float, limit: float, time: float) -> float:
    """Return the tokens that a throttled device generates in `time` seconds.

    Up to the `limit` (degrees Celsius) of `body` it runs at `rate` tokens/s; afterwards at the
    share of it that the sustained power is of `power`, which takes the energy a token as given.

    >>> phone = ThermalBody(4.0, 60.0)
    >>> round(tokens_within(phone, 10.0, 13.8, 48, 600))
    3255
    """
    cold = min(body.time_to_limit(power, limit), float(non_negative("time", time)))
    slow = min(1.0, body.sustained_power(limit) / power)
    return float(positive("rate", rate)) * (cold + slow * (time - cold))
