"""Hill and Marty's multicore chips: how to spend a chip's area on cores.

The chips and their speedups are those of `perfmodel.scaling.multicore_speedup`; here the core size
that makes each of them fastest is found, and held against the paper's figures.

Source: M. D. Hill and M. R. Marty, "Amdahl's law in the multicore era", IEEE Computer 41(7),
2008, pp. 33-38.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize_scalar

from perfmodel.ledger import Claim
from perfmodel.scaling.multicore_speedup import (
    Performance,
    asymmetric_speedup,
    core_performance,
    dynamic_speedup,
    symmetric_speedup,
)
from perfmodel.validation import Floats, at_least, within

Speedup = Callable[[ArrayLike, ArrayLike, ArrayLike], Floats]


class Design(NamedTuple):
    """The best chip of its kind: size of the (big) core in BCE, and the chip's speedup."""

    core_size: Floats
    speedup: Floats


def best_symmetric(
    parallel_fraction: ArrayLike,
    budget: ArrayLike,
    integer: bool = True,
    performance: Performance = core_performance,
) -> Design:
    """Return the core size with the highest speedup of a symmetric chip, and that speedup.

    Parameters
    ----------
    parallel_fraction : array_like
        Share f of the time on one base core that divides over any number of cores, from 0 to 1.
    budget : array_like
        Chip's area n in base-core equivalents, 1 or more; broadcasts with `parallel_fraction`.
    integer : bool
        Try whole core sizes only (True), or refine between the neighbours of the best whole one
        (False), which finds the best real size where the speedup has one peak in r.
    performance : callable
        perf(r) > 0, taking and returning an array.

    Returns
    -------
    Design
        `core_size` in BCE and `speedup`, each of the broadcast shape; the smallest core on a tie.

    Raises
    ------
    ValueError
        If an argument is outside its range or not finite.

    Examples
    --------
    >>> best = best_symmetric([0.5, 0.975], 256)
    >>> print(best.core_size, best.speedup.round(2))
    [256.   7.] [16.   51.21]
    """
    return _best(
        partial(symmetric_speedup, performance=performance), parallel_fraction, budget, integer
    )


def best_asymmetric(
    parallel_fraction: ArrayLike,
    budget: ArrayLike,
    integer: bool = True,
    performance: Performance = core_performance,
) -> Design:
    """Return the big core with the highest speedup of an asymmetric chip; see `best_symmetric`.

    >>> best = best_asymmetric(0.975, 256)
    >>> print(best.core_size, best.speedup.round(2))
    66.0 125.02
    """
    return _best(
        partial(asymmetric_speedup, performance=performance), parallel_fraction, budget, integer
    )


def best_dynamic(
    parallel_fraction: ArrayLike,
    budget: ArrayLike,
    integer: bool = True,
    performance: Performance = core_performance,
) -> Design:
    """Return the fused core with the highest speedup of a dynamic chip; see `best_symmetric`.

    It is the whole chip for any perf(r) that grows with r, unless there is no serial code.

    >>> best = best_dynamic(0.975, 256)
    >>> print(best.core_size, best.speedup.round(2))
    256.0 186.18
    """
    return _best(
        partial(dynamic_speedup, performance=performance), parallel_fraction, budget, integer
    )


def _best(speedup: Speedup, fraction: ArrayLike, budget: ArrayLike, integer: bool) -> Design:
    f = within("parallel_fraction", fraction, 0, 1)
    pairs = np.broadcast(f, at_least("budget", budget, 1))
    found = [_best_of_one(partial(speedup, f, n), n, integer) for f, n in pairs]
    sizes, speedups = np.reshape(found, (*pairs.shape, 2)).T
    return Design(sizes.T, speedups.T)


