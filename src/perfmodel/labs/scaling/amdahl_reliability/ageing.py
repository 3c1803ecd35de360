"""Amdahl's law for the lifetime of a chip with big and small cores (Song et al., HPCA 2016).

A chip of n base-core equivalents (BCE) has b big cores of r BCE and n - b r small ones. Scheduling
is dynamic: serial code runs on one big core at a time and rotates over all b of them, parallel code
runs on the small cores, and idle cores are off. Equation 23 gives the failures of such a chip
(`perfmodel.scaling.failures`); here its cores wear out by the heat of their work.

Source: W. J. Song, S. Mukhopadhyay and S. Yalamanchili, "Amdahl's law for lifetime reliability
scaling in heterogeneous multicore processors", HPCA 2016, pp. 594-605. The temperatures behind
`ageing` are ours (see `perfmodel.scaling.reliability`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.ledger import Claim, Trend, half_unit
from perfmodel.scaling.failures import Failures, failure_rate, failures, smallest_big_cores
from perfmodel.scaling.heterogeneous import Chip, phases, speedup
from perfmodel.scaling.reliability import ThermalModel, arrhenius_acceleration
from perfmodel.validation import Floats


class Ageing(NamedTuple):
    """A chip's temperatures (K), failures per unit of work, and mean life in work and in time."""

    big_temperature: Floats
    small_temperature: Floats
    failures: Failures
    work_to_failure: Floats
    time_to_failure: Floats


def ageing(parallel_fraction: ArrayLike, chip: Chip, thermal: ThermalModel) -> Ageing:
    """Return the temperatures and the life of a chip whose failure rates follow from its heat.

    Ours, not the paper's: cores take the temperature of their average power, fail at the Arrhenius
    rate while they are on, and the chip dies with the first of them (a sum over all cores, with no
    1/b but that of cooler big cores).

    Parameters
    ----------
    parallel_fraction : array_like
        Share f of the time on one base core that divides over the small cores, from 0 to 1.
    chip : Chip
        Cores of the chip.
    thermal : ThermalModel
        Constants of power, heat and wear.

    Returns
    -------
    Ageing
        Rates and lives in units of the wear-out rate of one BCE at the model's reference.

    Raises
    ------
    ValueError
        If `parallel_fraction` is outside its range.

    Examples
    --------
    >>> print(ageing(0.5, Chip(64, 4, [1, 2]), ThermalModel()).big_temperature.round(1))
    [341.4 330.7]
    """
    serial, parallel = phases(parallel_fraction, chip)
    busy = serial / (serial + parallel)
    chip_power = thermal.power * (np.multiply(chip.core_size, busy) + chip.small_cores * (1 - busy))
    hot_big = thermal.temperature(chip.core_size, np.divide(busy, chip.big_cores), chip_power)
    hot_small = thermal.temperature(1, 1 - busy, chip_power)
    big = serial * thermal.wear_out_rate(chip.core_size, hot_big)
    small = parallel * chip.small_cores * thermal.wear_out_rate(1, hot_small)
    life = 1 / (big + small)
    return Ageing(hot_big, hot_small, Failures(big, small), life, life * (serial + parallel))


def claims() -> list[Claim]:
    """Return what the paper and its equation say, beside what this module computes."""
    return [*_equation_claims(), *_worked_claims(), *_finding_claims()]


_SONG = "Song et al., HPCA 2016, "
_BIG_RATE, _SMALL_RATE = 6.0, 1.0
# Eq. 23 worked out by hand for n = 64, r = 4 (s = 2) and the two rates above, as printed text:
# f: ((b, failures per unit of work, speedup), ...).
_WORKED = {
    0.9: (
        (1, "1.200", "15.38"),
        (2, "1.050", "15.14"),
        (4, "0.975", "14.55"),
        (8, "0.9375", "12.80"),
    ),
    0.5: ((1, "2.000", "3.871"), (2, "1.250", "3.862"), (4, "0.875", "3.840")),
    0.99: ((1, "1.020", "46.51"), (2, "1.005", "44.09"), (4, "0.9975", "39.02")),
}
_WORKED_RATES = ((1, "18.46"), (2, "15.89"), (4, "14.18"), (8, "12.00"))


def _per_work(f: float, b: int) -> float:
    return float(np.add(*failures(f, Chip(64, 4, b), _BIG_RATE, _SMALL_RATE)))


def _faster(f: float, b: int) -> float:
    return float(speedup(f, Chip(64, 4, b)))


