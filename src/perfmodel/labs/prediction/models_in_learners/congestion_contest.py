"""Controllers trained with the square root in their signal and without, on links new to them.

All controllers see the same starts. A seed draws the weights at the start of training, and the
links that it meets. Intervals count seeds.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from perfmodel.labs.prediction.models_in_learners.training import (
    LinkOutcome,
    Sees,
    Weights,
    deploy,
    evolution_strategy,
    generations_for,
    policy_gradient,
)
from perfmodel.ledger import Trend
from perfmodel.prediction.arena.paired_losses import Loss, paired_loss

SEEDS = 8
FLOWS = (2, 16, 64)
"""Flows on the links of the contest; 4, 8 and 32 were trained on."""
ROOT, PROPORTIONAL, DELAY = "square root", "rate itself", "delay alone"
AIM, AIM_LONGER = "told the aim", "told the aim, ten times the steps"
_EXPONENTS = {ROOT: 0.5, PROPORTIONAL: 1.0, DELAY: 0.0}
WAYS = (ROOT, PROPORTIONAL, DELAY, AIM, AIM_LONGER)
_STARTS = 7_000


@cache
def ends(flows: int) -> dict[str, LinkOutcome]:
    """Return the final state of links with `flows` flows, by training; arrays of shape (seeds,)."""
    outcomes: dict[str, LinkOutcome] = {}
    by_way = _trained()
    several, exponents = by_way["signal"]
    of_signals = deploy(several, "signal", exponents, flows, seed=_STARTS)
    for index, way in enumerate(_EXPONENTS):
        group = slice(index * SEEDS, (index + 1) * SEEDS)
        outcomes[way] = LinkOutcome(*(part[group] for part in of_signals))
    for way in (AIM, AIM_LONGER):
        weights, none = by_way[way]
        sees: Sees = "rate and delay"
        outcomes[way] = deploy(weights, sees, none, flows, seed=_STARTS)
    return outcomes


def loss(way: str, flows: int) -> Loss:
    """Return the even shares that the slowest flow loses against the square root, by seeds."""
    by_way = ends(flows)
    return paired_loss(by_way[ROOT].worst, by_way[way].worst)


def added_delay(way: str, flows: int) -> Loss:
    """Return the queueing delay added to the square root's, in base round trips."""
    by_way = ends(flows)
    return paired_loss(by_way[way].inflation, by_way[ROOT].inflation)


def trained_ends_even() -> Trend:
    """Say whether every controller trained with the square root ends at even shares."""
    worst = min(float(ends(flows)[ROOT].fairness.min()) for flows in FLOWS)
    return Trend(worst > 0.95, f"Jain's index of {len(FLOWS) * SEEDS} runs is {worst:.3f} or more")


@cache
def _trained() -> dict[str, tuple[Weights, np.ndarray]]:
    seeds = list(range(SEEDS))
    exponents = np.repeat(list(_EXPONENTS.values()), SEEDS)
    trained = {"signal": (policy_gradient(exponents, seeds * len(_EXPONENTS)), exponents)}
    for way, times in ((AIM, 1), (AIM_LONGER, 10)):
        trained[way] = evolution_strategy(seeds, times * generations_for()), np.zeros(SEEDS)
    return trained


def what_is_lost(flows: int) -> str:
    """Return the first loss that is shown for the delay alone against the square root."""
    with_root, without = (ends(flows)[way] for way in (ROOT, DELAY))
    if paired_loss(with_root.fairness, without.fairness).conclusion == "loses":
        return "fairness"
    if paired_loss(with_root.utilization, without.utilization).conclusion == "loses":
        return "throughput"
    return (
        "delay" if added_delay(DELAY, flows).conclusion == "loses" else "nothing that can be shown"
    )


def conclusion() -> str:
    """Say what each training without the square root loses."""
    return " ".join(
        _told(way, loss(way, FLOWS[1]), added_delay(way, FLOWS[-1])) for way in WAYS[1:]
    )


def _told(way: str, slowest: Loss, delay: Loss) -> str:
    who = f"the slowest of {FLOWS[1]} flows"
    shares = {
        "loses": f"{who} loses {slowest.value:.2f} of an even share",
        "gains": f"{who} gains {-slowest.value:.2f} of an even share",
    }.get(slowest.conclusion, f"no loss of {who} is shown")
    queue = {
        "loses": f"{FLOWS[-1]} flows wait {delay.value:.1f} base round trips longer",
        "gains": f"{FLOWS[-1]} flows wait {-delay.value:.1f} base round trips less",
    }.get(delay.conclusion, f"no difference in the delay of {FLOWS[-1]} is shown")
    return f"**{way[0].upper() + way[1:]}:** {shares}, and {queue}."
