"""Efficiency: what share of the processors a job uses, and what keeps it up as they grow in number.

Strong scaling keeps the job, weak scaling the work of each processor. Isoefficiency asks how fast a
problem must grow: an algorithm whose problem must grow as p log p scales well; one that needs p^3
fills the memory of a large machine long before it uses its processors well.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from perfmodel.validation import Floats, at_least, finite, positive, within

Overhead = Callable[[float, float], float]


def strong_scaling_efficiency(times: ArrayLike, processors: ArrayLike, baseline: int = 0) -> Floats:
    """Return the efficiency of one fixed job on more processors, T_b p_b / (T p).

    Parameters
    ----------
    times : array_like, shape (..., n)
        Run times in seconds, the processor counts along the last axis.
    processors : array_like, shape (..., n)
        Number of processors of each run, 1 or more.
    baseline : int
        Position along the last axis of the run that counts as efficiency 1; the first one by
        default. It need not be a one-processor run, but a reader must be told which it is.

    Returns
    -------
    ndarray, shape (..., n)
        Efficiency relative to the baseline: 1 there, above 1 where scaling is superlinear.

    Examples
    --------
    >>> print(strong_scaling_efficiency([8.0, 5.0, 4.0], [1, 2, 4]))
    [1.  0.8 0.5]
    """
    cost = positive("times", times) * at_least("processors", processors, 1)
    return _chosen("times", cost, baseline) / cost


def weak_scaling_efficiency(times: ArrayLike, baseline: int = 0) -> Floats:
    """Return the efficiency of jobs with equal work for each processor, T_b / T.

    The `times` in seconds are of jobs that grow with the processors along the last axis; the run at
    position `baseline` counts as 1.

    Examples
    --------
    >>> print(weak_scaling_efficiency([4.0, 5.0, 8.0]))
    [1.  0.8 0.5]
    """
    seconds = positive("times", times)
    return _chosen("times", seconds, baseline) / seconds


def isoefficiency(
    efficiency: ArrayLike,
    processors: ArrayLike,
    overhead: Overhead,
    work_range: tuple[float, float] = (1.0, 1e15),
) -> Floats:
    """Return the smallest problem that keeps an efficiency, W = E / (1 - E) T_o(W, p).

    Raises `ValueError` if no size in `work_range` reaches E.

    Parameters
    ----------
    efficiency : array_like
        Efficiency E to hold, above 0 and below 1.
    processors : array_like
        Number of processors p, 1 or more; broadcasts with `efficiency`.
    overhead : callable
        T_o(W, p) = p T(p) - W: time summed over processors that is not useful work, 0 or more,
        in the unit of W (so W counts the time of one processor without overhead).
    work_range : (float, float)
        Smallest and largest problem size to consider. Sizes a factor of 2 apart are tried and
        the first crossing is refined, so E regained within one factor of 2 may be passed over.

    Returns
    -------
    ndarray
        Problem size W; the lower end of `work_range` where even that keeps E.

    References
    ----------
    A. Y. Grama, A. Gupta and V. Kumar, "Isoefficiency: measuring the scalability of parallel
    algorithms and architectures", IEEE Parallel & Distributed Technology 1(3), 1993, pp. 12-21.

    Examples
    --------
    Adding numbers on a hypercube, T_o = 2 p log2 p:

    >>> print(isoefficiency(0.8, [4, 16], lambda work, p: 2 * p * np.log2(p)))
    [ 64. 512.]
    """
    target = within("efficiency", efficiency, 0, 1)
    if not ((target > 0) & (target < 1)).all():
        raise ValueError(f"efficiency must be above 0 and below 1, got {efficiency!r}")
    low, high = positive("work_range", work_range)
    if low >= high:
        raise ValueError(f"work_range must rise from smallest to largest, got {work_range!r}")
    p = at_least("processors", processors, 1)
    pairs = np.broadcast(target, p)
    solved = [_least_work(float(e), float(n), overhead, low, high) for e, n in pairs]
    return np.reshape(solved, pairs.shape)


def _least_work(e: float, p: float, overhead: Overhead, low: float, high: float) -> float:
    def surplus(work: float) -> float:
        lost = float(finite("overhead", overhead(work, p)))
        if lost < 0:
            raise ValueError(f"overhead must be 0 or more, got {lost:g} at work {work:g}, p {p:g}")
        return work - e / (1 - e) * lost

    sizes = np.append(low * 2.0 ** np.arange(np.ceil(np.log2(high / low))), high)
    enough = next((k for k, size in enumerate(sizes) if surplus(size) >= 0), None)
    if enough is None:
        best = high / (high + overhead(high, p))
        raise ValueError(
            f"efficiency {e:g} is not attained on {p:g} processors by any work up to {high:g}, "
            f"where it is {best:.3g}"
        )
    if enough == 0:
        return low
    return float(brentq(surplus, sizes[enough - 1], sizes[enough], rtol=1e-12, xtol=1e-12 * low))


def _chosen(name: str, values: Floats, position: int) -> Floats:
    count = values.shape[-1] if values.ndim else 0
    if not -count <= position < count:
        raise ValueError(
            f"baseline must name one of the {count} runs in {name}, got position {position!r}"
        )
    return values[..., position, np.newaxis]
