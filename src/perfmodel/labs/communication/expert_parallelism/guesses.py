"""What good engineers guess about expert parallelism, and what comes out."""

from __future__ import annotations

import numpy as np

from perfmodel.communication import (
    expected_destinations,
    load_imbalance,
    place_experts,
)
from perfmodel.labs.communication.expert_parallelism.inputs import (
    CHOSEN,
    EXPERTS,
    FEW_TOKENS,
    NODE_LIMIT,
    THIRD,
    printed,
)

Guess = tuple[str, str, str]


def skewed_load(exponent: float, experts: int = EXPERTS, seed: int = 0) -> np.ndarray:
    """Return loads of experts by Zipf's rule, shuffled: rank i gets i to the power -exponent.

    >>> skewed_load(0.0, 3).tolist()
    [1.0, 1.0, 1.0]
    """
    loads = np.arange(1.0, experts + 1) ** -exponent
    return np.asarray(np.random.default_rng(seed).permutation(loads))


def limit_saves() -> float:
    """Return the fraction of the copies for nodes that a limit of four of eight nodes saves.

    >>> round(limit_saves(), 3)
    0.248
    """
    free, limited = (expected_destinations(8, EXPERTS, CHOSEN, n) for n in (8, NODE_LIMIT))
    return 1 - limited / free


def card_rates() -> dict[int, float]:
    """Return what the card carries in the dispatch rows of several nodes, bytes/s, by ranks.

    >>> {ranks: round(rate / 1e9, 1) for ranks, rate in card_rates().items()}
    {16: 21.5, 32: 43.5, 64: 44.6}
    """
    rows = printed(THIRD, "normal", "dispatch").values()
    return {row.ranks: row.bandwidth * (1 - 8 / row.ranks) for row in rows if row.ranks > 8}


def guesses() -> list[Guess]:
    """Return rows of what is asked, what is guessed, and what is computed."""
    even = np.ones(EXPERTS)
    skewed = [place_experts(skewed_load(1.0), n, s).imbalance for n, s in ((32, 288), (144, 288))]
    spread = float(load_imbalance(256, FEW_TOKENS * CHOSEN)) - 1
    packed = [place_experts(even, n, s).imbalance for n, s in ((128, 256), (144, 288))]
    rates = card_rates()
    return [
        (
            "Which row uses the card best?",
            "32 ranks, the highest number printed",
            f"64 ranks: {rates[64] / 1e9:.1f} GB/s against {rates[32] / 1e9:.1f}",
        ),
        (
            "What does a limit of four of eight nodes save?",
            "half of the traffic",
            f"{100 * limit_saves():.0f} %: without it a token goes to "
            f"{expected_destinations(8, EXPERTS, CHOSEN):.1f} nodes",
        ),
        (
            "How even is the load of 256 ranks if all experts are equally popular?",
            "even",
            f"the busiest has {100 * spread:.0f} % more than the mean, with 128 tokens a rank",
        ),
        (
            "What do 32 spare copies do to an even load of 256 experts?",
            "nothing, or good",
            f"largest load over mean {packed[1]:.3f} on 144 GPUs, {packed[0]:.0f} without on 128",
        ),
        (
            "Do 32 spare copies even out a skewed load?",
            "yes, as they did before",
            f"{skewed[0]:.3f} on 32 GPUs of nine slots, {skewed[1]:.2f} on 144 of two",
        ),
    ]
