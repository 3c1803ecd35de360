"""The roofline in seconds: how long arithmetic, traffic and launches take, and which one shows.

Rates hide what a program waits for; times add up over its kernels. A kernel needs W/P seconds of
arithmetic and Q/B seconds of traffic, and starting it costs something too. With perfect overlap the
longest of them is what passes; without any, their sum.

After Wang, Yang, Farrell, Zhang, Kurth and Williams, "Time-based roofline for deep learning
performance analysis", 2020 (arXiv 2009.04598), for the view and the overhead of launches. The
partial overlap is this book's.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from perfmodel.validation import Floats, non_negative, positive, within

_PARTS = ("arithmetic", "traffic", "launch")


@dataclass(frozen=True)
class KernelTimes:
    """Seconds that each resource needs for a kernel, or for each of several kernels."""

    arithmetic: Floats
    traffic: Floats
    launch: Floats

    def runtime(self, overlap: ArrayLike = 1.0) -> Floats:
        """Return the seconds that pass.

        Parameters
        ----------
        overlap : array_like
            1: arithmetic, traffic and launches all overlap and the longest counts; 0: they follow
            one another. Between the two, this fraction of the hideable time is hidden.

        Examples
        --------
        >>> times = kernel_times(1e9, 1e9, peak=1e11, bandwidth=2e10)
        >>> [round(float(times.runtime(share)), 3) for share in (1, 0.5, 0)]
        [0.05, 0.055, 0.06]
        """
        share = within("overlap", overlap, 0, 1)
        longest, total = self._parts().max(axis=0), self._parts().sum(axis=0)
        return np.asarray(share * longest + (1 - share) * total)

    def bound_by(self) -> NDArray[np.str_]:
        """Return "arithmetic", "traffic" or "launch", whichever takes longest, for each kernel."""
        return np.asarray(np.choose(self._parts().argmax(axis=0), _PARTS), dtype=np.str_)

    def hidden(self) -> Floats:
        """Return the seconds that perfect overlap hides."""
        return np.asarray(self.runtime(0.0) - self.runtime(1.0))

    def _parts(self) -> Floats:
        return np.stack(np.broadcast_arrays(self.arithmetic, self.traffic, self.launch))


def kernel_times(
    flops: ArrayLike,
    bytes: ArrayLike,
    peak: ArrayLike,
    bandwidth: ArrayLike,
    *,
    launches: ArrayLike = 0,
    launch_time: ArrayLike = 0.0,
) -> KernelTimes:
    """Return the seconds that a kernel needs of each resource.

    Parameters
    ----------
    flops, bytes : array_like
        Work and traffic of each kernel, 0 or more.
    peak : array_like
        FLOP/s.
    bandwidth : array_like
        Bytes/s.
    launches : array_like
        How often the kernel is started, 0 or more.
    launch_time : array_like
        Seconds of one start.

    Returns
    -------
    KernelTimes
        Each of the broadcast shape.

    Examples
    --------
    >>> kernel_times([1e9, 1e12], 1e9, peak=1e11, bandwidth=2e10).bound_by().tolist()
    ['traffic', 'arithmetic']
    """
    arithmetic, traffic, launch = np.broadcast_arrays(
        non_negative("flops", flops) / positive("peak", peak),
        non_negative("bytes", bytes) / positive("bandwidth", bandwidth),
        non_negative("launches", launches) * non_negative("launch_time", launch_time),
    )
    return KernelTimes(arithmetic, traffic, launch)


def time_fractions(times: KernelTimes, overlap: float = 1.0) -> Floats:
    """Return each kernel's share of the run time of a program that runs them one by one.

    `times` are the kernels' times, and `overlap` is as for `KernelTimes.runtime`.

    >>> time_fractions(kernel_times([1e9, 3e9], 0, peak=1e9, bandwidth=1e9)).tolist()
    [0.25, 0.75]
    """
    spent = np.atleast_1d(times.runtime(overlap))
    if not spent.sum() > 0:
        raise ValueError("times must be above 0 for some kernel, got all 0")
    return np.asarray(spent / spent.sum())
