"""Laws of parallel speedup: what one more processor can and cannot buy.

A job with a serial part and a part that divides evenly. The laws differ in what is held fixed
while processors are added: the work (Amdahl), the time (Gustafson) or the memory a processor
(Sun and Ni). All functions broadcast over arrays, return ratios (unit 1) unless they say so,
and raise a ValueError if an argument is outside its range or not finite.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import Floats, at_least, positive, within


def amdahl_speedup(serial_fraction: ArrayLike, processors: ArrayLike) -> Floats:
    """Return the speedup of a job of fixed size, T(1) / T(p) = 1 / (s + (1 - s) / p).

    Parameters
    ----------
    serial_fraction : array_like
        Share s of the one-processor time that cannot be divided, from 0 to 1.
    processors : array_like
        Number of processors p, 1 or more; broadcasts with `serial_fraction`.

    References
    ----------
    G. M. Amdahl, AFIPS Spring Joint Computer Conference, 1967, pp. 483-485.

    Examples
    --------
    >>> print(amdahl_speedup(0.25, [1, 3]))
    [1. 2.]
    """
    s = within("serial_fraction", serial_fraction, 0, 1)
    p = at_least("processors", processors, 1)
    return 1 / (s + (1 - s) / p)


def amdahl_limit(serial_fraction: ArrayLike) -> Floats:
    """Return the speedup that no number of processors exceeds, 1 over `serial_fraction`.

    Examples
    --------
    >>> print(amdahl_limit([0.05, 0]))
    [20. inf]
    """
    s = within("serial_fraction", serial_fraction, 0, 1)
    with np.errstate(divide="ignore", over="ignore"):
        return np.divide(1.0, s)


def gustafson_speedup(serial_fraction: ArrayLike, processors: ArrayLike) -> Floats:
    """Return the scaled speedup of a job that grows to fill a fixed time, s + (1 - s) p.

    Parameters
    ----------
    serial_fraction : array_like
        Share s of the time *on p processors* that is serial, from 0 to 1. Amdahl's s is a share
        of the time on one processor: the two are different numbers for one and the same run.
    processors : array_like
        Number of processors p, 1 or more; broadcasts with `serial_fraction`.

    References
    ----------
    J. L. Gustafson, "Reevaluating Amdahl's law", CACM 31(5), 1988, pp. 532-533.

    Examples
    --------
    >>> print(gustafson_speedup(0.25, [1, 4]))
    [1.   3.25]
    """
    s = within("serial_fraction", serial_fraction, 0, 1)
    p = at_least("processors", processors, 1)
    return s + (1 - s) * p


def sun_ni_speedup(
    serial_fraction: ArrayLike,
    processors: ArrayLike,
    memory_growth: ArrayLike | Callable[[Floats], ArrayLike],
) -> Floats:
    """Return the memory-bounded speedup, (s + (1 - s) G) / (s + (1 - s) G / p).

    Parameters
    ----------
    serial_fraction : array_like
        Share s of the one-processor time of the unscaled job, from 0 to 1.
    processors : array_like
        Number of processors p, each with its own memory, 1 or more.
    memory_growth : array_like or callable
        G: the factor by which the parallel work grows when p memories are filled, above 0; or
        a function that takes `processors` and returns it. G = 1 is Amdahl, G = p Gustafson;
        multiplying dense n x n matrices (work n^3 in memory n^2) has G = p^1.5.

    Returns
    -------
    ndarray
        Speedup of the grown job, relative to one processor with the same grown job.

    References
    ----------
    X.-H. Sun and L. M. Ni, Supercomputing '90, pp. 324-333; "Scalable problems and
    memory-bounded speedup", J. Parallel and Distributed Computing 19(1), 1993, pp. 27-37.

    Examples
    --------
    >>> print(sun_ni_speedup(0.5, 4, lambda p: p**1.5))
    3.0
    """
    s = within("serial_fraction", serial_fraction, 0, 1)
    p = at_least("processors", processors, 1)
    growth = memory_growth(p) if callable(memory_growth) else memory_growth
    parallel = (1 - s) * positive("memory_growth", growth)
    return (s + parallel) / (s + parallel / p)


def karp_flatt(speedup: ArrayLike, processors: ArrayLike) -> Floats:
    """Return the experimentally determined serial fraction, (1/S - 1/p) / (1 - 1/p).

    It inverts Amdahl's law. Where it grows with p, the loss is overhead and not serial code;
    where it is negative, the speedup is superlinear, which Amdahl's law does not allow.

    Parameters
    ----------
    speedup : array_like
        Measured T(1) / T(p), above 0.
    processors : array_like
        Number of processors p, 2 or more: with one processor nothing is determined.

    Returns
    -------
    ndarray
        The serial fraction e: 0 at S = p, 1 at S = 1, negative for S > p.

    References
    ----------
    A. H. Karp and H. P. Flatt, "Measuring parallel processor performance", CACM 33(5), 1990,
    pp. 539-543.

    Examples
    --------
    >>> print(karp_flatt([2, 3], 3))
    [0.25 0.  ]
    """
    measured = positive("speedup", speedup)
    p = at_least("processors", processors, 2)
    return (1 / measured - 1 / p) / (1 - 1 / p)
