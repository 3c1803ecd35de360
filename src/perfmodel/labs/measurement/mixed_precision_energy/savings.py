"""Nine watts less: does training emit less? Mixed precision (Antonopoulos, arXiv 2409.07853, 2024).

The paper finds 7 to 11 W less power with mixed precision on a desktop GPU, and no significant
difference in an analysis of variance. Its tables are not public. What its numbers can and can't
say is recomputed: energy is power times time, and a test needs enough runs.

>>> slow, fast = Run(121, 1000), Run(112, 700)
>>> round(1 - fast.joules / slow.joules, 3)
0.352
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy import stats

from perfmodel.ledger import Claim, Trend, half_unit
from perfmodel.measurement.energy import JOULES_PER_KWH, GridIntensity
from perfmodel.measurement.statistics.significance import power, samples_needed
from perfmodel.validation import Floats, non_negative, positive, whole, within

WATT_HOUR = JOULES_PER_KWH / 1000
YEAR = 8760 * 3600.0
"""Seconds of 365 days."""
EXAMPLE_GRID = GridIntensity(400, "a round figure for the exercise, no grid's own")
SAVING = (7.0, 11.0)
"""Watts less with mixed precision and other settings than in the benchmark run (abstract)."""


@dataclass(frozen=True)
class Run:
    """A training run at a mean power (W) for a time (s)."""

    watts: float
    seconds: float

    def __post_init__(self) -> None:
        """Refuse runs without power or length."""
        positive("watts", self.watts)
        positive("seconds", self.seconds)

    @property
    def joules(self) -> float:
        """Energy of the run."""
        return self.watts * self.seconds

    @property
    def watt_hours(self) -> float:
        """The same in Wh."""
        return self.joules / WATT_HOUR

    def grams(self, grid: GridIntensity = EXAMPLE_GRID) -> float:
        """Return grams of CO2 equivalent on a grid."""
        return 1e3 * self.joules * grid.kilograms_per_joule


def run_of(static: float, dynamic: float, seconds: float) -> Run:
    """Return a run from a power that flows anyway and an energy that the work takes.

    Parameters
    ----------
    static : float
        Watts drawn whether or not work is done.
    dynamic : float
        Joules that the work takes however fast it is done.
    seconds : float

    Examples
    --------
    >>> run_of(60, 40e3, 1000).joules, run_of(60, 28e3, 625).watts
    (100000.0, 104.8)
    """
    time = float(positive("seconds", seconds))
    watts = float(non_negative("static", static)) + float(non_negative("dynamic", dynamic)) / time
    return Run(watts, time)


def runs_by_normal_formula(
    effect: float, spread: float, alpha: float = 0.05, wanted: float = 0.8
) -> float:
    """Return the runs a group by n = 2 (z_alpha/2 + z_beta)^2 (spread / effect)^2, not rounded.

    The exact number, by the noncentral t distribution, is a little larger:
    `perfmodel.measurement.statistics.significance.samples_needed`.
    """
    ends = within("alpha", alpha, 0, 1) / 2, 1 - within("wanted", wanted, 0, 1)
    z = sum(float(stats.norm.isf(end)) for end in ends)
    return float(2 * (z * positive("spread", spread) / positive("effect", effect)) ** 2)


def significance_of(difference: float, spread: float, samples: int) -> tuple[float, float]:
    """Return t and p of two groups of equal size and spread whose means differ.

    Parameters
    ----------
    difference, spread : float
        Of the means, and the standard deviation in each group.
    samples : int
        Values in each group.

    Examples
    --------
    >>> [round(v, 3) for v in significance_of(9, 15, 6)]
    [1.039, 0.323]
    """
    n = whole("samples", samples, low=2)
    t = difference / (float(positive("spread", spread)) * math.sqrt(2 / n))
    return t, float(2 * stats.t.sf(abs(t), 2 * n - 2))


def paired_significance_of(
    difference: float, spread: float, pairs: int, correlation: float
) -> tuple[float, float]:
    """Return t and p of a paired test, where the values of a pair are correlated.

    The differences have the standard deviation spread * sqrt(2 (1 - correlation)).
    """
    n, rho = whole("pairs", pairs, low=2), float(within("correlation", correlation, -1, 1))
    if rho == 1:
        raise ValueError("correlation must be below 1: pairs that move as one have no spread")
    error = float(positive("spread", spread)) * math.sqrt(2 * (1 - rho) / n)
    t = difference / error
    return t, float(2 * stats.t.sf(abs(t), n - 1))


def made_powers(
    samples: int, effect: float, spread: float, correlation: float = 0.0, seed: int = 1
) -> tuple[Floats, Floats]:
    """Return the watts of made runs in full and in mixed precision, pair by pair.

    Parameters
    ----------
    samples : int
        Runs of each kind.
    effect : float
        Watts that mixed precision truly saves.
    spread : float
        Standard deviation of a run.
    correlation : float
        Of the two runs of a pair, 0 to 1: what a warm room does to both.
    seed : int
    """
    n, rho = whole("samples", samples, low=2), float(within("correlation", correlation, 0, 1))
    rng = np.random.default_rng(seed)
    shared, own = rng.normal(size=n), rng.normal(size=(2, n))
    noise = math.sqrt(rho) * shared + math.sqrt(1 - rho) * own
    full, mixed = 121.0 + float(non_negative("spread", spread)) * noise - [[0.0], [effect]]
    return full, mixed


def share_found(
    samples: int, effect: float, spread: float, trials: int = 2000, seed: int = 1
) -> float:
    """Return the share of made experiments whose t-test finds the effect at a level of 5 %."""
    rng = np.random.default_rng(seed)
    full, mixed = rng.normal(0, spread, (2, whole("trials", trials, low=1), samples))
    return float(np.mean(stats.ttest_ind(full + effect, mixed, axis=1).pvalue < 0.05))


def _watt_hours(watts: float, seconds: float) -> float:
    return Run(watts, seconds).watt_hours


def _kilowatt_hours(watts: float, seconds: float) -> float:
    return Run(watts, seconds).joules / JOULES_PER_KWH


def _kilograms(watts: float, seconds: float) -> float:
    return Run(watts, seconds).grams() / 1e3


def _simulated_power() -> float:
    return share_found(5, 9, 10)


def _small_experiments_find_nothing() -> Trend:
    chances = [power(9, 10, n) for n in (3, 5)]
    said = ", ".join(f"{100 * c:.0f} % with {n} runs" for c, n in zip(chances, (3, 5), strict=True))
    return Trend(max(chances) < 0.5, f"chance to find 9 W at a spread of 10 W: {said}")


def _derived(quantity: str, printed: str, unit: str, ours: Callable[[], float]) -> Claim:
    return Claim(
        "mixed_precision_energy",
        quantity,
        "recomputed",
        float(printed),
        unit,
        "worked out from the abstract's 7 to 11 W and stated inputs",
        lambda: float(ours()),
        derived=True,
        absolute=half_unit(printed),
    )


RUNS_NEEDED = {(9, 5): 6, (9, 10): 21, (9, 20): 79, (9, 40): 312, (7, 10): 34, (11, 20): 53}
"""(effect, spread) in W -> runs a group for a power of 80 %, from tables of the noncentral t."""


def claims() -> list[Claim]:
    """Return what the paper's saving comes to, and what its test could have found."""
    return [*_saving_claims(), *_power_claims(), *_run_claims(), *_pairing_claims()]


