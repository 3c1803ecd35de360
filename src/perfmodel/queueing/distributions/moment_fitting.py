"""Moment matching: phase-type distributions and MAPs with given moments, and a given correlation.

Three moments say how long times are, how much they vary and how far the tail reaches; the
correlation of neighbours says whether busy and calm spells last. Each has a range in which a few
phases can match it exactly; values outside of it are refused with that range. Three moments are
fitted by candidates of growing size, of which the first that matches is returned. A MAP of order 2
is built in its canonical form from its first three moments and the second eigenvalue of the chain
of phases at arrivals, called `memory`, to which its correlation is proportional.

Sources: M. A. Johnson and M. R. Taaffe, "Matching moments to phase distributions", Stochastic
Models 5(4), 1989 (mixtures of Erlang distributions of one order); M. Telek and A. Heindl,
"Matching moments for acyclic discrete and continuous phase-type distributions of second order",
Int. J. Simulation 3(3-4), 2002 (two phases); L. Bodrog, A. Heindl, G. Horvath and M. Telek, "A
Markovian canonical form of second-order matrix-exponential processes", European J. Operational
Research 190(2), 2008.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import factorial, sqrt

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.queueing.distributions.phase_forms import branched_erlangs
from perfmodel.queueing.distributions.phase_type import ArrivalProcess, PhaseType
from perfmodel.validation import Floats, finite, one_number, positive, sample

_MOST_STAGES = 100
_LEAST_SCV = 1e-3
_SAME = 1e-9
"""Relative difference below which two numbers count as equal."""
_EDGE = 1e-7
"""How far a probability may lie outside 0 to 1 by rounding."""


def fit_phase_type(moments: ArrayLike) -> PhaseType:
    """Return a phase-type distribution with these moments.

    Parameters
    ----------
    moments : array_like, shape (1,), (2,) or (3,)
        E[X], E[X^2] and E[X^3] in seconds and their powers, as many as are to be met, above 0.

    Returns
    -------
    PhaseType
        For one moment an exponential distribution, for two `PhaseType.of_two_moments`. For three
        an Erlang distribution if it fits, below an scv of 1 two acyclic phases if they can, and
        else a mixture of two Erlang distributions with as few stages as possible: one stage each
        is a hyperexponential distribution.

    Raises
    ------
    ValueError
        If no distribution of times above 0 has such moments, or a phase-type distribution with up
        to 100 stages in each branch can't reach them; the message says the range.

    Examples
    --------
    >>> law = fit_phase_type([1.0, 3.0, 20.0])
    >>> print([round(law.moment(k), 9) for k in (1, 2, 3)], law.start.size)
    [1.0, 3.0, 20.0] 2
    >>> print(fit_phase_type([2.0, 4.8, 13.44]).start.size)
    5
    >>> fit_phase_type([1.0, 3.0, 8.0])
    Traceback (most recent call last):
        ...
    ValueError: the third of moments must be above 9, the second squared over the first, got 8
    """
    values = _moments(moments)
    mean = float(values[0])
    if values.size == 1:
        return PhaseType.exponential(mean)
    scv = float(values[1] / mean**2 - 1)
    if values.size == 2:
        return PhaseType.of_two_moments(mean, scv)
    for law in _candidates(values, scv):
        if all(abs(law.moment(k + 1) / values[k] - 1) < _SAME for k in range(3)):
            return law
    raise ValueError(
        f"moments must leave a law of at most {_MOST_STAGES} stages: an scv above "
        f"{1 / _MOST_STAGES:g} and E[X] E[X^3] / E[X^2]^2 above {1 + 1 / (_MOST_STAGES + 1):.4g}, "
        f"got {scv:.6g} and {mean * values[2] / values[1] ** 2:.6g}"
    )


def fit_map(moments: ArrayLike, correlation: float) -> ArrivalProcess:
    """Return an arrival process of two phases with these moments and this correlation.

    Parameters
    ----------
    moments : array_like, shape (2,) or (3,)
        E[X], E[X^2] and, if it is to be met, E[X^3] of the time between arrivals X, in seconds and
        their powers.
    correlation : float
        Of two neighbouring times between arrivals. It falls by the same factor with each further
        step between the two.

    Returns
    -------
    ArrivalProcess
        In the canonical form of a MAP of order 2.

    Raises
    ------
    ValueError
        If two phases cannot have these moments or this correlation; the message says the range.

    Examples
    --------
    >>> calls = fit_map([1.0, 5.0], 0.3)
    >>> print(round(calls.rate, 9), round(calls.scv, 9), round(calls.correlation(1), 9))
    1.0 4.0 0.3
    >>> fit_map([1.0, 5.0], 0.4)
    Traceback (most recent call last):
        ...
    ValueError: correlation must be from -0.0476 to below 0.375 for these moments, got 0.4
    """
    values, goal = _two_phase_moments(moments), one_number("correlation", correlation, finite)
    scv = float(values[1] / values[0] ** 2 - 1)
    if abs(scv - 1) < _SAME:
        if abs(goal) > _SAME:
            raise ValueError(f"correlation must be 0 for an scv of 1, got {goal:g}")
        return ArrivalProcess.poisson(1 / float(values[0]))
    unit = (scv - 1) / (2 * scv)
    process = _two_phases(values, goal / unit)
    if process is None:
        low, high = sorted(unit * end for end in _memory_range(values))
        raise ValueError(
            f"correlation must be from {low:.3g} to below {high:.3g} for these moments, "
            f"got {goal:g}"
        )
    return process


def _moments(moments: ArrayLike) -> Floats:
    """Return one to three moments of some distribution of times above 0."""
    values = positive("moments", sample("moments", moments))
    if values.size > 3:
        raise ValueError(f"moments must be one to three, got {values.size}")
    least = (1 + _LEAST_SCV) * values[0] ** 2
    if values.size > 1 and values[1] < least:
        raise ValueError(
            f"the second of moments must be {least:.6g} or more, {1 + _LEAST_SCV:g} times the "
            f"first squared, got {values[1]:.6g}"
        )
    if values.size > 2 and values[2] <= values[1] ** 2 / values[0]:
        raise ValueError(
            f"the third of moments must be above {values[1] ** 2 / values[0]:.6g}, the second "
            f"squared over the first, got {values[2]:.6g}"
        )
    return values


def _candidates(moments: Floats, scv: float) -> Iterator[PhaseType]:
    """Yield an Erlang distribution, two acyclic phases, then mixtures of more and more stages."""
    stages = max(1, round(1 / scv))
    if stages <= _MOST_STAGES:
        yield PhaseType.erlang(float(moments[0]), stages)
    if scv < 1:
        yield from _acyclic(_reduced(moments, 1))
    ratio = moments[0] * moments[2] / moments[1] ** 2
    fewest = int(max(1 / scv, 1 / (ratio - 1) - 1) + _SAME) + 1
    for stages in range(fewest, min(fewest + 3, _MOST_STAGES + 1)):
        yield _mixture(_reduced(moments, stages), stages)


def _reduced(moments: Floats, stages: int) -> Floats:
    """Return the moments of a random stage mean whose Erlang times have these `moments`."""
    orders = range(1, len(moments) + 1)
    rising = [factorial(stages + k - 1) // factorial(stages - 1) for k in orders]
    return np.array([moment / whole for moment, whole in zip(moments, rising, strict=True)])


def _means(reduced: Floats) -> tuple[float, float]:
    """Return the two values, the larger first, of a variable with these moments; nan if complex."""
    first, second, third = reduced
    variance = second - first**2
    half, product = (third - first * second) / variance / 2, (first * third - second**2) / variance
    discriminant = half**2 - product
    root = sqrt(max(0.0, discriminant)) if discriminant > -_SAME * half**2 else np.nan
    return half + root, product / (half + root)


def _acyclic(reduced: Floats) -> Iterator[PhaseType]:
    """Yield distributions of two phases, the first of which may be skipped, in either order."""
    longer, shorter = _means(reduced) if reduced[1] != reduced[0] ** 2 else (np.nan, np.nan)
    for before, last in ((longer, shorter), (shorter, longer)):
        if min(before, last) > 0 and -_SAME <= (reduced[0] - last) / before <= 1 + _SAME:
            through_both = min(1.0, max(0.0, float((reduced[0] - last) / before)))
            rates = [[-1 / before, 1 / before], [0.0, -1 / last]]
            yield PhaseType(np.array([through_both, 1 - through_both]), np.array(rates))


def _mixture(reduced: Floats, stages: int) -> PhaseType:
    """Return a mixture of two Erlang distributions of `stages` each."""
    longer, shorter = _means(reduced)
    weight = float((reduced[0] - shorter) / (longer - shorter))
    return branched_erlangs(
        np.array([weight, 1 - weight]), [stages, stages], 1 / np.array([longer, shorter])
    )


def _two_phase_moments(moments: ArrayLike) -> Floats:
    """Return three moments that two phases can have, the third filled in if there are but two."""
    values = _moments(moments)
    if values.size < 2:
        raise ValueError(f"moments must be two or three, got {values.size}")
    mean, scv = float(values[0]), float(values[1] / values[0] ** 2 - 1)
    if scv < 0.5 - _SAME:
        raise ValueError(
            f"the second of moments must be {1.5 * mean**2:.6g} or more, an scv of 1/2, for two "
            f"phases, got {values[1]:.6g}"
        )
    if values.size == 2:
        third = PhaseType.of_two_moments(mean, scv).moment(3)
        return np.array([mean, float(values[1]), third])
    low, high = _third_range(mean, scv)
    if not low * (1 - _SAME) <= values[2] <= high * (1 + _SAME):
        raise ValueError(
            f"the third of moments must be from {low:.6g} to {high:.6g} for two phases, "
            f"got {values[2]:.6g}"
        )
    return values


def _third_range(mean: float, scv: float) -> tuple[float, float]:
    """Return the least and the largest third moment of two phases (Telek and Heindl, table 2)."""
    cube = mean**3
    if abs(scv - 1) < _SAME:
        return 6 * cube, 6 * cube
    if scv > 1:
        return 1.5 * cube * (1 + scv) ** 2, np.inf
    calm = max(0.0, 1 - scv)
    return 3 * cube * (3 * scv - 1 + sqrt(2) * calm**1.5), 6 * cube * scv


def _two_phases(moments: Floats, memory: float) -> ArrivalProcess | None:
    """Return the canonical MAP with these moments and this `memory`, if there is one."""
    reduced = _reduced(moments, 1)
    slow, fast = _means(reduced)
    spare = (reduced[0] - fast) * (1 - memory)
    for a, b in _parameters(slow, fast, float(spare), memory):
        if abs(memory) < 1 and all(-_EDGE <= share <= 1 + _EDGE for share in (a, b)):
            a, b = min(1.0, max(0.0, a)), min(1.0, max(0.0, b))
            d0 = np.array([[-1, 1 - a], [0, -1]]) / np.array([[slow], [fast]])
            d1 = [[a, 0], [1 - b, b]] if memory >= 0 else [[0, a], [b, 1 - b]]
            return ArrivalProcess(d0, np.array(d1) / np.array([[slow], [fast]]))
    return None


def _parameters(slow: float, fast: float, spare: float, memory: float) -> list[tuple[float, float]]:
    """Return the pairs a, b of probabilities in the canonical forms, with a b = |memory|."""
    if memory < 0:
        b = (spare - memory * fast) / slow
        return [(-memory / b, b)] if b > 0 else []
    total = slow + memory * fast - spare
    discriminant = total**2 - 4 * slow * fast * memory
    if discriminant < -_SAME * total**2:
        return []
    larger = (total + sqrt(max(0.0, discriminant))) / 2
    if larger <= 0:
        return [(0.0, 0.0)] if memory == 0 and total > -_SAME * slow else []
    return [
        (larger / fast, memory * fast / larger),
        (memory * slow / larger, larger / slow),
    ]


def _memory_range(moments: Floats) -> tuple[float, float]:
    """Return the least and the largest memory of two phases, by bisection from none."""
    ends = []
    for beyond in (-1.0, 1.0):
        inside = 0.0
        for _ in range(60):
            middle = (inside + beyond) / 2
            feasible = _two_phases(moments, middle) is not None
            inside, beyond = (middle, beyond) if feasible else (inside, middle)
        ends.append(inside)
    return ends[0], ends[1]
