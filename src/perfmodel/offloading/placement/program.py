"""The placement with the shortest step, by a linear program: shares, and what the limits cost.

The time of a step is linear in the shares of items, phase by phase above that of each link, so that
HiGHS finds the best placement, and the dual values tell what one more byte or byte/s would be
worth.
Source: D. Bertsimas and J. Tsitsiklis, *Introduction to Linear Optimization*, 1997, chapters 1, 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.offloading.placement.problem import PlacementProblem, fitted
from perfmodel.validation import Floats, within

FINER = 1e-3
"""Share of the scale that a step's time must reach, else the program is solved on a finer one."""
COARSER = 10.0
"""By which the scale of whole items grows until a placement takes no longer than it."""
SMALL = 2e-9
"""Least unit of a share: the solver takes smaller coefficients for 0."""
HOPELESS = 1e20
"""Steps an item would take in a tier before the fraction that fits into one counts as nothing."""
TOLERANCES = ((1e-10, None), (None,))
"""Of the solver for shares and for whole items, its own where None, and then without presolving,
which HiGHS 1.12 gets wrong for some programs of whole items with rates 1e7 apart."""
ROUNDING = 1e-12
"""Share of a capacity by which a sum may be above it."""


class TooLargeError(ValueError):
    """Items that don't fit into the tiers that they are allowed in."""


@dataclass(frozen=True, eq=False)
class Placement:
    """The best shares, what a step takes, and what the limits cost."""

    fractions: Floats
    """Share of each item in each tier, shape (items, tiers); rows sum to 1."""
    time: float
    """Seconds of a step."""
    link_times: Floats
    """Seconds that each link works in one pass of its phase, shape (links,)."""
    used: Floats
    """Bytes in each tier, shape (tiers,)."""
    weights: Floats
    """Seconds that a step grows by for each second more of a link, shape (links,); above 0 for the
    links that bind; 0 where items are whole, which has no dual values."""
    capacity_prices: Floats
    """Seconds that a step gets shorter for one more byte of a tier, shape (tiers,)."""
    rate_prices: Floats
    """Seconds that a step gets shorter for one more unit of rate of a link, shape (links,)."""


def link_times(problem: PlacementProblem, fractions: ArrayLike) -> Floats:
    """Return the seconds that each link works in one pass of its phase, shape (links,).

    Parameters
    ----------
    problem : PlacementProblem
        Items, tiers and links.
    fractions : array_like
        Share of each item in each tier, 0 to 1, shape (items, tiers); rows sum to 1.
    """
    fractions = fitted(
        "fractions", within("fractions", fractions, -1e-9, 1 + 1e-9), problem.size.shape
    )
    if not np.allclose(fractions.sum(axis=1), 1, atol=1e-6):
        raise ValueError(f"fractions must sum to 1 for each item, got {fractions.sum(axis=1)}")
    moved: Floats = np.einsum("lit,it->l", problem.work, fractions)
    return np.asarray(problem.busy + moved / problem.rate)


def placement_time(problem: PlacementProblem, fractions: ArrayLike) -> float:
    """Return the seconds of a step: of each phase the busiest link, as often as it repeats.

    Parameters
    ----------
    problem : PlacementProblem
        Items, tiers and links.
    fractions : array_like
        Share of each item in each tier, shape (items, tiers); whether it fits is not asked.
    """
    return float(problem.repeats @ _phase_maxima(problem, link_times(problem, fractions)))


def best_placement(problem: PlacementProblem, *, whole: bool = False) -> Placement:
    """Return the placement with the shortest step, by a linear program.

    Parameters
    ----------
    problem : PlacementProblem
        Items, tiers and links.
    whole : bool
        Whether every item must lie in one tier (branch and bound; no prices, which are then 0).

    Returns
    -------
    Placement
        Where several are equally short, one of them. Prices hold for small changes; where the time
        bends exactly at today's limit, they are those of one of its sides. Shares may fill a tier
        to 1e-9 of all sizes above its capacity. Whole items never overfill one, but some that fill
        it to within 1e-6 of all sizes may be passed over; their time is the least to 1e-5.

    Raises
    ------
    ValueError
        If the items don't fit into the tiers that they are allowed in.
    RuntimeError
        If the solver gives up.

    Examples
    --------
    >>> from perfmodel.offloading import tier_problem
    >>> near = tier_problem([10], [10], [0], [np.inf, np.inf], [4, 1], [4, 1])
    >>> best_placement(near).fractions
    array([[0.8, 0.2]])
    """
    seconds = problem.work / problem.rate[:, None, None]
    longest = problem.busy + (seconds * problem.allowed).max(axis=2).sum(axis=1)
    end = scale = float(problem.repeats @ _phase_maxima(problem, longest)) or 1.0
    found = None
    while found is None or 0 < found.time <= FINER * scale:
        scale = scale if found is None else found.time
        found = _solved(problem, seconds, longest, scale, whole=False)
        if found is None:
            raise _too_large(problem)
    if not whole:
        return found
    scale, found = 2 * found.time or 1e-15 * end, None
    while found is None or found.time > scale:
        if found is None and scale > COARSER * end:
            raise _too_large(problem)
        scale *= COARSER
        found = _solved(problem, seconds, longest, scale, whole=True)
    return found


