"""The reader's tasks: a bound on a speedup, and the rounds until a candidate is valid."""

from __future__ import annotations

from math import ceil, log

from perfmodel.answers.mistakes import mistakes
from perfmodel.tasks import Task

largest_gain = Task(
    "The largest speedup that the roofline allows",
    reference=lambda seconds, flops, moved, peak, bandwidth: (
        seconds / max(flops / peak, moved / bandwidth)
    ),
    cases=[(1e-3, 1.7e7, 2e8, 1e13, 1e12), (1.0, 1.4e11, 2e8, 1e13, 1e12)],
    mistakes=mistakes(
        lambda seconds, flops, moved, peak, bandwidth: seconds * peak / flops,
        "peak only: You ignored the time for the traffic. A kernel with little arithmetic per byte "
        "is bound by memory.",
        lambda seconds, flops, moved, peak, bandwidth: seconds * bandwidth / moved,
        "bandwidth only: You ignored the time for arithmetic, which bounds the matrix product.",
        lambda seconds, flops, moved, peak, bandwidth: seconds / (flops / peak + moved / bandwidth),
        "both one after the other: You added the two times. Arithmetic and traffic overlap, so (1) "
        "takes the longer one.",
        lambda seconds, flops, moved, peak, bandwidth: (
            seconds / min(flops / peak, moved / bandwidth)
        ),
        "the shorter time: You took the shorter time. The machine must do both, so the longer "
        "time is the bound.",
    ),
    hint="Equation (1) is the least time. The largest speedup is the given time divided by it.",
    right="This needs no GPU and no search. A claim above it has another baseline than you think.",
)


def rounds_until_valid(validity: float, candidates: int, wanted: float) -> int:
    """Return the rounds after which a valid candidate is as likely as wanted."""
    return ceil(log(1 - wanted) / (candidates * log(1 - validity)))


rounds_needed = Task(
    "Rounds until a candidate is valid",
    reference=rounds_until_valid,
    cases=[(0.3, 5, 0.999), (0.05, 4, 0.9), (0.1, 10, 0.99)],
    mistakes=mistakes(
        lambda validity, candidates, wanted: ceil(log(1 - wanted) / log(1 - validity)),
        "candidates, not rounds: You computed the number of candidates. Divide it by the number "
        "per round.",
        lambda validity, candidates, wanted: log(1 - wanted) / (candidates * log(1 - validity)),
        "not rounded: The number of rounds is a whole number. Round up.",
        lambda validity, candidates, wanted: int(
            log(1 - wanted) / (candidates * log(1 - validity))
        ),
        "rounded down: You rounded down, and these rounds aren't enough. Round up.",
        lambda validity, candidates, wanted: round(
            log(1 - wanted) / (candidates * log(1 - validity))
        ),
        "rounded to the nearest: You rounded to the nearest number. Always round up.",
        lambda validity, candidates, wanted: ceil(log(wanted) / (candidates * log(1 - validity))),
        "chance of failing wanted: You used `wanted` as the probability that all fail. That "
        "probability is 1 - wanted.",
        lambda validity, candidates, wanted: ceil(wanted / (candidates * validity)),
        "added up: You added probabilities of success. Probabilities of failure multiply; start "
        "from (2).",
    ),
    hint="Solve (2) for d: (1 - v)^(N d) must be at most 1 - wanted. `from math import ceil, log`.",
    right="At 30 % a few rounds solve nearly everything. So 'all tasks solved' says little about "
    "a search with many tries.",
)
