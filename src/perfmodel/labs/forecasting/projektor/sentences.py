"""What the runs say, written from their outcome."""

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
        f"With a smoothing of {which:g} the plan is **cheaper than possible**, at "
        f"{costs[which]:.3f} of the least cost: {100 * misplaced[which]:.1f} % of the mass is "
        "misplaced."
    )


def says_regressions(found: Mapping[str, Errors], size: int) -> str:
    """Say which regression is nearest on its own pilots, and what becomes of it beyond them."""
    inside = min(found, key=lambda name: found[name].fitted)
    beyond = min(found, key=lambda name: found[name].beyond)
    text = (
        f"At {size} examples, **{inside}** is nearest on its own pilots (off by "
        f"{found[inside].fitted:.3f}); beyond them it is off by {found[inside].beyond:.3f}. "
    )
    if beyond == inside:
        return text + "There, too, nothing is nearer."
    return text + f"Nearest beyond is **{beyond}**, off by {found[beyond].beyond:.3f}."


def says_shuffles(beyond: Mapping[str, Floats]) -> str:
    """Say how often each of two regressions is nearest beyond the pilots, over all shuffles."""
    names = list(beyond)
    table = np.array([beyond[name] for name in names])
    count = table.shape[1]
    wins = dict(zip(names, np.bincount(table.argmin(axis=0), minlength=len(names)), strict=True))
    first = max(wins, key=lambda name: wins[name])
    ahead = int((beyond[ALONE] < beyond[COMBINED]).sum())
    both = (FOREST, FOREST_ON_SHARES)
    return (
        f"Of {count} studies (shuffles and sizes) {first} is nearest in {wins[first]}. The "
        "distance alone, with two coefficients, beats the distance with the shares, with eight, "
        f"in {ahead}. " + _says_forests(*(float(np.median(beyond[n])) for n in both))
    )


def _says_forests(with_distance: float, without: float) -> str:
    because = (
        "it is the distance among its inputs that carries it beyond the pilots"
        if without > 1.5 * with_distance
        else "it doesn't owe its place to the distance"
    )
    return (
        f"The forest has a median error of {with_distance:.3f}, and on the shares alone "
        f"{without:.3f}: {because}."
    )


def says_projection(by_draws: Mapping[int, Projected]) -> str:
    """Say whether noise explains the projection's scatter, and from how many draws it pays."""
    fewest, most = min(by_draws), max(by_draws)
    one, many = by_draws[fewest], by_draws[most]
    paying = [draws for draws, out in sorted(by_draws.items()) if out.error < out.last_value]
    fraction = one.noise / one.scatter
    explained = (
        "the pilots' noise explains nearly all of it"
        if fraction > 0.9
        else f"the pilots' noise explains {100 * fraction:.0f} % of it"
    )
    when = (
        f"It beats the last value from {paying[0]} draw{'s' * (paying[0] > 1)} of each pilot on."
        if paying
        else "With no number of draws tried does it beat the last value."
    )
    return (
        f"With {fewest} draw{'s' * (fewest > 1)} the projection scatters by {one.scatter:.2f}; "
        f"{explained}. With {most} it is off by {many.error:.3f}, the last value by "
        f"{many.last_value:.3f}. **{when}**"
    )


def says_pilot_distance(
    near: Mapping[int, Projected], wide: Mapping[int, Projected], logged: Projected
) -> str:
    """Say what pilots further apart gain with few draws and with many, and the form with one."""
    changes = " and ".join(
        f"from {near[d].error:.3f} to {wide[d].error:.3f} with {d} draw{'s' * (d > 1)}"
        for d in sorted(wide)
    )
    most = max(near)
    against = "less than" if logged.error < near[most].error else "no less than"
    return (
        f"Spreading the pilots changes the error {changes}. One draw of each, spread, in the "
        f"logarithm of the error: {logged.error:.3f}, {against} {most} draws of each in a line of "
        f"the accuracy, {near[most].error:.3f}."
    )


def says_order(studies: Sequence[MixtureRuns]) -> str:
    """Say how unlike the mixtures' gains to the target are, and whether their order holds."""
    from scipy.stats import spearmanr

    large = PILOTS[1]
    ends = [(s.accuracy[large].mean(axis=1), s.accuracy[TARGET].mean(axis=1)) for s in studies]
    gains = np.array([end - start for start, end in ends])
    alike = [float(spearmanr(start, end).statistic) for start, end in ends]
    kept = "The order holds all the same" if min(alike) > 0.9 else "The order changes"
    return (
        f"From {large} to {TARGET} examples mixtures gain between {gains.min():.2f} and "
        f"{gains.max():.2f}. {kept}: the correlation of ranks is {min(alike):.2f} to "
        f"{max(alike):.2f}, by shuffle."
    )


def says_choice(left: Mapping[str, Sequence[float]]) -> str:
    """Say which rule leaves least accuracy behind the best mixture, on average, and which most."""
    means = {name: float(np.mean(values)) for name, values in left.items()}
    best, worst = (pick(means, key=lambda name: means[name]) for pick in (min, max))
    return (
        f"On average “{best}” leaves least, {means[best]:.3f}; “{worst}” leaves most, "
        f"{means[worst]:.3f}."
    )
