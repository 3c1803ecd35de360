"""Lifetime of a chip's cores: power heats them, heat wears them, the first failure ends the chip.

The flow follows Song et al. (HPCA 2016, Fig. 2): performance, power, temperature, failure rate,
lifetime. The paper calibrates its sub-models with a simulator. Here they are the standard forms:
power in proportion to area, a compact thermal model with one resistance a core and one for the
package, Arrhenius wear-out, and a series system of parts with constant rates.

Their constants are illustrative, so orderings are meaningful and hours are not. A ValueError is
raised if an argument is outside its range or not finite.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.constants import Boltzmann, elementary_charge

from perfmodel.validation import Floats, non_negative, positive, sample, whole, within

BOLTZMANN = Boltzmann / elementary_charge
"""Boltzmann's constant in eV/K."""


def arrhenius_acceleration(cool: ArrayLike, hot: ArrayLike, activation_energy: ArrayLike) -> Floats:
    """Return how many times as fast a part wears out at `hot` as at `cool`, by failure rates.

    exp(Ea/k (1/T_cool - 1/T_hot)), the law behind electromigration and oxide breakdown.

    Parameters
    ----------
    cool, hot : array_like
        Absolute temperatures in kelvin, above 0; an acceleration below 1 if `hot` is the cooler.
    activation_energy : array_like
        Ea in eV, 0 or more. All three broadcast.

    Examples
    --------
    >>> print(arrhenius_acceleration(338.15, 358.15, [0.7, 0.9]).round(2))
    [3.82 5.61]
    """
    energy = non_negative("activation_energy", activation_energy)
    inverse = 1 / positive("cool", cool) - 1 / positive("hot", hot)
    return np.asarray(np.exp(energy / BOLTZMANN * inverse))


@dataclass(frozen=True)
class ThermalModel:
    """Constants that turn a core's activity into its temperature and failure rate.

    The defaults are illustrative round numbers, not measurements of a chip. All broadcast.
    """

    ambient: ArrayLike = 318.15
    """Temperature of the air, K."""
    power: ArrayLike = 1.1
    """Power of an active core for each base-core equivalent (BCE) of its area, W."""
    core_resistance: ArrayLike = 10.0
    """Thermal resistance from a core of one BCE to the package, K/W."""
    spreading: ArrayLike = 0.5
    """Exponent x of a bigger core's resistance, R(r) = R(1) / r**x; 0 to 1, 1 for no hot spot."""
    package_resistance: ArrayLike = 0.3
    """Thermal resistance from the package to the air, K/W."""
    activation_energy: ArrayLike = 0.9
    """Ea of the wear-out, eV."""
    reference: ArrayLike = 338.15
    """Temperature at which an active BCE fails at rate 1, K; that rate is the unit of all rates."""

    def __post_init__(self) -> None:
        """Refuse temperatures, resistances and energies that no chip has."""
        for name in ("ambient", "power", "reference"):
            positive(name, getattr(self, name))
        for name in ("core_resistance", "package_resistance", "activation_energy"):
            non_negative(name, getattr(self, name))
        within("spreading", self.spreading, 0, 1)

    def temperature(
        self, core_size: ArrayLike, utilization: ArrayLike, chip_power: ArrayLike
    ) -> Floats:
        """Return a core's steady temperature in K, at its power averaged over time.

        The core has `core_size` BCE and is on for the fraction `utilization` of the time; work
        rotates over the cores faster than they heat up or cool down. The `chip_power` is the
        average of all cores together, in W.

        Examples
        --------
        >>> print(ThermalModel().temperature([1, 4], 1.0, 10).round(2))
        [332.15 343.15]
        """
        size = positive("core_size", core_size)
        core_power = np.multiply(self.power, size) * within("utilization", utilization, 0, 1)
        resistance = self.core_resistance / np.power(size, self.spreading)
        shared = np.multiply(self.package_resistance, non_negative("chip_power", chip_power))
        return np.add(self.ambient, shared + resistance * core_power)

    def wear_out_rate(self, core_size: ArrayLike, temperature: ArrayLike) -> Floats:
        """Return the failure rate of an active core, in units of a BCE's at `reference`.

        The core has `core_size` BCE and a `temperature` in K.

        Examples
        --------
        >>> print(ThermalModel().wear_out_rate([1, 4], 338.15))
        [1. 4.]
        """
        wear = arrhenius_acceleration(self.reference, temperature, self.activation_energy)
        return positive("core_size", core_size) * wear


class SimulatedLife(NamedTuple):
    """A mean from simulation and its standard error, s."""

    mean: float
    standard_error: float


def simulate_time_to_failure(rates: ArrayLike, runs: int = 20_000, seed: int = 0) -> SimulatedLife:
    """Return the `SimulatedLife` of a series system, in s, from `runs` lives of all its parts.

    Each part's life is exponential and the system dies with the first, so the result should be
    within a few standard errors of 1 over the sum of the rates.

    Parameters
    ----------
    rates : array_like
        Constant failure rate of each part, a one-dimensional sample, each above 0, 1/s.
    runs : int
        Number of systems simulated, 2 or more.
    seed : int
        Seed of the random generator.

    Examples
    --------
    >>> simulated = simulate_time_to_failure([1.0, 3.0])
    >>> abs(simulated.mean - 0.25) < 3 * simulated.standard_error
    True
    """
    scales = 1 / positive("rates", sample("rates", rates))
    shape = (whole("runs", runs, 2), scales.size)
    lives = np.random.default_rng(whole("seed", seed)).exponential(scales, shape).min(axis=1)
    return SimulatedLife(float(lives.mean()), float(lives.std(ddof=1) / np.sqrt(lives.size)))