def _too_large(problem: PlacementProblem) -> TooLargeError:
    return TooLargeError(
        f"size must fit into capacity, got {problem.size.max(axis=1).sum():.6g} bytes "
        f"for {problem.capacity.sum():.6g}"
        + ("" if problem.allowed.all() else ", in tiers that allowed leaves")
    )


def _phase_maxima(problem: PlacementProblem, times: Floats) -> Floats:
    return np.array([times[problem.phase == n].max() for n in range(len(problem.repeats))])


def _solved(
    problem: PlacementProblem, seconds: Floats, longest: Floats, scale: float, whole: bool
) -> Placement | None:
    """Return the best placement, or None, with times in units of a step that takes `scale` seconds.

    Fractions are in units of the bytes that fit into such a step, or a tier a billion times slower
    than the others would leave all differences between these below the solver's tolerance. Whole
    items stay out of tiers in which one alone takes longer.
    """
    links, items, tiers = seconds.shape
    phases, count = len(problem.repeats), items * tiers
    happens = problem.repeats > 0
    alone = _phase_maxima(problem, longest)
    clock = np.where(happens, scale / np.where(happens, problem.repeats, 1), alone + (alone == 0))
    steps = seconds.reshape(links, count) / clock[problem.phase][:, None]
    most = steps.max(axis=0)
    free = problem.allowed.ravel() & (most <= (1 + 1e-9 if whole else HOPELESS))
    part = np.ones(count) if whole else np.clip(1 / np.maximum(most, 1), SMALL, 1)
    unit = float(problem.size.sum()) or 1.0
    limited = np.flatnonzero(np.isfinite(problem.capacity))
    upper = np.zeros((links + len(limited), count + phases))
    upper[:links, :count] = steps * free * part
    upper[np.arange(links), count + problem.phase] = -1.0
    for row, tier in enumerate(limited, start=links):
        here = np.arange(items) * tiers + tier
        upper[row, here] = problem.size[:, tier] / unit * part[here]
    complete = np.hstack([np.kron(np.eye(items), np.ones(tiers)) * part, np.zeros((items, phases))])
    limits = np.append(-problem.busy / clock[problem.phase], problem.capacity[limited] / unit)
    lower = ROUNDING
    while True:
        found = _highs(
            TOLERANCES[whole],
            np.append(np.zeros(count), problem.repeats * clock / scale),
            A_ub=upper,
            b_ub=limits,
            A_eq=complete,
            b_eq=np.ones(items),
            bounds=[(0, (1 if whole else None) if each else 0) for each in free]
            + [(0, None)] * phases,
            integrality=[int(whole)] * count + [0] * phases,
        )
        if found.status == 2:
            return None
        shares = np.clip((found.x[:count] * part).reshape(items, tiers), 0, 1)
        shares = np.round(shares) if whole else shares / shares.sum(axis=1, keepdims=True)
        used = np.sum(problem.size * shares, axis=0)
        excess = np.maximum(used - problem.capacity * (1 + ROUNDING), 0)[limited]
        if not whole or not excess.any():
            break
        limits[links:] -= np.where(excess > 0, np.maximum(excess / unit, lower), 0)
        lower *= 4
    weights, prices, rates = np.zeros(links), np.zeros(tiers), np.zeros(links)
    times = link_times(problem, shares)
    if not whole:
        marginals = np.maximum(-found.ineqlin.marginals, 0)
        weights = marginals[:links] * scale / clock[problem.phase]
        prices[limited] = marginals[links:] * scale / unit
        rates = weights * (times - problem.busy) / problem.rate
    return Placement(shares, placement_time(problem, shares), times, used, weights, prices, rates)


def _highs(tolerance: Sequence[float | None], cost: Floats, **program: Any) -> Any:
    """Return what HiGHS finds with the first tolerance with which it doesn't give up."""
    from scipy.optimize import linprog

    for least in tolerance:
        options = {
            "primal_feasibility_tolerance": least,
            "dual_feasibility_tolerance": least,
            "mip_rel_gap": 0.0,
            "presolve": least is not None,
        }
        found = linprog(cost, method="highs", options=options, **program)
        if found.status in (0, 2):
            return found
    raise RuntimeError(f"the linear program of the placement was not solved: {found.message}")
