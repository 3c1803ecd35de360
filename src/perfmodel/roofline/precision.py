"""Rooflines at several precisions: fewer bits halve the traffic and raise the peak at once.

A kernel that mixes precisions has a peak between their peaks. If all units share the issue slots,
the times at each precision add up (a harmonic mean of the peaks); if the units are separate and
busy together, the longest counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.machines import Machine
from perfmodel.machines.machine import PRECISIONS
from perfmodel.roofline.model import Roofline, machine_roofline
from perfmodel.validation import Floats, non_negative, positive

WORD_BYTES: Mapping[str, int] = {
    "fp64": 8,
    "fp32": 4,
    "tf32": 4,
    "fp16": 2,
    "bf16": 2,
    "fp8": 1,
    "int8": 1,
}
"""Bytes of a stored number; tf32 is fp32 in memory."""


@dataclass(frozen=True)
class PrecisionChange:
    """What a change of precision does to a kernel: its rate and bound before and after."""

    before: float
    """FLOP/s attainable."""
    after: float
    speedup: float
    bound_before: str
    bound_after: str


def rooflines_by_precision(machine: Machine) -> dict[str, Roofline]:
    """Return the rooflines of `machine` at each precision whose peak is known.

    >>> from perfmodel import machines
    >>> sorted(rooflines_by_precision(machines.get("v100-sxm2-32gb")))
    ['fp16', 'fp32', 'fp64']
    """
    return {
        precision: machine_roofline(machine, precision)
        for precision in PRECISIONS
        if machine.has(machine.peak_quantity(precision))
    }


def mixed_peak(flops: ArrayLike, peaks: ArrayLike, *, separate_units: bool = False) -> Floats:
    """Return the peak rate of a kernel that mixes precisions.

    Parameters
    ----------
    flops : array_like, shape (..., precisions)
        Operations at each precision, not all of them 0.
    peaks : array_like, shape (precisions,)
        FLOP/s at each precision.
    separate_units : bool
        True where the units work at the same time; otherwise their times add up.

    Returns
    -------
    ndarray, shape (...)
        FLOP/s over all operations.

    Examples
    --------
    A tenth of the work at a tenth of the speed takes half of the time:

    >>> float(mixed_peak([0.9, 0.1], [9e12, 1e12]))
    5000000000000.0
    """
    times = non_negative("flops", flops) / positive("peaks", peaks)
    taken = times.max(axis=-1) if separate_units else times.sum(axis=-1)
    if not (taken > 0).all():
        raise ValueError("flops must have a positive count at some precision, got all 0")
    return np.asarray(np.asarray(flops, float).sum(axis=-1) / taken)


def attainable_mixed(
    flops: ArrayLike,
    bytes: ArrayLike,
    peaks: ArrayLike,
    bandwidth: ArrayLike,
    *,
    separate_units: bool = False,
) -> Floats:
    """Return the highest FLOP/s of a kernel that mixes precisions and moves `bytes`.

    `flops`, `peaks`, `separate_units` and errors are those of `mixed_peak`; `bytes` and `bandwidth`
    have shape (...).

    >>> float(attainable_mixed([0.9e12, 0.1e12], 1e12, [9e12, 1e12], 1e12))
    1000000000000.0
    """
    total = np.asarray(flops, float).sum(axis=-1)
    peak = mixed_peak(flops, peaks, separate_units=separate_units)
    moving = positive("bytes", bytes) / positive("bandwidth", bandwidth)
    return np.asarray(np.minimum(peak, total / moving))


def change_precision(
    machine: Machine, intensity_in_words: float, before: str, after: str
) -> PrecisionChange:
    """Return what storing and computing in another precision does to a kernel.

    Parameters
    ----------
    machine : Machine
        With a peak at both precisions.
    intensity_in_words : float
        Operations per *number* moved, which does not depend on the precision.
    before, after : str
        Precisions as for `Machine.peak`.

    Raises
    ------
    ValueError
        If a precision is unknown, the machine has no peak at it, or the intensity is not positive.

    Examples
    --------
    A kernel bound by memory gains what its words shrink by, no matter what the peaks are:

    >>> from perfmodel import machines
    >>> change_precision(machines.get("a100-sxm4-80gb"), 0.5, "fp32", "bf16").speedup
    2.0
    """
    words = float(positive("intensity_in_words", intensity_in_words))
    roofs = [machine_roofline(machine, name) for name in (before, after)]
    places = [words / WORD_BYTES[name] for name in (before, after)]
    rates = [float(roof.attainable(at)) for roof, at in zip(roofs, places, strict=True)]
    bounds = [
        "memory" if at < roof.ridge_point else "compute"
        for roof, at in zip(roofs, places, strict=True)
    ]
    return PrecisionChange(rates[0], rates[1], rates[1] / rates[0], bounds[0], bounds[1])
