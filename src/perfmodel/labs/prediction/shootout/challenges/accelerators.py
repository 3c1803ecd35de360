"""Response times of neural networks that share an Edge TPU."""

from __future__ import annotations

from collections.abc import Sequence

from perfmodel.labs.prediction.shootout import edge_accelerator
from perfmodel.labs.prediction.shootout.challenges.rounds import SEEDS, at_random, unseen
from perfmodel.prediction.arena.challenge import Challenge
from perfmodel.prediction.arena.estimators import Formula

WRITTEN = (
    "The formula with reloads is that of the authors, who measured these times and printed both. "
    "The other is a textbook's. Neither has a constant to fit."
)


def shared_accelerator(seeds: Sequence[int] = SEEDS) -> Challenge:
    """Return response times: at random, and of a mixture of networks that is new to the TPU.

    Seeds take the three mixtures in turn.
    """
    data = edge_accelerator.dataset()
    return Challenge(
        data,
        at_random(data, (10, 20), seeds) + unseen(data, "mixture", (15,), seeds),
        logged=edge_accelerator.SEEN,
        whiteboxes={
            "queue with reloads, nothing fitted": Formula(edge_accelerator.queue_with_reloads),
            "queue without reloads, nothing fitted": Formula(edge_accelerator.plain_queue),
        },
        written=WRITTEN,
        unit="mixture",
    )
