"""Hill and Marty's multicore chips: how to spend a chip's area on cores.

A chip has a budget of n base-core equivalents (BCE). A core built from r of them runs perf(r) times
as fast as a base core. A symmetric chip has n/r equal cores. An asymmetric chip has a big core of r
BCE and n - r base cores. A dynamic chip fuses r BCE for serial code and splits into n base cores
for parallel code.

Counts need not be whole, as in the paper's curves. Every function raises a ValueError if an
argument is outside its range or not finite.

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

from perfmodel.validation import Floats, at_least, positive, within

Performance = Callable[[Floats], Floats]
Speedup = Callable[[ArrayLike, ArrayLike, ArrayLike], Floats]


def core_performance(core_size: ArrayLike) -> Floats:
    """Return the speed of a core relative to a base core, sqrt(r) (Pollack's rule).

    Its area r is the `core_size` in base-core equivalents (BCE), 1 or more.

    Examples
    --------
    >>> print(core_performance([1, 4, 16]))
    [1. 2. 4.]
    """
    return np.sqrt(at_least("core_size", core_size, 1))


def symmetric_speedup(
    parallel_fraction: ArrayLike,
    budget: ArrayLike,
    core_size: ArrayLike,
    performance: Performance = core_performance,
) -> Floats:
    """Return the speedup of n/r equal cores of r BCE, 1 / ((1-f)/perf(r) + f r/(perf(r) n)).

    Parameters
    ----------
    parallel_fraction : array_like
        Share f of the time on one base core that divides over any number of cores, from 0 to 1.
    budget : array_like
        Chip's area n in base-core equivalents, 1 or more.
    core_size : array_like
        Area r of a core in base-core equivalents, from 1 to n. All three broadcast.
    performance : callable
        perf(r) > 0, taking and returning an array.

    Returns
    -------
    ndarray
        Speedup over a single base core.

    Examples
    --------
    >>> print(symmetric_speedup(0.5, 16, [1, 4, 16]).round(2))
    [1.88 3.2  4.  ]
    """
    f, n, r, speed = _checked(parallel_fraction, budget, core_size, performance)
    return 1 / ((1 - f) / speed + f * r / (speed * n))


def asymmetric_speedup(
    parallel_fraction: ArrayLike,
    budget: ArrayLike,
    core_size: ArrayLike,
    performance: Performance = core_performance,
) -> Floats:
    """Return the speedup of one core of r BCE and n - r base cores, all used in parallel code.

    S = 1 / ((1-f)/perf(r) + f/(perf(r) + n - r)), with the area r of the big core as `core_size`;
    `parallel_fraction`, `budget` and `performance` are as for `symmetric_speedup`.

    Examples
    --------
    >>> print(asymmetric_speedup(0.5, 16, [1, 4, 16]).round(2))
    [1.88 3.5  4.  ]
    """
    f, n, r, speed = _checked(parallel_fraction, budget, core_size, performance)
    return 1 / ((1 - f) / speed + f / (speed + n - r))


def dynamic_speedup(
    parallel_fraction: ArrayLike,
    budget: ArrayLike,
    core_size: ArrayLike,
    performance: Performance = core_performance,
) -> Floats:
    """Return the speedup of a chip that fuses r BCE for serial code and splits into n base cores.

    S = 1 / ((1-f)/perf(r) + f/n), with the area r of the fused core as `core_size`;
    `parallel_fraction`, `budget` and `performance` are as for `symmetric_speedup`.

    Examples
    --------
    >>> print(dynamic_speedup(0.5, 16, [1, 4, 16]).round(2))
    [1.88 3.56 6.4 ]
    """
    f, n, _, speed = _checked(parallel_fraction, budget, core_size, performance)
    return 1 / ((1 - f) / speed + f / n)


class ChipDesign(NamedTuple):
    """The best chip of its kind: size of the (big) core in BCE, and the chip's speedup."""

    core_size: Floats
    speedup: Floats


def best_symmetric(
    parallel_fraction: ArrayLike,
    budget: ArrayLike,
    integer: bool = True,
    performance: Performance = core_performance,
) -> ChipDesign:
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
    ChipDesign
        `core_size` in BCE and `speedup`, each of the broadcast shape; the smallest core on a tie.

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
) -> ChipDesign:
    """Return the big core with the highest speedup of an asymmetric chip, as a `ChipDesign`.

    `parallel_fraction`, `budget`, `integer` and `performance` are as for `best_symmetric`.

    Examples
    --------
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
) -> ChipDesign:
    """Return the fused core with the highest speedup of a dynamic chip, as a `ChipDesign`.

    It is the whole chip for any perf(r) that grows with r, unless there is no serial code;
    `parallel_fraction`, `budget`, `integer` and `performance` are as for `best_symmetric`.

    Examples
    --------
    >>> best = best_dynamic(0.975, 256)
    >>> print(best.core_size, best.speedup.round(2))
    256.0 186.18
    """
    return _best(
        partial(dynamic_speedup, performance=performance), parallel_fraction, budget, integer
    )


def _checked(
    parallel_fraction: ArrayLike, budget: ArrayLike, core_size: ArrayLike, performance: Performance
) -> tuple[Floats, Floats, Floats, Floats]:
    f = within("parallel_fraction", parallel_fraction, 0, 1)
    n = at_least("budget", budget, 1)
    r = at_least("core_size", core_size, 1)
    if not (r <= n).all():
        raise ValueError(
            f"core_size must be between 1 and the budget, got {core_size!r} of {budget!r}"
        )
    return f, n, r, positive("performance", performance(r))


def _best(speedup: Speedup, fraction: ArrayLike, budget: ArrayLike, integer: bool) -> ChipDesign:
    f = within("parallel_fraction", fraction, 0, 1)
    pairs = np.broadcast(f, at_least("budget", budget, 1))
    designs = [_best_of_one(partial(speedup, f, n), n, integer) for f, n in pairs]
    sizes, speedups = np.reshape(designs, (*pairs.shape, 2)).T
    return ChipDesign(sizes.T, speedups.T)


def _best_of_one(speedup: Callable[..., Floats], n: float, integer: bool) -> tuple[float, float]:
    sizes = np.arange(1, np.floor(n) + 1)
    if not integer:
        best = sizes[np.argmax(speedup(sizes))]
        bounds = max(1.0, best - 1), min(n, best + 1)
        refined = minimize_scalar(lambda r: -speedup(r), bounds=bounds, options={"xatol": 1e-9})
        sizes = np.array([best, refined.x, bounds[1]])
    speedups = speedup(sizes)
    top = int(np.argmax(speedups))
    return float(sizes[top]), float(speedups[top])
