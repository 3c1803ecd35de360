"""Amdahl's law for the lifetime of a chip with big and small cores (Song et al., HPCA 2016).

A chip of n base-core equivalents (BCE) has b big cores of r BCE and n - b r small ones. Scheduling
is dynamic: serial code runs on one big core at a time and rotates over all b of them, parallel code
runs on the small cores, and idle cores are off. Equation 23 gives the failures of such a chip.

Source: W. J. Song, S. Mukhopadhyay and S. Yalamanchili, "Amdahl's law for lifetime reliability
scaling in heterogeneous multicore processors", HPCA 2016, pp. 594-605. The reading of its symbols
(s as the big core's speed sqrt(r), failures per unit of work) is ours and passes the check of
dimensions; the temperatures behind `ageing` are ours as well (see `perfmodel.scaling.reliability`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.ledger import Claim, Trend, half_unit
from perfmodel.scaling.heterogeneous import Chip, phases, speedup
from perfmodel.scaling.multicore import core_performance
from perfmodel.scaling.reliability import ThermalModel, arrhenius_acceleration
from perfmodel.validation import Floats, positive, within


class Failures(NamedTuple):
    """Failures per unit of work that big and small cores contribute: the terms of Eq. 23."""

    big: Floats
    small: Floats


def failures(
    parallel_fraction: ArrayLike, chip: Chip, big_rate: ArrayLike, small_rate: ArrayLike
) -> Failures:
    """Return the two terms of Eq. 23, failures per unit of work of big and of small cores.

    lambda = (1-f)/s * lambda_big/b + f/(n - b r) * (n - b r) * lambda_small. The second term does
    not depend on the design. A strict sum over the b big cores, each on for 1/b of the serial
    phase, would cancel the first term's 1/b; what rotation then buys is temperature (`ageing`).

    Parameters
    ----------
    parallel_fraction : array_like
        Share f of the time on one base core that divides over the small cores, from 0 to 1.
    chip : Chip
        Cores of the chip.
    big_rate, small_rate : array_like
        Failure rate of one big core in serial phases and of one small core in parallel phases,
        above 0, in failures per time of a unit of work on a base core. All broadcast.

    Returns
    -------
    Failures
        Failures per unit of work; their sum is the chip's.

    Raises
    ------
    ValueError
        If an argument is outside its range or not finite.

    Examples
    --------
    >>> big, small = failures(0.9, Chip(64, 4, [1, 2, 4]), big_rate=6, small_rate=1)
    >>> print(big.round(3), small.round(3))
    [0.3   0.15  0.075] [0.9 0.9 0.9]
    """
    serial, parallel = phases(parallel_fraction, chip)
    big = serial * positive("big_rate", big_rate) / positive("big_cores", chip.big_cores)
    return Failures(big, parallel * chip.small_cores * positive("small_rate", small_rate))


def failure_rate(
    parallel_fraction: ArrayLike, chip: Chip, big_rate: ArrayLike, small_rate: ArrayLike
) -> Floats:
    """Return failures per unit of time: those per unit of work (`failures`) times the speedup.

    >>> print(failure_rate(0.9, Chip(64, 4, 2), big_rate=6, small_rate=1).round(2))
    15.89
    """
    per_work = np.add(*failures(parallel_fraction, chip, big_rate, small_rate))
    return per_work * speedup(parallel_fraction, chip)


def smallest_big_cores(
    parallel_fraction: float, core_size: float, big_rate: float, small_rate: float, share: float
) -> int:
    """Return the fewest big cores that cause at most `share` of the failures per unit of work.

    Parameters
    ----------
    parallel_fraction : float
        f, above 0 and at most 1.
    core_size : float
        Area r of a big core in BCE, 1 or more.
    big_rate, small_rate : float
        Failure rates as in `failures`, above 0.
    share : float
        Largest allowed share, above 0 and at most 1.

    Returns
    -------
    int
        Number of big cores, 1 or more; whether they fit is for `Chip` to say.

    Raises
    ------
    ValueError
        If an argument is outside its range or not finite.

    Examples
    --------
    >>> smallest_big_cores(0.9, core_size=4, big_rate=6, small_rate=1, share=0.1)
    3
    """
    f = within("parallel_fraction", positive("parallel_fraction", parallel_fraction), 0, 1)
    limit = within("share", positive("share", share), 0, 1)
    one = (1 - f) / core_performance(core_size) * positive("big_rate", big_rate)
    needed = one * (1 - limit) / (limit * f * positive("small_rate", small_rate))
    return max(1, int(np.ceil(needed - 1e-9)))


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
