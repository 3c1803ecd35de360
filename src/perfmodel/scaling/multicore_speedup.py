"""Speedups of Hill and Marty's symmetric, asymmetric and dynamic multicore chips.

A chip has a budget of n base-core equivalents (BCE). A core built from r of them runs perf(r)
times as fast as a base core. A symmetric chip has n/r equal cores; an asymmetric one has a big
core of r BCE and n - r base cores; a dynamic one fuses r BCE for serial code and splits into n
base cores for parallel code. Counts need not be whole, as in the paper's curves.

Source: M. D. Hill and M. R. Marty, "Amdahl's law in the multicore era", IEEE Computer 41(7),
2008, pp. 33-38.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import Floats, at_least, positive, within

Performance = Callable[[Floats], Floats]


def core_performance(core_size: ArrayLike) -> Floats:
    """Return the speed of a core relative to a base core, sqrt(r) (Pollack's rule).

    Parameters
    ----------
    core_size : array_like
        Area r of the core in base-core equivalents, 1 or more.

    Returns
    -------
    ndarray
        Serial performance, 1 for a base core.

    Raises
    ------
    ValueError
        If `core_size` is below 1 or not finite.

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

    Raises
    ------
    ValueError
        If an argument is outside its range or not finite.

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

    S = 1 / ((1-f)/perf(r) + f/(perf(r) + n - r)). Arguments, result and errors are those of
    `symmetric_speedup`; r is the area of the one big core.

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

    S = 1 / ((1-f)/perf(r) + f/n). Arguments, result and errors are those of `symmetric_speedup`;
    r is the area fused in serial code.

    >>> print(dynamic_speedup(0.5, 16, [1, 4, 16]).round(2))
    [1.88 3.56 6.4 ]
    """
    f, n, _, speed = _checked(parallel_fraction, budget, core_size, performance)
    return 1 / ((1 - f) / speed + f / n)


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
