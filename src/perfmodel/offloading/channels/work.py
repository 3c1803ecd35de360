"""A step as work on several channels, and its time when they overlap not at all, fully or partly.

A channel does one thing at a time: a link in one direction, a disk, a CPU, a GPU. What a step asks
of it, over its rate, is the time for which it is busy. If each waits for the others the step takes
the sum of these times, if all work at once the largest; a p-norm lies between, and so does a
schedule of chunks (`chunks`), whose length is found by playing it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from perfmodel.validation import Floats, non_negative, positive


@dataclass(frozen=True, eq=False)
class ChannelWork:
    """What a step, or each of several, asks of every channel.

    Examples
    --------
    >>> step = ChannelWork(("disk", "link", "GPU"), [4e9, 4e9, 3e12], [2e9, 8e9, 1e13])
    >>> step.seconds, step.binding
    (array([2. , 0.5, 0.3]), array('disk', dtype='<U4'))
    """

    names: tuple[str, ...]
    """Of the channels."""
    work: Floats
    """Bytes or FLOP, 0 or more, shape (..., channels)."""
    rate: Floats
    """Bytes/s or FLOP/s, above 0, of a shape that broadcasts with that of `work`."""

    def __post_init__(self) -> None:
        """Turn work and rates into arrays and refuse what is out of range."""
        object.__setattr__(self, "work", non_negative("work", self.work))
        object.__setattr__(self, "rate", positive("rate", self.rate))
        _check_fits("rate", self.rate.shape, "work", self.work.shape)
        if isinstance(self.names, str):
            raise ValueError(f"names must be a name for each channel, got {self.names!r}")
        if not self.seconds.ndim or self.seconds.shape[-1] != len(self.names):
            raise ValueError(
                f"names must name each channel, got {len(self.names)} for work and rates of "
                f"shape {self.seconds.shape}"
            )

    @property
    def seconds(self) -> Floats:
        """Time for which each channel is busy, shape (..., channels)."""
        return np.asarray(self.work / self.rate)

    @property
    def binding(self) -> NDArray[np.str_]:
        """Name of the busiest channel of each step, the first of equal ones, shape (...)."""
        return np.asarray(np.asarray(self.names)[binding_channel(self.seconds)])


def step_time(seconds: ArrayLike, power: ArrayLike = np.inf) -> Floats:
    """Return the time of a step, the p-norm of the times of its channels.

    Parameters
    ----------
    seconds : array_like, shape (..., channels)
        Time for which each channel is busy, s, 0 or more.
    power : array_like
        p, 1 or more and of a shape that broadcasts with (...): 1 is the sum (nothing overlaps),
        infinity the maximum (everything does).

    Returns
    -------
    ndarray
        Seconds, from the largest of the times to their sum, shape (...).

    Examples
    --------
    >>> step_time([3.0, 4.0], [1, 2, np.inf])
    array([7., 5., 4.])
    """
    busy, p = busy_times(seconds), norm_power(power)
    _check_fits("power", p.shape, "the steps of seconds", busy.shape[:-1])
    most = busy.max(axis=-1)
    share = busy / np.where(most > 0, most, 1.0)[..., None]
    with np.errstate(under="ignore"):
        norm = (share ** np.where(np.isinf(p), 1.0, p)[..., None]).sum(axis=-1)
        norm = np.where(most > 0, norm, 1.0) ** (1 / p)
    return np.asarray(most * norm)


def binding_channel(seconds: ArrayLike) -> NDArray[np.intp]:
    """Return the number of the busiest channel of each step, the first of equal ones.

    Parameters
    ----------
    seconds : array_like, shape (..., channels)
        Time for which each channel is busy, s, 0 or more.

    Examples
    --------
    >>> binding_channel([[3.0, 4.0], [5.0, 4.0]])
    array([1, 0])
    """
    return np.asarray(busy_times(seconds).argmax(axis=-1))


def busy_times(seconds: ArrayLike) -> Floats:
    """Return checked times of channels, an array whose last axis has one element or more."""
    busy = non_negative("seconds", seconds)
    if not busy.ndim or not busy.shape[-1]:
        raise ValueError(f"seconds must hold one channel or more, got shape {busy.shape}")
    return busy


def norm_power(power: ArrayLike) -> Floats:
    """Return a checked power of a norm, 1 or more, infinity allowed."""
    p = _maybe_endless("power", power)
    if not (p >= 1).all():
        raise ValueError(f"power must be 1 or more, got {power!r}")
    return p


def _maybe_endless(name: str, value: ArrayLike) -> Floats:
    """Return numbers as an array, infinity and NaN let through."""
    if np.asarray(value).dtype.kind not in "iuf":
        raise ValueError(f"{name} must be a number or an array of numbers, got {value!r}")
    return np.asarray(value, np.float64)


def _check_fits(name: str, shape: tuple[int, ...], other: str, others: tuple[int, ...]) -> None:
    try:
        np.broadcast_shapes(shape, others)
    except ValueError:
        raise ValueError(
            f"{name} must be of a shape that broadcasts with that of {other}, {others}, got {shape}"
        ) from None
