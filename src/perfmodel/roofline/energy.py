"""The roofline in joules: what a computation costs, and why its balance point is another one.

W operations that move Q bytes take T = max(W tau_flop, Q tau_mem) seconds and cost E = W eps_flop +
Q eps_mem + pi_0 T joules: a price for each operation, a price for each byte, and a constant power
while it runs. Time can hide traffic behind arithmetic; energy cannot, so the roof in energy is a
smooth arch.

After Choi, Bedard, Fowler and Vuduc, "A roofline model of energy", IPDPS 2013.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import Floats, non_negative, positive


@dataclass(frozen=True)
class EnergyMachine:
    """What a machine's time and energy cost for one operation and one byte.

    >>> chip = EnergyMachine(1e12, 1e11, energy_per_flop=5e-11, energy_per_byte=1e-9,
    ...                      constant_power=0)
    >>> chip.time_balance, round(chip.energy_balance, 9)
    (10.0, 20.0)
    """

    peak: float
    """FLOP/s."""
    bandwidth: float
    """Bytes/s."""
    energy_per_flop: float
    """Joules of one operation, beyond the constant power."""
    energy_per_byte: float
    """Joules of moving one byte, beyond the constant power."""
    constant_power: float
    """Watts drawn for as long as the computation lasts, 0 or more."""
    power_cap: float | None = None
    """Watts of operations and traffic beyond the constant power, above 0; None for no limit."""

    def __post_init__(self) -> None:
        """Refuse rates and costs that make no sense."""
        for name in ("peak", "bandwidth", "energy_per_flop", "energy_per_byte"):
            positive(name, getattr(self, name))
        non_negative("constant_power", self.constant_power)
        if self.power_cap is not None:
            positive("power_cap", self.power_cap)

    @property
    def time_balance(self) -> float:
        """Intensity in FLOP/byte at which arithmetic and traffic take equally long."""
        return self.peak / self.bandwidth

    @property
    def energy_balance(self) -> float:
        """Intensity in FLOP/byte at which operations and bytes cost equally many joules."""
        return self.energy_per_byte / self.energy_per_flop

    @property
    def best_efficiency(self) -> float:
        """FLOP/J at unlimited intensity, the height of the arch."""
        return float(1 / _floor(self))


def energy_per_operation(machine: EnergyMachine, intensity: ArrayLike) -> Floats:
    """Return J/FLOP of `machine` at `intensity` (FLOP/byte, above 0)."""
    at = positive("intensity", intensity)
    moved = machine.energy_per_flop + machine.energy_per_byte / at
    return np.asarray(moved + machine.constant_power * time_per_operation(machine, at))


def time_per_operation(machine: EnergyMachine, intensity: ArrayLike) -> Floats:
    """Return s/FLOP of `machine` at `intensity`: the longest of arithmetic, traffic and cap."""
    at = positive("intensity", intensity)
    longest = np.maximum(1 / machine.peak, 1 / (at * machine.bandwidth))
    if machine.power_cap is None:
        return np.asarray(longest)
    moved = machine.energy_per_flop + machine.energy_per_byte / at
    return np.asarray(np.maximum(longest, moved / machine.power_cap))


def energy_efficiency(machine: EnergyMachine, intensity: ArrayLike) -> Floats:
    """Return FLOP/J of `machine` at `intensity`, the energy roofline (an arch).

    >>> chip = EnergyMachine(1e12, 1e11, 5e-11, 1e-9, constant_power=0)
    >>> float(energy_efficiency(chip, chip.energy_balance)) == chip.best_efficiency / 2
    True
    """
    return np.asarray(1 / energy_per_operation(machine, intensity))


def average_power(machine: EnergyMachine, intensity: ArrayLike) -> Floats:
    """Return the average watts of `machine` while a kernel of `intensity` runs, the power line.

    Without a cap it is highest at the time balance, where both parts of the machine are busy.

    >>> chip = EnergyMachine(1e12, 1e11, 1e-10, 1e-9, 50)
    >>> average_power(chip, [1, 10]).round(1)
    array([160., 250.])
    """
    spent = energy_per_operation(machine, intensity)
    return np.asarray(spent / time_per_operation(machine, intensity))


def kernel_energy(machine: EnergyMachine, flops: ArrayLike, bytes: ArrayLike) -> Floats:
    """Return the joules of a kernel with `flops` operations and `bytes` of traffic.

    Parameters
    ----------
    machine : EnergyMachine
        What an operation, a byte and a second cost.
    flops, bytes : array_like
        Above 0.

    Examples
    --------
    >>> chip = EnergyMachine(1e12, 1e11, 1e-10, 1e-9, 50)
    >>> float(kernel_energy(chip, 1e9, 1e9).round(3))
    1.6
    """
    work = positive("flops", flops)
    return np.asarray(work * energy_per_operation(machine, work / positive("bytes", bytes)))


def work_for_traffic(
    machine: EnergyMachine, intensity: ArrayLike, extra_work: ArrayLike, less_traffic: ArrayLike
) -> tuple[Floats, Floats]:
    """Return the speedup and the saving factor from computing more to move less.

    Parameters
    ----------
    machine : EnergyMachine
        What an operation, a byte and a second cost.
    intensity : array_like
        FLOP/byte before the change.
    extra_work : array_like
        Factor on the operations, for example 1.5 for recomputing half of them.
    less_traffic : array_like
        Factor that the bytes are divided by.

    Returns
    -------
    speedup, greenup : ndarray
        Time before over time after; energy before over energy after. A value above 1 is better.
        They need not agree: that is the trade-off of the paper's section on algorithms.

    Examples
    --------
    >>> chip = EnergyMachine(1e12, 1e11, 1e-10, 1e-9, 50)
    >>> speedup, saving = work_for_traffic(chip, 1, 2, 4)
    >>> float(speedup), round(float(saving), 2)
    (4.0, 2.78)
    """
    more, less = positive("extra_work", extra_work), positive("less_traffic", less_traffic)
    after = positive("intensity", intensity) * more * less
    slower = more * time_per_operation(machine, after)
    per_operation = more * energy_per_operation(machine, after)
    return (
        np.asarray(time_per_operation(machine, intensity) / slower),
        np.asarray(energy_per_operation(machine, intensity) / per_operation),
    )


def _floor(machine: EnergyMachine) -> float:
    """Return J/FLOP of pure arithmetic, constant power included."""
    slowest = 1 / machine.peak
    if machine.power_cap is not None:
        slowest = max(slowest, machine.energy_per_flop / machine.power_cap)
    return machine.energy_per_flop + machine.constant_power * slowest
