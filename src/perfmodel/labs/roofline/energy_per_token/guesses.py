"""Common guesses about the energy of tokens, and measurements."""

from __future__ import annotations

from itertools import pairwise

from perfmodel.labs.roofline.energy_per_token.caps import bert, fleet_power
from perfmodel.labs.roofline.energy_per_token.inputs import CHAT, runs
from perfmodel.labs.roofline.energy_per_token.sweeps import measured

Guess = tuple[str, str, str]


def eight_bits_cost(limit: int) -> float:
    """Return the energy of a token in FP8 over that in BF16, Qwen3-235B on eight H100."""
    name = "Qwen3-235B-A22B-Instruct-2507"
    eight, sixteen = (
        measured(name + end, "H100", limit, 8, numbers).energy
        for end, numbers in (("-FP8", "fp8"), ("", "bfloat16"))
    )
    return eight / sixteen


def cap_costs() -> float:
    """Return the energy of an epoch at 100 W over that without a cap, BERT on an A40."""
    group = bert("A40", 256)
    return group[0].energy / group[-1].energy


def falls() -> tuple[int, int]:
    """Return how often the time between tokens falls to the next larger batch, and of how many."""
    ordered = sorted(runs(), key=lambda r: (r.model, r.task, r.card, r.cards, r.precision, r.limit))
    pairs = [(a, b) for a, b in pairwise(ordered) if a[:5] == b[:5] and a.limit < b.limit]
    return sum(b.latency < a.latency for a, b in pairs), len(pairs)


def guesses() -> list[Guess]:
    """Return rows of a question, the common guess, and the measurement."""
    small, active = (
        measured(name, "B200", 8, 1) for name in ("Qwen3-8B", "Qwen3-30B-A3B-Instruct-2507")
    )
    down, of = falls()
    allowed = next(
        r
        for r in runs()
        if (r.model, r.task, r.card, r.limit) == ("Llama-3.1-8B-Instruct", CHAT, "H100", 768)
    )
    median, _ = fleet_power("kalos")
    return [
        (
            "FP8 instead of BF16, 8 requests to Qwen3-235B?",
            "half of the energy",
            f"{100 * (eight_bits_cost(8) - 1):.0f} % more; with 64 requests "
            f"{100 * (1 - eight_bits_cost(64)):.0f} % less",
        ),
        (
            "A cap of 100 W instead of 300 W, BERT on an A40?",
            "less energy, more time",
            f"{100 * (cap_costs() - 1):.0f} % more energy",
        ),
        (
            "3B active weights of 30B, or a dense 8B, 8 requests?",
            "the 3B need less",
            f"{active.energy:.2f} J against {small.energy:.2f} J",
        ),
        (
            "Does the time between tokens rise with the batch?",
            "always",
            f"it falls in {down} of {of} neighbouring pairs",
        ),
        (
            "Is the batch what the setting allows?",
            "yes",
            f"{allowed.limit} allowed, {allowed.batch:.0f} running",
        ),
        (
            "A fleet's GPUs are busy 98 % of the time: their power?",
            "near 400 W",
            f"the median is {median:.0f} W",
        ),
    ]
