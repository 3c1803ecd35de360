"""The time of a fine-tuning step by placement, and what published percentages imply.

The processor does the update and streams the states from all nodes. `overlap` says how much of the
nodes' times hides behind the longest: all of it at 1, nothing at 0, where each access waits for the
one before. The GPU does the forward and the backward pass while links and memories work.

The unit of time is the update in DRAM. Both passes together take r, and the update takes a: 1 in
DRAM, more elsewhere. Throughput is proportional to 1 / (r + a).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.labs.offloading.cxl_alloc.allocation import (
    ORDER,
    by_density,
    interleaved,
    latency_first,
    tensor_bytes,
    tensor_traffic,
)
from perfmodel.labs.offloading.cxl_alloc.inputs import (
    ASSUMED,
    CXL_BUDGET,
    DRAM_BUDGET,
    PRINTED_GAIN,
    PRINTED_SHARES,
    Host,
    Model,
)
from perfmodel.offloading import (
    Placement,
    PlacementProblem,
    best_placement,
    overlapped_time,
    placement_time,
)
from perfmodel.validation import Floats, non_negative, positive

FLOPS_PER_TOKEN = 8
"""A parameter: 2 forward, 4 backward, 2 for the forward pass that checkpoints repeat."""
POLICIES = ("DRAM alone", "interleaved", "latency first", "densest first")


@dataclass(frozen=True)
class Setting:
    """What is trained where."""

    model: Model
    batch: int = 1
    tokens: int = 4096
    dram: float = DRAM_BUDGET
    cards: int = 1
    host: Host = ASSUMED

    @property
    def size(self) -> Floats:
        """Bytes of each tensor, shape (7,)."""
        return tensor_bytes(self.model, self.batch, self.tokens)


def placed(setting: Setting, policy: str) -> Floats:
    """Return the bytes of each tensor on each node under a policy, shape (7, 1 + cards).

    "densest first" fills DRAM by the update's traffic per byte and spreads the rest over the cards,
    "DRAM alone" has no budget.
    """
    size, cards = setting.size, setting.cards
    if policy == "DRAM alone":
        return np.hstack([size[:, None], np.zeros((len(size), cards))])
    if policy == "interleaved":
        return interleaved(size, setting.dram, CXL_BUDGET * cards, cards)
    if policy == "latency first":
        return latency_first(size, setting.dram, CXL_BUDGET * cards, cards)
    if policy == "densest first":
        traffic = tensor_traffic(setting.model, setting.batch, setting.tokens).update
        near = by_density(size, traffic, setting.dram, CXL_BUDGET * cards)
        return np.hstack([near[:, :1], np.repeat(near[:, 1:] / cards, cards, axis=1)])
    raise ValueError(f"policy must be one of {', '.join(POLICIES)}, got {policy!r}")


def update_time(setting: Setting, bytes_: ArrayLike, overlap: ArrayLike) -> Floats:
    """Return the seconds of the optimizer's update, of the shape of `overlap`.

    `bytes_` has shape (7, 1 + cards); an overlap of 0 is one node after the other, 1 all at once.
    """
    traffic = tensor_traffic(setting.model, setting.batch, setting.tokens).update
    moved = traffic @ (non_negative("bytes_", bytes_) / setting.size[:, None])
    rates = np.array([setting.host.dram] + [setting.host.cxl] * setting.cards)
    return overlapped_time(moved / rates, overlap)


def slowdown(setting: Setting, policy: str, overlap: float) -> float:
    """Return the update's time over that with all tensors in DRAM."""
    alone = update_time(setting, placed(setting, "DRAM alone"), overlap)
    return float(update_time(setting, placed(setting, policy), overlap) / alone)


def step_problem(setting: Setting, *, overlap: bool = True) -> PlacementProblem:
    """Return the step with one card as a linear program: three phases, two memories.

    `overlap`: whether DRAM and card work at once in the update. In the passes they do.
    """
    host, model = setting.host, setting.model
    traffic = tensor_traffic(model, setting.batch, setting.tokens)
    weights, activations = (
        setting.size[ORDER.index(n)] for n in ("compute weights", "activations")
    )
    flops = FLOPS_PER_TOKEN * model.parameters * setting.batch * setting.tokens
    passes = [
        ("forward", traffic.forward, flops / 4, weights, activations),
        ("backward", traffic.backward, flops * 3 / 4, weights + activations, weights),
    ]
    links: list[tuple[str, int, float, float, Floats]] = []
    none = np.zeros((len(ORDER), 2))
    for number, (name, moved, work, inward, outward) in enumerate(passes):
        links += [
            (f"GPU in the {name} pass", number, 1.0, work / host.compute, none),
            (f"PCIe to the GPU in the {name} pass", number, host.pcie, inward / host.pcie, none),
            (f"PCIe from the GPU in the {name} pass", number, host.pcie, outward / host.pcie, none),
            (f"DRAM in the {name} pass", number, host.dram, 0.0, np.stack([moved, 0 * moved], 1)),
            (f"CXL in the {name} pass", number, host.cxl, 0.0, np.stack([0 * moved, moved], 1)),
        ]
    moved = traffic.update
    links += [
        ("DRAM in the update", 2, host.dram, 0.0, np.stack([moved, 0 * moved], 1)),
        ("CXL in the update", 2 if overlap else 3, host.cxl, 0.0, np.stack([0 * moved, moved], 1)),
    ]
    names, phase, rate, busy, crossing = zip(*links, strict=True)
    return PlacementProblem(
        size=setting.size,
        capacity=np.array([setting.dram, CXL_BUDGET]),
        work=np.array(crossing),
        rate=np.array(rate),
        busy=np.array(busy),
        phase=np.array(phase),
        items=ORDER,
        tiers=("DRAM", "CXL"),
        links=names,
    )