def _best_of_one(speedup: Callable[..., Floats], n: float, integer: bool) -> tuple[float, float]:
    sizes = np.arange(1, np.floor(n) + 1)
    if not integer:
        best = sizes[np.argmax(speedup(sizes))]
        bounds = max(1.0, best - 1), min(n, best + 1)
        found = minimize_scalar(lambda r: -speedup(r), bounds=bounds, options={"xatol": 1e-9})
        sizes = np.array([best, found.x, bounds[1]])
    speedups = speedup(sizes)
    top = int(np.argmax(speedups))
    return float(sizes[top]), float(speedups[top])


_CHIPS: dict[str, Callable[..., Design]] = {
    "symmetric": best_symmetric,
    "asymmetric": best_asymmetric,
    "dynamic": best_dynamic,
    "base-core": lambda f, n, integer: Design(np.ones(()), symmetric_speedup(f, n, 1)),
}

# Reference values are text: a claim's tolerance is half a unit of the last printed digit.
# Optima worked out from the three equations by an independent calculation: n, f, then for each
# chip its core size (best whole one if written without a decimal point) and speedup.
_OPTIMA = (
    (256, 0.5, (("256", "16.00"), ("197", "23.55"), ("256", "30.12"))),
    (256, 0.9, (("28.4", "26.67"), ("118", "65.57"), ("256", "102.4"))),
    (256, 0.975, (("6.6", "51.24"), ("66", "125.02"), ("256", "186.18"))),
    (256, 0.975, (("7", "51.21"),)),
    (256, 0.99, (("2.6", "80.40"), ("41", "165.75"), ("256", "222.61"))),
    (256, 0.99, (("3", "80.18"),)),
    (256, 0.999, (("1", "203.98"), ("11", "231.24"), ("256", "252.22"))),
    (16, 0.9, (("1.8", "6.67"), ("5.3", "8.88"), ("16", "12.31"))),
    (64, 0.9, (("7.1", "13.33"), ("24.6", "24.72"), ("64", "37.65"))),
)
# The preprint's Table 1, f = 0.99: n, best speedups in the order of _CHIPS; those of dynamic chips
# are printed as upper bounds ("< 16"), which ours must round to.
_TABLE_1 = (
    (16, ("14", "14", "16", "14")),
    (64, ("39", "49", "60", "39")),
    (256, ("80", "166", "223", "72")),
    (1024, ("161", "531", "782", "91")),
)
_TABLE_1_SOURCE = "Hill & Marty, preprint, Table 1"
_OWN = "Hill & Marty 2008, equations; optimum worked out independently"


def claims() -> list[Claim]:
    """Return the paper's printed speedups, and the optima of its equations (derived).

    Each must be met to half a unit of the last digit given (a whole core size exactly), with the
    optimum taken over the core sizes named: whole r or real r.
    """
    found = [_claim("speedup", "72.1", "Hill & Marty 2008, text", "base-core", 256, 0.99)]
    for n, speedups in _TABLE_1:
        for chip, speedup in zip(_CHIPS, speedups, strict=True):
            found.append(_claim("speedup", speedup, _TABLE_1_SOURCE, chip, n, 0.99))
    for n, f, designs in _OPTIMA:
        for chip, (size, speedup) in zip(_CHIPS, designs, strict=False):
            whole = "." not in size
            found.append(_claim("speedup", speedup, _OWN, chip, n, f, whole))
            if chip != "dynamic":
                found.append(_claim("core_size", size, _OWN, chip, n, f, whole))
    return found


def _claim(
    part: str, text: str, source: str, chip: str, n: int, f: float, whole: bool = True
) -> Claim:
    value, decimals = float(text), len(text.partition(".")[2])
    case = f"{chip} chip, n = {n}, f = {f:g}, {'whole' if whole else 'real'} r"
    return Claim(
        "multicore",
        f"best {part.replace('_', ' ')}, {case}",
        "recomputed",
        value,
        "1" if part == "speedup" else "BCE",
        source,
        lambda: float(getattr(_CHIPS[chip](f, n, integer=whole), part)),
        tolerance=0 if part == "core_size" and whole else 0.5 * 10.0**-decimals / value,
        derived=source == _OWN,
    )
