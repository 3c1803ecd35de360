"""What the reader does: a bound on a speedup, and the rounds until a candidate is valid."""

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
        "peak only: You let the traffic take no time. A kernel that does little arithmetic on each "
        "byte never comes near the peak.",
        lambda seconds, flops, moved, peak, bandwidth: seconds * bandwidth / moved,
        "bandwidth only: That is the bound where memory is the limit. For the matrix product it is "
        "arithmetic.",
        lambda seconds, flops, moved, peak, bandwidth: seconds / (flops / peak + moved / bandwidth),
        "both one after the other: Arithmetic and traffic overlap: the bound (1) takes the longer "
        "of the two.",
        lambda seconds, flops, moved, peak, bandwidth: (
            seconds / min(flops / peak, moved / bandwidth)
        ),
        "the shorter time: The machine has to do both, so that it can't be quicker than the longer "
        "one.",
    ),
    hint="Equation (1) is the least time; the largest speedup is the given time over it.",
    right="It needs no GPU and no search. A claim above it has another baseline than you think.",
)


def rounds_until_valid(validity: float, candidates: int, wanted: float) -> int:
    """Return the rounds after which a valid candidate is as likely as wanted."""
    return ceil(log(1 - wanted) / (candidates * log(1 - validity)))


rounds_needed = Task(
    "Rounds until something compiles and is right",
    reference=rounds_until_valid,
    cases=[(0.3, 5, 0.999), (0.05, 4, 0.9), (0.1, 10, 0.99)],
    mistakes=mistakes(
        lambda validity, candidates, wanted: ceil(log(1 - wanted) / log(1 - validity)),
        "candidates, not rounds: That is a number of candidates. Each round has several.",
        lambda validity, candidates, wanted: log(1 - wanted) / (candidates * log(1 - validity)),
        "not rounded: There is no part of a round: round up.",
        lambda validity, candidates, wanted: int(
            log(1 - wanted) / (candidates * log(1 - validity))
        ),
        "rounded down: That many rounds are not yet enough: round up.",
        lambda validity, candidates, wanted: round(
            log(1 - wanted) / (candidates * log(1 - validity))
        ),
        "rounded to the nearest: Four tenths of a round are a round more: round up, not to the "
        "nearest.",
        lambda validity, candidates, wanted: ceil(log(wanted) / (candidates * log(1 - validity))),
        "chance of failing wanted: You made it fail with the chance that was wanted. All fail with "
        "chance 1 - wanted.",
        lambda validity, candidates, wanted: ceil(wanted / (candidates * validity)),
        "added up: Chances of failing multiply; chances of success don't add up. Start from (3).",
    ),
    hint="Solve (3) for d: (1 - v)^(N d) must be at most 1 - wanted. `from math import ceil, log`.",
    right="At 30 % a few rounds solve nearly everything. All tasks solved says little about a "
    "search that may try so often.",
)
