"""Tasks: room for a full pass, tokens per second, and separate phases."""

from __future__ import annotations

from perfmodel.answers.mistakes import mistakes
from perfmodel.tasks import Task


def _footprint(p: int, g: int) -> int:
    return sum(p + age for age in range(g + 1))


room = Task(
    "The cache that fills a pass",
    reference=lambda full, p, g, size: full * sum(p + j for j in range(g + 1)) / (p + g) * size,
    cases=[(19_200, 98, 32, 131_072), (18_500, 926, 128, 131_072), (1000, 10, 300, 5000)],
    mistakes=mistakes(
        lambda full, p, g, size: full * (p + g) / _footprint(p, g) * size,
        "efficiency upside down: You multiplied by (2). (2) is tokens of a pass per token of room, "
        "so divide.",
        lambda full, p, g, size: full * size,
        "tokens that are new: That is room for the tokens of one pass. The tokens of earlier "
        "passes are still there.",
        lambda full, p, g, size: full * (p + g / 2) * size,
        "a token each: That gives each token of a pass its own sequence. A prompt brings p tokens "
        "at once.",
        lambda full, p, g, size: full * (g + 1) * size,
        "all reserved: That reserves p + g tokens for each sequence in all of its passes. It grows "
        "into them.",
        lambda full, p, g, size: full * _footprint(p, g) / (p + g),
        "tokens, not bytes: Those are tokens. Each has `size` bytes.",
        lambda full, p, g, size: full * (_footprint(p, g) - p - g) / (p + g) * size,
        "last pass forgotten: The sum in (2) goes to g, not to g - 1. It has g + 1 terms.",
        lambda full, p, g, size: full * (2 * p + g) * g / (2 * (p + g)) * size,
        "estimate: That is the estimate in the second line of (2). Take the sum.",
    ),
    hint="Equation (2) gives the tokens of a pass per token of room. Divide by it.",
    right="A prompt brings p tokens at once, an answer one per pass. So long answers need most "
    "room.",
    unit="bytes",
)


def _bound(cache: float, p: int, g: int, sweep: float, rate: float) -> float:
    return min((p + g) * cache / _footprint(p, g) / sweep, rate)


generated_rate = Task(
    "Generated tokens a second",
    reference=lambda cache, p, g, sweep, rate: (
        g / (p + g) * min((p + g) * cache / sum(p + j for j in range(g + 1)) / sweep, rate)
    ),
    cases=[
        (267_029, 98, 32, 4.82, 3838.0),
        (1_600_000, 98, 32, 4.82, 3838.0),
        (5e5, 9, 90, 2, 4e3),
        (50_000, 98, 32, 4.82, 3838.0),
    ],
    mistakes=mistakes(
        lambda cache, p, g, sweep, rate: _bound(cache, p, g, sweep, rate),
        "prompts counted: That also counts tokens of prompts. Of p + g tokens g are generated.",
        lambda cache, p, g, sweep, rate: g * cache / _footprint(p, g) / sweep,
        "device forgotten: With a large enough cache the GPU is the limit.",
        lambda cache, p, g, sweep, rate: g / (p + g) * rate,
        "cache forgotten: With a small cache few sequences run at once. Equation (3) is a minimum.",
        lambda cache, p, g, sweep, rate: min(g * cache / _footprint(p, g) / sweep, rate),
        "device's share forgotten: Prompts also use a part of the GPU's `rate`.",
        lambda cache, p, g, sweep, rate: (
            g / (p + g) * min(2 * (p + g) * cache / ((2 * p + g) * g) / sweep, rate)
        ),
        "estimate: That has the estimate in the second line of (2). Take the sum.",
        lambda cache, p, g, sweep, rate: (
            g / (p + g) * min((p + g) * cache / _footprint(p, g), rate)
        ),
        "a pass, not a second: (2) gives the tokens of a pass. A pass takes `sweep` seconds.",
        lambda cache, p, g, sweep, rate: g / (p + g) * min(cache / (p + g) / sweep, rate),
        "one age: That counts one token per pass of each sequence that fits at its full length, "
        "without prompts.",
        lambda cache, p, g, sweep, rate: p / (p + g) * _bound(cache, p, g, sweep, rate),
        "share of prompts: That is the rate of prompt tokens. The question asks for generated "
        "tokens.",
    ),
    hint="Multiply equation (3) by the fraction of tokens that are generated.",
    right="Two limits with a corner between them: this is a roofline over the size of the cache.",
    unit="tokens/s",
)

apart = Task(
    "A round of separate phases",
    reference=lambda n, p, g, sweep, rate: n * g / (max(sweep, n * p / rate) + g * sweep),
    cases=[(4108, 98, 32, 4.82, 3838.0), (100, 98, 32, 4.82, 3838.0), (2000, 500, 8, 3.0, 2e3)],
    mistakes=mistakes(
        lambda n, p, g, sweep, rate: n / sweep,
        "answers alone: That is the rate during answers. The prompts take time before.",
        lambda n, p, g, sweep, rate: n * g / max(sweep, n * p / rate, g * sweep),
        "phases overlap: Separate phases don't overlap. Add the seconds of both.",
        lambda n, p, g, sweep, rate: n * g / (n * sweep + g * sweep),
        "a sweep for each prompt: All n prompts share a sweep.",
        lambda n, p, g, sweep, rate: n * (p + g) / (max(sweep, n * p / rate) + g * sweep),
        "prompts counted: That also counts tokens of prompts. Count only generated tokens.",
        lambda n, p, g, sweep, rate: n * g / (max(sweep, n * p / rate) + sweep),
        "one sweep for all answers: Each generated token needs its own pass, so g sweeps.",
        lambda n, p, g, sweep, rate: n * g / (sweep + g * sweep),
        "prompts in no time: Prompts take at least a sweep. With many prompts the GPU takes "
        "longer.",
        lambda n, p, g, sweep, rate: n * g / (sweep + n * p / rate + g * sweep),
        "sweep and prompts in turn: The GPU computes prompts while weights come. Take the longer "
        "time, not the sum.",
        lambda n, p, g, sweep, rate: n * g / (n * p / rate + g * sweep),
        "prompts without a sweep: Few prompts are computed quickly, but all weights must come for "
        "them, too.",
    ),
    hint="The prompts take a sweep, or the GPU's time if that is longer. Then add g sweeps.",
    right="During prompts the link waits, and during answers the GPU waits.",
    unit="tokens/s",
)
