"""Amdahl's law for the lifetime of a chip with big and small cores (Song et al., HPCA 2016).

A chip of n base-core equivalents (BCE) has b big cores of r BCE, over which serial code rotates,
and n - b r small ones for parallel code; idle cores are off. Equation 23 gives its failures
(`perfmodel.scaling.failures`); here its cores wear out by the heat of their work.

Source: W. J. Song, S. Mukhopadhyay and S. Yalamanchili, "Amdahl's law for lifetime reliability
scaling in heterogeneous multicore processors", HPCA 2016, pp. 594-605. The temperatures behind
`ageing` are ours (see `perfmodel.scaling.reliability`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.live.drawing import Fill, Scale, Scene, Shape, Text
from perfmodel.live.drawing.chart import legend
from perfmodel.scaling.failures import Failures
from perfmodel.scaling.heterogeneous import HeterogeneousChip, phase_durations
from perfmodel.scaling.reliability import ThermalModel
from perfmodel.validation import Floats, whole


class Ageing(NamedTuple):
    """A chip's temperatures (K), failures per unit of work, and mean life in work and in time."""

    big_temperature: Floats
    small_temperature: Floats
    failures: Failures
    work_to_failure: Floats
    time_to_failure: Floats


def ageing(parallel_fraction: ArrayLike, chip: HeterogeneousChip, thermal: ThermalModel) -> Ageing:
    """Return the temperatures and the lifetime of a chip whose failure rates follow from its heat.

    This is our model, not the paper's. A core's temperature follows from its average power. A core
    fails at the Arrhenius rate while it is on, and the chip fails with its first core. So the model
    sums over all cores; a factor 1/b appears only through cooler big cores. Rates and lifetimes are
    in units of the wear-out rate of one BCE at the model's reference.

    >>> aged = ageing(0.5, HeterogeneousChip(64, 4, [1, 2]), ThermalModel())
    >>> print(aged.big_temperature.round(1))
    [341.4 330.7]
    """
    serial, parallel = phase_durations(parallel_fraction, chip)
    busy = serial / (serial + parallel)
    area_on = np.multiply(chip.core_size, busy) + chip.small_cores * (1 - busy)
    chip_power = np.multiply(thermal.power, area_on)
    hot_big = thermal.temperature(chip.core_size, np.divide(busy, chip.big_cores), chip_power)
    hot_small = thermal.temperature(1, 1 - busy, chip_power)
    big = serial * thermal.wear_out_rate(chip.core_size, hot_big)
    small = parallel * chip.small_cores * thermal.wear_out_rate(1, hot_small)
    life = 1 / (big + small)
    return Ageing(hot_big, hot_small, Failures(big, small), life, life * (serial + parallel))


def drawn_constants(count: int = 2000, seed: int = 0) -> ThermalModel:
    """Return a thermal model for each of `count` sets of constants drawn from wide ranges.

    The ranges are air of 25 to 55 C, 0.3 to 3 W and 3 to 30 K/W a base core, an exponent of
    spreading of 0.5 to 1, 0.1 to 1 K/W for the package, and 0.5 to 1.1 eV. A result that holds for
    nearly all sets doesn't depend on the constants. The sets have shape (count, 1), to broadcast
    with a row of chips.

    >>> drawn_constants(3).ambient.shape
    (3, 1)
    """
    shape, rng = (whole("count", count, 1), 1), np.random.default_rng(whole("seed", seed))

    def spread_evenly_in_log(low: float, high: float) -> Floats:
        return np.exp(rng.uniform(np.log(low), np.log(high), shape))

    return ThermalModel(
        ambient=rng.uniform(298.15, 328.15, shape),
        power=spread_evenly_in_log(0.3, 3),
        core_resistance=spread_evenly_in_log(3, 30),
        spreading=rng.uniform(0.5, 1, shape),
        package_resistance=spread_evenly_in_log(0.1, 1),
        activation_energy=rng.uniform(0.5, 1.1, shape),
    )


BUDGET, SIZE, MOST = 16, 4, 3
"""Area of the chip and of a big core (BCE), and the big cores that fit."""
UNITS = 6
"""Units of work drawn, one after the other."""
_END = 2.4
_TOP, _ROW = 30.0, 30.0


def core_rotation(big_cores: int, parallel_fraction: float) -> Scene:
    """Draw six units of work: sequential code on one big core at a time, the rest on small cores.

    The 1 to 3 big cores have 4 BCE each on a chip of 16; a fraction f of the work divides over the
    small cores.

    >>> core_rotation(2, 0.5).values["a big core is on (%)"]
    40.0
    """
    count = whole("big_cores", big_cores, 1)
    chip = HeterogeneousChip(BUDGET, SIZE, count)
    serial, parallel = (float(part) for part in phase_durations(parallel_fraction, chip))
    small = int(chip.small_cores)
    time = Scale(0, _END, 84, 348)
    shapes = [_name(f"big {i + 1}", i) for i in range(count)]
    shapes.append(_name(f"{small} small", MOST))
    for unit in range(UNITS):
        start = unit * (serial + parallel)
        shapes.append(_bar(time, unit % count, start, serial, 2))
        shapes.append(_bar(time, MOST, start + serial, parallel, 1))
    shapes += time.below(_TOP + (MOST + 1) * _ROW, "time (1 = a unit of work on one small core)")
    shapes += legend(84, 14, [("sequential", 2, "solid")])
    shapes += legend(200, 14, [("parallel", 1, "light")])
    share = 100 * serial / (serial + parallel) / count
    speedup = 1 / (serial + parallel)
    says = (
        f"With {count} big core{'s' * (count > 1)}, each is on for {share:.0f} % of the time. The "
        f"speedup is {speedup:.2f}."
    )
    return Scene(190, shapes, says, {"a big core is on (%)": share, "speedup": speedup})


def _name(words: str, row: int) -> Shape:
    return Text(words, 78, _TOP + row * _ROW + 11, anchor="end")


def _bar(time: Scale, row: int, start: float, length: float, colour: int) -> Shape:
    fill: Fill = "solid" if colour == 2 else "light"
    return time.bar(start, _TOP + row * _ROW, length, 22, "", colour, fill)