def _saving_claims() -> list[Claim]:
    year = [
        _derived(
            f"kWh of {watts:g} W in a year",
            printed,
            "kWh",
            partial(_kilowatt_hours, watts, YEAR),
        )
        for watts, printed in zip(SAVING, ("61.3", "96.4"), strict=True)
    ]
    carbon = [
        _derived(
            f"kg CO2e of {watts:g} W in a year at 400 g/kWh",
            printed,
            "kg",
            partial(_kilograms, watts, YEAR),
        )
        for watts, printed in zip(SAVING, ("24.5", "38.5"), strict=True)
    ]
    return [*year, *carbon]


def _power_claims() -> list[Claim]:
    needed = [
        _derived(
            f"runs a group to find {effect} W at a spread of {spread} W, 4 times in 5",
            str(runs),
            "1",
            partial(samples_needed, effect, spread),
        )
        for (effect, spread), runs in RUNS_NEEDED.items()
    ]
    return [
        *needed,
        _derived("chance to find 9 W at 10 W with 3 runs", "0.138", "1", lambda: power(9, 10, 3)),
        _derived("chance to find 9 W at 10 W with 5 runs", "0.241", "1", lambda: power(9, 10, 5)),
        Claim(
            "mixed_precision_energy",
            "share of 2,000 made experiments of 5 runs that find 9 W at 10 W",
            "same-method",
            0.241,
            "1",
            "noncentral t; no power is published",
            _simulated_power,
            bounds=(0.221, 0.261),
        ),
        Claim(
            "mixed_precision_energy",
            "finding a true saving with few runs",
            "trend",
            "the difference was not significant",
            "",
            "abstract",
            _small_experiments_find_nothing,
        ),
    ]


def _run_claims() -> list[Claim]:
    return [
        _derived(
            f"Wh of {watts} W for {seconds:,} s",
            printed,
            "Wh",
            partial(_watt_hours, watts, seconds),
        )
        for watts, seconds, printed in ((121, 1000, "33.6"), (112, 700, "21.8"), (130, 600, "21.7"))
    ]


def _pairing_claims() -> list[Claim]:
    return [
        _derived(
            "t of 9 W, spread 15 W, 6 runs each", "1.039", "1", lambda: significance_of(9, 15, 6)[0]
        ),
        _derived(
            "the same in pairs correlated by 0.9",
            "3.286",
            "1",
            lambda: paired_significance_of(9, 15, 6, 0.9)[0],
        ),
    ]
