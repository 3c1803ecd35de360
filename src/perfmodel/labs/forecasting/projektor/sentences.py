"""Conclusions from the runs, written from their outcome."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from perfmodel.labs.forecasting.projektor.mixtures import PILOTS, TARGET, MixtureRuns
from perfmodel.labs.forecasting.projektor.projections import Projected
from perfmodel.labs.forecasting.projektor.regressors import Errors
from perfmodel.validation import Floats

ALONE, COMBINED = "distance alone", "distance and shares"
FOREST, FOREST_ON_SHARES = "forest on both", "forest on shares"


def says_sinkhorn(costs: Mapping[float, float], misplaced: Mapping[float, float]) -> str:
    """Say which plans cost less than any finished plan can, and why, by smoothing."""
    below = [smoothing for smoothing, cost in costs.items() if cost < 1]
    if not below:
        return "No plan is cheaper than the least cost."
    which = min(below)
    return (
        f"With a smoothing of {which:g} the plan is **cheaper than possible**: it has "
        f"{costs[which]:.3f} of the least cost, because {100 * misplaced[which]:.1f} % of the mass "
        "is misplaced."
    )


def says_regressions(found: Mapping[str, Errors], size: int) -> str:
    """Say which regression is best on its own pilots, and how large its error is beyond them."""
    inside = min(found, key=lambda name: found[name].fitted)
    beyond = min(found, key=lambda name: found[name].beyond)
    text = (
        f"At {size} examples, **{inside}** is best on its pilots, with an error of "
        f"{found[inside].fitted:.3f}. Beyond them its error is {found[inside].beyond:.3f}. "
    )
    if beyond == inside:
        return text + "It is best there as well."
    return text + f"Best beyond them is **{beyond}**, with {found[beyond].beyond:.3f}."


def says_shuffles(beyond: Mapping[str, Floats]) -> str:
    """Say how often each of two regressions is best beyond the pilots, over all shuffles."""
    names = list(beyond)
    table = np.array([beyond[name] for name in names])
    count = table.shape[1]
    wins = dict(zip(names, np.bincount(table.argmin(axis=0), minlength=len(names)), strict=True))
    first = max(wins, key=lambda name: wins[name])
    ahead = int((beyond[ALONE] < beyond[COMBINED]).sum())
    both = (FOREST, FOREST_ON_SHARES)
    return (
        f"In {wins[first]} of {count} studies, {first} is best. Two coefficients, on the distance "
        f"alone, beat eight, on distance and shares, in {ahead}. "
        + _says_forests(*(float(np.median(beyond[n])) for n in both))
    )


def _says_forests(with_distance: float, without: float) -> str:
    because = (
        "the distance carries it beyond the pilots"
        if without > 1.5 * with_distance
        else "the distance doesn't help it"
    )
    return (
        f"The forest has a median error of {with_distance:.3f} with the distance and "
        f"{without:.3f} without it, so {because}."
    )


def says_projection(by_draws: Mapping[int, Projected]) -> str:
    """Say how many draws the projection needs, and whether noise explains its scatter."""
    fewest, most = min(by_draws), max(by_draws)
    one, many = by_draws[fewest], by_draws[most]
    paying = [draws for draws, out in sorted(by_draws.items()) if out.error < out.last_value]
    fraction = one.noise / one.scatter
    explained = (
        "the noise of the pilots explains nearly all of it"
        if fraction > 0.9
        else f"the noise of the pilots explains {100 * fraction:.0f} % of it"
    )
    when = (
        f"The projection needs {paying[0]} draw{'s' * (paying[0] > 1)} of each pilot to beat the "
        "last value."
        if paying
        else "The projection beats the last value with no tested number of draws."
    )
    return (
        f"**{when}** With {fewest} draw{'s' * (fewest > 1)} it scatters by "
        f"{one.scatter:.2f}, and {explained}. With {most} draws its error is {many.error:.3f}. The "
        f"last value has an error of {many.last_value:.3f}."
    )


def says_pilot_distance(
    near: Mapping[int, Projected], wide: Mapping[int, Projected], logged: Projected
) -> str:
    """Say how pilots further apart change the error, and the logarithm of the error with one."""
    changes = " and ".join(
        f"from {near[d].error:.3f} to {wide[d].error:.3f} with {d} draw{'s' * (d > 1)}"
        for d in sorted(wide)
    )
    most = max(near)
    against = "less than" if logged.error < near[most].error else "not less than"
    return (
        f"Spreading the pilots changes the error {changes}. In the logarithm of the error, one "
        f"draw of spread pilots has {logged.error:.3f}. This is {against} the "
        f"{near[most].error:.3f} of {most} draws with a line in the accuracy."
    )


def says_order(studies: Sequence[MixtureRuns]) -> str:
    """Say how different the mixtures' gains to the target are, and whether their order holds."""
    from scipy.stats import spearmanr

    large = PILOTS[1]
    ends = [(s.accuracy[large].mean(axis=1), s.accuracy[TARGET].mean(axis=1)) for s in studies]
    gains = np.array([end - start for start, end in ends])
    alike = [float(spearmanr(start, end).statistic) for start, end in ends]
    kept = "keep their order" if min(alike) > 0.9 else "change their order"
    return (
        f"**The mixtures {kept}** from {large} to {TARGET} examples: the correlation of ranks is "
        f"{min(alike):.2f} to {max(alike):.2f}, depending on the shuffle. Mixtures gain between "
        f"{gains.min():.2f} and {gains.max():.2f}."
    )


def says_choice(left: Mapping[str, Sequence[float]]) -> str:
    """Say which rule loses least accuracy compared with the best mixture, and which most."""
    means = {name: float(np.mean(values)) for name, values in left.items()}
    best, worst = (pick(means, key=lambda name: means[name]) for pick in (min, max))
    return (
        f"On average “{best}” loses least, {means[best]:.3f}, and “{worst}” loses most, "
        f"{means[worst]:.3f}."
    )
