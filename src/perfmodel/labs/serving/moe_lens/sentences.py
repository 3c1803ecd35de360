"""What batches played by the rule say of the closed form, in words that depend on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

REPORTED = 90
"""Per cent of the time for which the paper has the GPU compute."""


class PlayedBatch(NamedTuple):
    """A batch in closed form, and played in two ways; rates are generated tokens/s."""

    requests: int
    block: int
    """Tokens of a block."""
    admitted: int
    """q: requests that begin in each pass."""
    closed: float
    """Rate by the closed form."""
    even: float
    """Rate played with q a pass."""
    rule: float
    """Rate played by the rule."""
    preempted: int
    """Sequences thrown out by the rule."""
    device: float
    """Share of the time for which the GPU computes under the rule."""


def of_batches(batches: Sequence[PlayedBatch], bound: float) -> str:
    """Return how far the closed form is off, and whether the GPU is as busy as reported.

    `bound` is the generated tokens/s that the server can't exceed.
    """
    off = max(abs(batch.closed / batch.even - 1) for batch in batches)
    gaps = [batch.rule / batch.closed - 1 for batch in batches]
    reached = max(batch.rule for batch in batches) / bound
    largest = max(batch.requests for batch in batches)
    busy = [100 * batch.device for batch in batches if batch.requests == largest]
    words = (
        f"Played with q a pass, (7) is off by {max(100 * off, 0.01):.2f} % at most. Played by the "
        f"rule, it is {100 * min(gaps):+.1f} to {100 * max(gaps):+.1f} % from it, and reaches "
        f"{100 * reached:.0f} % of the {bound:.0f} tokens/s of (4) at best. K of {largest:,} keeps "
        f"the GPU busy {min(busy):.0f} to {max(busy):.0f} % of the time. "
    )
    if min(busy) <= REPORTED <= max(busy):
        return words + (
            "Filling, draining and blocks that aren't full are enough to get from the bound to the "
            f"{REPORTED} % reported; which of them it was there, these numbers don't say"
        )
    return words + f"The {REPORTED} % reported lies outside"
