"""Common guesses about the energy of tokens, and measurements."""

from __future__ import annotations

from itertools import pairwise

from perfmodel.labs.roofline.energy_per_token.caps import bert, fleet_power
from perfmodel.labs.roofline.energy_per_token.inputs import CHAT, caps, runs
from perfmodel.labs.roofline.energy_per_token.sweeps import (
    cheapest,
    measured,
    task_errors,
    transferred,
)

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


def over_cap(card: str) -> tuple[int, int]:
    """Return how many runs draw over 2 % more than their cap on average, and of how many.

    >>> over_cap("A40")
    (27, 453)
    """
    return sum(run.power > 1.02 * run.cap for run in caps(card)), len(caps(card))


def further_guesses() -> list[Guess]:
    """Return more rows of a question, the common guess, and the measurement."""
    four, eight = (measured("Llama-4-Scout-17B-16E-Instruct", "H100", 8, n) for n in (4, 8))
    least = [cheapest("Llama-3.1-8B-Instruct", card, 0.05) for card in ("H100", "B200")]
    old, new = (
        next(r for r in runs() if r[:4] == ("Qwen3-8B", "gpqa", card, 1) and r.limit == 8)
        for card in ("H100", "B200")
    )
    error, largest = transferred("H100")
    over, of = over_cap("A40")
    other = task_errors("H100")
    return [
        (
            "8 H100 instead of 4, the same 8 requests to Llama 4 Scout?",
            "the same energy in half the time",
            f"{100 * (eight.energy / four.energy - 1):.0f} % more energy, and "
            f"{100 * (1 - eight.latency / four.latency):.0f} % less time between tokens",
        ),
        (
            "B200 instead of H100, Llama-3.1-8B with at most 50 ms between tokens?",
            "less energy",
            f"at best {least[1]:.3f} J a token; the H100 needs {least[0]:.3f} J",
        ),
        (
            "B200 instead of H100, 8 requests of long reasoning to Qwen3-8B?",
            "less energy",
            f"{new.energy / old.energy:.1f} times the energy: a step takes "
            f"{new.latency / old.latency:.1f} times as long",
        ),
        (
            "Constants of models up to 15B, used for models of 27B and more on the H100?",
            "right within a few per cent, because A per byte is nearly constant",
            f"a mean error of {100 * error:.0f} %, up to {100 * largest:.0f} % too high",
        ),
        (
            "The law of three batches for other work on the H100?",
            "as good as for chat",
            f"median errors of {100 * other['lm-arena-chat']:.0f} % for chat, "
            f"{100 * other['gpqa']:.0f} % for long reasoning and "
            f"{100 * other['sourcegraph-fim']:.0f} % for code",
        ),
        (
            "Does a capped card stay below its cap?",
            "always",
            f"{over} of {of} runs on the A40 draw over 2 % more on average",
        ),
    ]
