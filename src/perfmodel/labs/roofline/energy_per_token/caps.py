"""A power cap as a lower frequency: time and energy of an epoch, measured and by two points.

Power above a static part goes with the cube of the frequency, and only a part of the time with its
reciprocal. So t(P) = t_m + beta (P - P_s)^(-1/3) for a draw of P watts.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.labs.roofline.energy_per_token.inputs import CAPPED, Cap, caps, fleet
from perfmodel.validation import Floats, non_negative, positive, within

STATIC = (20.0, 40.0, 60.0, 80.0)
"""Watts of the static part that are tried."""
DRAWING = 0.6
"""Fraction of the highest cap that a run must draw without one, or caps hardly bind."""


class CapModel(NamedTuple):
    """Seconds as a function of the draw."""

    memory: float
    """t_m, seconds that the frequency doesn't change."""
    compute: float
    """beta, seconds times watts to the third root."""
    static: float
    """P_s, watts."""

    def time(self, power: ArrayLike) -> Floats:
        """Return seconds at a draw above the static part, watts."""
        above = positive("power - static", np.asarray(power, np.float64) - self.static)
        return np.asarray(self.memory + self.compute * above ** (-1 / 3))


def cap_model(power: ArrayLike, seconds: ArrayLike, static: float) -> CapModel:
    """Return the law through two points (watts and seconds), above the watts `static`.

    >>> fit = cap_model([72, 133], [5.0, 4.5], 8)
    >>> round(fit.memory, 9), round(fit.compute, 9)
    (2.5, 10.0)
    """
    watts, times = positive("power", power), positive("seconds", seconds)
    if watts.shape != (2,) or times.shape != (2,) or watts[0] == watts[1]:
        raise ValueError(f"power and seconds must be two different points, got {power!r}")
    above = positive("power - static", watts - float(non_negative("static", static)))
    roots = above ** (-1 / 3)
    slope = (times[0] - times[1]) / (roots[0] - roots[1])
    return CapModel(float(times[0] - slope * roots[0]), float(slope), float(static))


@cache
def sweeps(card: str) -> tuple[tuple[Cap, ...], ...]:
    """Return the configurations with a run at the highest cap, each by ascending cap."""
    highest = max(run.cap for run in caps(card))
    groups: dict[tuple[object, ...], list[Cap]] = defaultdict(list)
    for run in caps(card):
        groups[run.network, run.batch, run.optimizer].append(run)
    ordered = (tuple(sorted(group, key=lambda run: run.cap)) for group in groups.values())
    return tuple(group for group in ordered if group[-1].cap == highest)


def busy(card: str) -> list[tuple[Cap, ...]]:
    """Return those that draw more than `DRAWING` of the highest cap where it doesn't bind."""
    return [group for group in sweeps(card) if group[-1].power > DRAWING * group[-1].cap]


def bert(card: str, batch: int) -> tuple[Cap, ...]:
    """Return the runs of BERT on the data set sentiment140 at a batch, by ascending cap.

    >>> [round(run.energy / 1e3) for run in bert("A40", 256)]
    [880, 531, 440, 478, 536]
    """
    for group in sweeps(card):
        first = group[0]
        named = first.network.startswith("bert") and "sentiment" in first.optimizer
        if named and first.batch == batch:
            return group
    raise ValueError(f"no runs of BERT have batch {batch!r} on {card}")


def effect(card: str, fraction: float) -> tuple[float, float]:
    """Return the median saving and slowdown of busy runs at the cap closest to this fraction.

    >>> [round(100 * part, 1) for part in effect("V100", 0.7)]
    [17.9, 7.9]
    """
    share = float(within("fraction", fraction, 0, 1))
    saved, slower = [], []
    for group in busy(card):
        top = group[-1]
        nearest = min(group, key=lambda run: abs(run.cap - share * top.cap))
        saved.append(1 - nearest.energy / top.energy)
        slower.append(nearest.seconds / top.seconds - 1)
    return float(np.median(saved)), float(np.median(slower))


class CapErrors(NamedTuple):
    """How the law of two points does at all other caps."""

    card: str
    mean: float
    median: float
    constant: float
    """Mean error if an epoch took the same energy at every cap."""


@cache
def cap_errors(card: str) -> CapErrors:
    """Return relative errors of time, the static power chosen on other networks of the card.

    The points are the middle and the highest cap of a configuration.

    >>> round(100 * cap_errors("V100").median, 1)
    1.1
    """
    groups = [group for group in busy(card) if len(group) >= 4]
    by_static = {static: [_errors(group, static) for group in groups] for static in STATIC}
    networks = [group[0].network for group in groups]
    errors: list[float] = []
    for network in sorted(set(networks)):
        others = [i for i, name in enumerate(networks) if name != network] or range(len(networks))
        best = min(STATIC, key=lambda s: np.mean(np.concatenate([by_static[s][i] for i in others])))
        for i, name in enumerate(networks):
            if name == network:
                errors += by_static[best][i].tolist()
    constant = np.concatenate([_constant_errors(group) for group in groups])
    return CapErrors(card, float(np.mean(errors)), float(np.median(errors)), float(constant.mean()))


def _arrays(group: tuple[Cap, ...]) -> tuple[Floats, Floats, list[int], list[int]]:
    power, seconds = np.array([(run.power, run.seconds) for run in group]).T
    used = [len(group) // 2, len(group) - 1]
    return power, seconds, used, [i for i in range(len(group)) if i not in used]


def _errors(group: tuple[Cap, ...], static: float) -> Floats:
    power, seconds, used, rest = _arrays(group)
    law = cap_model(power[used], seconds[used], static)
    return np.asarray(np.abs(law.time(power[rest]) / seconds[rest] - 1))


def _constant_errors(group: tuple[Cap, ...]) -> Floats:
    power, seconds, _, rest = _arrays(group)
    return np.asarray(np.abs(seconds[-1] * power[-1] / power[rest] / seconds[rest] - 1))


def fleet_power(cluster: str) -> tuple[float, float]:
    """Return the median and the mean watts of the GPUs of a cluster."""
    percent, watts = fleet(cluster)
    return float(np.interp(50, percent, watts)), float(np.trapezoid(watts, percent) / 100)


def saved_by_card() -> list[tuple[str, float, float, float, float]]:
    """Return the card, and saving and slowdown at 70 and at 50 % of its highest cap."""
    return [(card, *effect(card, 0.7), *effect(card, 0.5)) for card in CAPPED]