def step_times(setting: Setting, *, overlap: bool = True) -> tuple[dict[str, float], Placement]:
    """Return the step's seconds by policy, and the best placement of all, with one card."""
    problem = step_problem(setting, overlap=overlap)
    times = {
        policy: placement_time(problem, placed(setting, policy) / setting.size[:, None])
        for policy in POLICIES
    }
    best = best_placement(problem)
    return {**times, "linear program": best.time}, best


def passes_over_update(setting: Setting) -> float:
    """Return the seconds of both passes, without attention, over those of the update in DRAM."""
    one_card = replace(setting, cards=1)
    everything = placement_time(
        step_problem(one_card), placed(one_card, "DRAM alone") / one_card.size[:, None]
    )
    update = float(update_time(one_card, placed(one_card, "DRAM alone"), 1.0))
    return everything / update - 1


def throughput(ratio: ArrayLike, update: ArrayLike) -> Floats:
    """Return the throughput over that with everything in DRAM, of an update `update` times as long.

    `ratio` is the time of both passes over that of the update in DRAM.

    >>> float(throughput(3, 2))
    0.8
    """
    ratio = non_negative("ratio", ratio)
    return np.asarray((ratio + 1) / (ratio + positive("update", update)))


def ratio_for_share(share: ArrayLike, update: ArrayLike) -> Floats:
    """Return the ratio of passes to update for which the throughput is `share` of DRAM's.

    It is (share update - 1) / (1 - share); below 0 where no ratio would give it.
    """
    share, update = positive("share", share), positive("update", update)
    if (share == 1).any():
        raise ValueError("share must differ from 1, which every ratio gives or none")
    return np.asarray((share * update - 1) / (1 - share))


def ratio_for_gain(gain: ArrayLike, update: ArrayLike, baseline: ArrayLike) -> Floats:
    """Return the ratio for which one placement gives `gain` times the throughput of another.

    `update` and `baseline` are the slowdowns of the update with the better and the worse placement.
    The result is (baseline - gain update) / (gain - 1); below 0 where no ratio would give it.
    """
    gain = positive("gain", gain)
    if (gain <= 1).any():
        raise ValueError(f"gain must be above 1, got {gain}")
    baseline, update = positive("baseline", baseline), positive("update", update)
    return np.asarray((baseline - gain * update) / (gain - 1))


def implied_update_and_ratio(
    share: ArrayLike, gain: ArrayLike, baseline: ArrayLike
) -> tuple[Floats, Floats]:
    """Return the slowdown and the ratio that share and gain, if of one run, ask for together."""
    share, gain = positive("share", share), positive("gain", gain)
    if (gain <= share).any():
        raise ValueError("gain must be above share, or the baseline beats DRAM alone")
    step = (positive("baseline", baseline) - 1) / (gain - share)
    update = 1 + (1 - share) * step
    return np.asarray(update), np.asarray(step - update)


class ImpliedRatios(NamedTuple):
    """Slowdowns of the update, and the ratios of passes to update that printed numbers ask for."""

    aware: float
    naive: float
    low: float
    """Ratio from which the throughput is 97 % of DRAM's; below 0 if it is for any."""
    high: float
    """The same for 99 %."""
    gain: float
    """Ratio for which the gain over interleaving is 21 %; below 0 if it never is."""


def implied_ratios(setting: Setting, overlap: float) -> ImpliedRatios:
    """Return which ratios would give the printed percentages, with nodes overlapping 0 to 1."""
    aware, naive = (slowdown(setting, way, overlap) for way in ("latency first", "interleaved"))
    low, high = ratio_for_share(PRINTED_SHARES, aware)
    return ImpliedRatios(aware, naive, low, high, float(ratio_for_gain(PRINTED_GAIN, aware, naive)))


def predicted_share(
    setting: Setting, overlap: float, *, cards: int = 1, gain: float = PRINTED_GAIN
) -> float:
    """Return the throughput over DRAM's, with the ratio that the gain with one card asks for."""
    one_card, several_cards = replace(setting, cards=1), replace(setting, cards=cards)
    aware, naive = (
        slowdown(one_card, policy, overlap) for policy in ("latency first", "interleaved")
    )
    ratio = float(ratio_for_gain(gain, aware, naive))
    if ratio < 0:
        raise ValueError(f"gain must be below {naive / aware:.3g} here, got {gain!r}")
    return float(throughput(ratio, slowdown(several_cards, "latency first", overlap)))
