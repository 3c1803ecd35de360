"""A rate law for many flows behind one link, with one fair fixed point: followed, and its delay.

Each flow sees the round-trip time, inflated by the queue that all of them fill, and its own rate.
It weighs the one by the other, and so the fast hold back before the slow.

Source: C. Tessler et al., "Reinforcement learning for datacenter congestion control", AAAI 2022,
arXiv:2102.09337: the reward of its equation 1 and proposition 1. A learned controller follows it
there; the update written here is the simplest that does.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import Floats, at_least, non_negative, positive, sample, whole, within


@dataclass(frozen=True)
class RateControl:
    """A flow raises its rate while `(inflation - base) * rate**exponent` is below its target.

    Inflation is the round-trip time over that of an empty network; a rate is a share of the line's.
    Each step multiplies the rate by 1 + gain * a, or divides by 1 + gain * |a| for a below 0, with
    a = tanh(steepness * (target - (inflation - base) * rate**exponent)).
    """

    target: float
    base: float = 0.0
    exponent: float = 0.5
    gain: float = 0.2
    steepness: float = 0.625
    drain: float = 0.1
    """Base round trips' worth of queue that a step adds per unit of rate above the line's."""

    def __post_init__(self) -> None:
        for name in ("target", "gain", "steepness", "drain"):
            positive(name, getattr(self, name))
        non_negative("base", self.base)
        non_negative("exponent", self.exponent)

    def equilibrium_inflation(self, flows: ArrayLike) -> Floats:
        """Return the inflation at which flows that share the line evenly stand still.

        Raises
        ------
        ValueError
            If it would be below 1, that of an empty network: the target is too small for a queue.

        Examples
        --------
        >>> print(RateControl(0.064, 1.5).equilibrium_inflation([1, 4, 16, 64]))
        [1.564 1.628 1.756 2.012]
        """
        inflation = self.base + self.target * positive("flows", flows) ** self.exponent
        if (inflation < 1).any():
            raise ValueError(
                f"target must make base + target * flows^exponent 1 or more, got {self.target} and "
                f"{inflation.min():g}"
            )
        return np.asarray(inflation)

    def factors(self, rates: Floats, inflation: float, targets: Floats) -> Floats:
        """Return what each flow multiplies its rate by, having seen these rates and inflation."""
        seen = max(inflation - self.base, 0.0) * rates**self.exponent
        action = np.tanh(self.steepness * (targets - seen))
        raised, lowered = 1 + self.gain * action, 1 / (1 + self.gain * np.abs(action))
        return np.where(action < 0, lowered, raised)


@dataclass(frozen=True, eq=False)
class RateHistory:
    """What flows under a law did, one row for each step and the first for the start."""

    rates: Floats
    """Shares of the line rate, shape (steps + 1, flows)."""
    inflation: Floats
    """Round-trip time over that of an empty network, shape (steps + 1,)."""


def simulate_rate_control(
    control: RateControl,
    rates: ArrayLike,
    steps: int,
    delay: int = 0,
    targets: ArrayLike | None = None,
    inflation: float = 1.0,
) -> RateHistory:
    """Let flows share a link under a law, each seeing the inflation of `delay` steps ago.

    Parameters
    ----------
    control : RateLaw
    rates : array_like, shape (flows,)
        To start with, above 0 and at most 1.
    steps : int
        1 or more.
    delay : int
        Steps until the flows see a change, including a change of their own rate.
    targets : array_like, optional
        One for each flow instead of the law's, above 0.
    inflation : float
        To start with, 1 (an empty queue) or more.

    Examples
    --------
    >>> end = simulate_rate_control(RateControl(0.064, 1.5), [0.9, 0.1], 5000)
    >>> print(end.rates[-1].round(4), end.inflation[-1].round(4))
    [0.5 0.5] 1.5905
    """
    first = sample("rates", within("rates", rates, 1e-12, 1))
    count, lag = whole("steps", steps, 1), whole("delay", delay)
    aims = np.broadcast_to(
        positive("targets", control.target if targets is None else targets), first.shape
    )
    known, inflated = np.empty((count + 1, first.size)), np.empty(count + 1)
    known[0], inflated[0] = first, float(at_least("inflation", inflation, 1))
    for step in range(count):
        now, old = known[step], known[max(step - lag, 0)]
        inflated[step + 1] = max(1.0, inflated[step] + control.drain * (now.sum() - 1))
        seen = inflated[max(step + 1 - lag, 0)]
        known[step + 1] = np.minimum(now * control.factors(old, seen, aims), 1.0)
    return RateHistory(known, inflated)


def largest_stable_delay(control: RateControl, flows: int, largest: int = 100) -> int:
    """Return the longest delay, in steps, from which small disturbances still die out.

    Parameters
    ----------
    control : RateLaw
        Its exponent above 0.
    flows : int
        Sharing the link evenly.
    largest : int
        Where the search ends.

    Returns
    -------
    int
        -1 if the law isn't stable without any delay.

    Notes
    -----
    Near the equilibrium, let u be the logarithm of a rate, q the inflation, k = gain * steepness,
    c the drain and p the exponent. One step of the mean is q' = q + c u and
    u' = u - k (s u_d + n^-p q'_d) with s = p * target, d marking values of d steps ago. It is
    stable if all roots of z^d (z - 1)^2 + k (s (z - 1) + c n^-p z) are inside the unit circle.
    Differences between flows follow z^d (z - 1) + k s and die out for k s < 2 sin(pi / (4 d + 2)),
    which a stable mean implies: along half the unit circle its polynomial over z turns by d + 1
    half circles, always the same way, and first comes back to the real axis, below zero, at an
    angle t of k s = 2 tan(t / 2) sin(d t) and (2 d + 1) t < pi. (For d = 0 the mean is stable for
    2 k s + c k n^-p < 4.) A large disturbance, such as an empty queue, may go on swinging at a
    delay that small ones die out at.

    Examples
    --------
    >>> law = RateControl(0.064, 1.5)
    >>> [largest_stable_delay(law, flows) for flows in (4, 64, 1024)]
    [0, 2, 10]
    """
    count = whole("flows", flows, 1)
    if control.exponent == 0:
        raise ValueError("exponent must be above 0 for a stable law, got 0")
    delays = range(whole("largest", largest, 1) + 1)
    unstable = (delay for delay in delays if _slowest_mode(control, count, delay) >= 1)
    return next(unstable, largest + 1) - 1


def _slowest_mode(law: RateControl, flows: int, delay: int) -> float:
    """Return the largest root in absolute value of the mean's equation."""
    k, s = law.gain * law.steepness, law.exponent * law.target
    mean = np.zeros(delay + 3)
    mean[:3] += 1, -2, 1
    mean[-2:] += k * s + k * law.drain * flows**-law.exponent, -k * s
    return float(np.abs(np.roots(mean)).max())
