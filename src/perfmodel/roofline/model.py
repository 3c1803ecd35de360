"""The roofline: a computation is bound by arithmetic or by the traffic to memory.

A kernel that does W floating-point operations and moves Q bytes has an operational intensity of
I = W/Q FLOP/byte. On a machine with a peak of P FLOP/s and a bandwidth of B bytes/s it reaches at
most min(P, I B) FLOP/s. The two bounds meet at the ridge point P/B.

After Williams, Waterman and Patterson, "Roofline: an insightful visual performance model for
multicore architectures", Communications of the ACM 52(4), 2009.

>>> float(attainable(0.25, peak=1e11, bandwidth=2e10))
5000000000.0
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from perfmodel.machines import Machine
from perfmodel.units import number, prefixed
from perfmodel.validation import Floats, non_negative, one_of, positive


@dataclass(frozen=True)
class Kernel:
    """What a computation asks of a machine: operations, and bytes to and from its memory."""

    name: str
    flops: float
    bytes: float

    def __post_init__(self) -> None:
        """Refuse negative work and work without traffic."""
        non_negative("flops", self.flops)
        positive("bytes", self.bytes)

    @property
    def intensity(self) -> float:
        """Operational intensity in FLOP/byte."""
        return self.flops / self.bytes


@dataclass(frozen=True)
class Ceiling:
    """A lower bound under the roof, from something that a program leaves unused.

    A compute ceiling is in FLOP/s ("without SIMD"), a memory ceiling in bytes/s ("one core's
    traffic").

    >>> Ceiling("one core's traffic", 1e10, "memory").value
    10000000000.0
    """

    name: str
    value: float
    kind: Literal["compute", "memory"]

    def __post_init__(self) -> None:
        """Refuse a ceiling at or below zero, or of another kind."""
        positive("value", self.value)
        one_of("kind", self.kind, ("compute", "memory"))


@dataclass(frozen=True)
class Roofline:
    """A machine as the roofline sees it: a peak, a bandwidth, and ceilings below them.

    >>> roof = Roofline("toy", peak=1e11, bandwidth=2e10)
    >>> roof.ridge_point, float(roof.attainable(100))
    (5.0, 100000000000.0)
    """

    name: str
    peak: float
    """FLOP/s."""
    bandwidth: float
    """Bytes/s."""
    ceilings: tuple[Ceiling, ...] = ()
    verified: bool = True
    """False where peak or bandwidth comes from a figure that could not be verified."""

    def __post_init__(self) -> None:
        """Refuse a roof at or below zero, and a ceiling above the roof."""
        positive("peak", self.peak)
        positive("bandwidth", self.bandwidth)
        for ceiling in self.ceilings:
            roof = self.peak if ceiling.kind == "compute" else self.bandwidth
            if ceiling.value > roof:
                raise ValueError(
                    f"ceiling {ceiling.name!r} must not be above {roof:g}, got {ceiling.value:g}"
                )

    @property
    def ridge_point(self) -> float:
        """The intensity in FLOP/byte above which arithmetic is the bound."""
        return float(ridge_point(self.peak, self.bandwidth))

    def attainable(self, intensity: ArrayLike) -> Floats:
        """Return the highest FLOP/s at `intensity`; see `attainable`."""
        return attainable(intensity, self.peak, self.bandwidth)

    def under(self, *names: str) -> Roofline:
        """Return the roofline of a program that the named ceilings hold down.

        Raises
        ------
        ValueError
            If one of `names` is no ceiling.
        """
        known = {ceiling.name: ceiling for ceiling in self.ceilings}
        for name in names:
            if name not in known:
                raise ValueError(f"names must be ceilings ({', '.join(known)}), got {name!r}")
        held = [known[name] for name in names]
        peak = min([self.peak, *(c.value for c in held if c.kind == "compute")])
        bandwidth = min([self.bandwidth, *(c.value for c in held if c.kind == "memory")])
        title = ", ".join([self.name, *names])
        return Roofline(title, peak, bandwidth, verified=self.verified)


def attainable(intensity: ArrayLike, peak: ArrayLike, bandwidth: ArrayLike) -> Floats:
    """Return the highest rate that a kernel can reach, min(P, I B).

    Parameters
    ----------
    intensity : array_like
        Operational intensity in FLOP/byte, 0 or more.
    peak : array_like
        FLOP/s, above 0.
    bandwidth : array_like
        Bytes/s.

    Returns
    -------
    ndarray
        FLOP/s, of the broadcast shape.

    Notes
    -----
    Williams et al. (2009). Perfect overlap of arithmetic and traffic is assumed, and enough
    parallelism to hide every latency.

    Examples
    --------
    >>> attainable([0.1, 5, 50], 1e11, 2e10)
    array([2.e+09, 1.e+11, 1.e+11])
    """
    rate = non_negative("intensity", intensity) * positive("bandwidth", bandwidth)
    return np.asarray(np.minimum(positive("peak", peak), rate))


def ridge_point(peak: ArrayLike, bandwidth: ArrayLike) -> Floats:
    """Return the intensity P/B in FLOP/byte at which both bounds are equal.

    `peak` is in FLOP/s and `bandwidth` in bytes/s.
    A machine with a ridge point further right needs more reuse of data to reach its peak.

    >>> float(ridge_point(1e11, 2e10))
    5.0
    """
    return np.asarray(positive("peak", peak) / positive("bandwidth", bandwidth))


def bound_by(intensity: ArrayLike, peak: ArrayLike, bandwidth: ArrayLike) -> NDArray[np.str_]:
    """Return "memory" left of the ridge point, else "compute".

    `intensity`, `peak` and `bandwidth` are those of `attainable`.

    >>> bound_by([1, 5, 9], 1e11, 2e10).tolist()
    ['memory', 'compute', 'compute']
    """
    left = non_negative("intensity", intensity) < ridge_point(peak, bandwidth)
    return np.where(left, "memory", "compute")


def memory_bandwidth(channels: ArrayLike, transfers: ArrayLike) -> Floats:
    """Return the peak bytes/s of memory channels that are 64 bits wide.

    Parameters
    ----------
    channels : array_like
        How many there are, above 0.
    transfers : array_like
        Transfers/s of a channel, above 0: 3.2e9 for DDR4-3200.

    Examples
    --------
    >>> float(memory_bandwidth(2, 3.2e9)) / 1e9
    51.2
    """
    return np.asarray(8 * positive("channels", channels) * positive("transfers", transfers))


def machine_roofline(
    machine: Machine,
    precision: str = "fp64",
    unit: str = "any",
    ceilings: Sequence[Ceiling] = (),
) -> Roofline:
    """Return the roofline of `machine`, a dagger in its name where a figure is not verified.

    Parameters
    ----------
    machine : Machine
        From `perfmodel.machines`.
    precision, unit : str
        As for `Machine.peak`.
    ceilings : sequence of Ceiling
        Below its roof; none if not given.

    Raises
    ------
    ValueError
        If the machine lacks the peak or the memory bandwidth.

    Examples
    --------
    >>> from perfmodel import machines
    >>> round(machine_roofline(machines.get("h200-sxm-141gb"), "bf16").ridge_point, 2)
    206.04
    """
    names = (machine.peak_quantity(precision, unit), "memory_bandwidth")
    figures = [machine.figure(name) for name in names]
    verified = all(figure.verified for figure in figures)
    title = f"{machine.short or machine.name} {precision}" + ("" if verified else "†")
    return Roofline(title, figures[0].value, figures[1].value, tuple(ceilings), verified)


def binding_bound(kernel: Kernel, roof: Roofline) -> str:
    """Return in one sentence what bounds `kernel` under `roof`.

    >>> binding_bound(Kernel("triad", 2e9, 24e9), Roofline("toy", 1e11, 2e10))
    'triad: 0.08333 FLOP/byte, bound by memory, at most 1.667 GFLOP/s (1.667 % of the peak)'
    """
    rate = float(roof.attainable(kernel.intensity))
    which = bound_by(kernel.intensity, roof.peak, roof.bandwidth).item()
    return (
        f"{kernel.name}: {number(kernel.intensity)} FLOP/byte, bound by {which}, "
        f"at most {prefixed(rate, 'FLOP/s', 4)} ({number(100 * rate / roof.peak)} % of the peak)"
    )