def _worked(what: str, printed: str, unit: str, compute: Callable[[], float]) -> Claim:
    return Claim(
        system="amdahl_reliability",
        quantity=what,
        kind="recomputed",
        published=float(printed),
        unit=unit,
        source=_SONG + "Eq. 23, worked by hand",
        compute=compute,
        derived=True,
        absolute=half_unit(printed),
    )


def _equation_claims() -> list[Claim]:
    made = []
    for f, rows in _WORKED.items():
        for b, per_work, faster in rows:
            case = f"f = {f}, n = 64, r = 4, b = {b}"
            made += [
                _worked(f"failures per work, {case}", per_work, "1", partial(_per_work, f, b)),
                _worked(f"speedup, {case}", faster, "1", partial(_faster, f, b)),
            ]
    return made


def _worked_claims() -> list[Claim]:
    chip = "f = 0.9, n = 64, r = 4"
    rates = [
        _worked(f"failures per time, {chip}, b = {b}", printed, "1", partial(_rate, b))
        for b, printed in _WORKED_RATES
    ]
    accelerations = [
        _worked(
            f"wear-out at 85 C over that at 65 C, {energy} eV",
            printed,
            "1",
            partial(_acceleration, energy),
        )
        for energy, printed in ((0.9, "5.61"), (0.7, "3.82"))
    ]
    return [
        *rates,
        *accelerations,
        _worked(f"duration, {chip}, b = 2", "0.066071", "1", lambda: 1 / _faster(0.9, 2)),
        _worked(
            "fewest big cores with 10 % of the failures, f = 0.9, r = 4",
            "3",
            "1",
            lambda: smallest_big_cores(0.9, 4, _BIG_RATE, _SMALL_RATE, share=0.1),
        ),
    ]


def _acceleration(energy: float) -> float:
    return float(arrhenius_acceleration(338.15, 358.15, energy))


def _rate(b: int) -> float:
    return float(failure_rate(0.9, Chip(64, 4, b), _BIG_RATE, _SMALL_RATE))


def _finding_claims() -> list[Claim]:
    finding = partial(
        Claim, system="amdahl_reliability", kind="trend", unit="", source=_SONG + "findings"
    )
    many = "too many big cores shorten the lifetime and lower the performance"
    return [
        finding(
            quantity="who fails first with one big core (illustrative temperatures)",
            published="one big core is the reliability bottleneck of sequential-heavy work",
            compute=_bottleneck,
        ),
        finding(
            quantity="what a second and a fourth big core do (illustrative temperatures)",
            published="several big cores relieve the bottleneck",
            compute=_relief,
        ),
        finding(
            quantity="work done before a failure with many big cores (illustrative temperatures)",
            published=many,
            compute=partial(_too_many, "work_to_failure", "work"),
        ),
        finding(
            quantity="time before a failure with many big cores (illustrative temperatures)",
            published=many,
            compute=partial(_too_many, "time_to_failure", "time"),
            miss=(
                "The paper's thermal and wear-out calibration is not available. With ours a chip "
                "with more big cores does less work an hour and so lives longer in hours; only "
                "the work that it does before it fails has a best number of big cores."
            ),
        ),
    ]


def _bottleneck() -> Trend:
    chip, thermal = Chip(64, 4, 1), ThermalModel()
    big, small = ageing([0.5, 0.99], chip, thermal).failures
    sequential, parallel = big / (big + small)
    return Trend(
        bool(sequential > 0.5 > parallel),
        f"the big core causes {sequential:.0%} of failures at f = 0.5, {parallel:.0%} at f = 0.99",
    )


def _relief() -> Trend:
    life = ageing(0.5, Chip(64, 4, [1, 2, 4]), ThermalModel()).time_to_failure
    return Trend(
        bool((np.diff(life) > 0).all()),
        f"at f = 0.5, 2 and 4 big cores live {life[1] / life[0]:.1f} and "
        f"{life[2] / life[0]:.1f} times as long as 1",
    )


def _too_many(field: str, name: str) -> Trend:
    chip = Chip(64, 4, np.arange(1, 16))
    life, hot_package = (
        getattr(ageing(0.9, chip, ThermalModel(package_resistance=resistance)), field)
        for resistance in (ThermalModel.package_resistance, 1.0)
    )
    best, faster = int(np.argmax(life)), speedup(0.9, chip)
    return Trend(
        bool(life[-1] < life[best] and faster[-1] < faster[best]),
        f"at f = 0.9 the most {name} before a failure is with {best + 1} of 1 to 15 big cores "
        f"({np.argmax(hot_package) + 1} in a package of 1 K/W), {life[best] / life[-1]:.2f} times "
        f"that with 15; speedup {faster[best]:.1f} and {faster[-1]:.1f}",
    )
