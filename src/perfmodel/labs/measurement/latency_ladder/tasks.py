"""What the reader does: weigh levels, turn a walk round, and choose what to buy."""

from __future__ import annotations

import numpy as np

from perfmodel.answers.mistakes import mistakes
from perfmodel.labs.measurement.latency_ladder.ladder import MADE_UP, MIB
from perfmodel.tasks import Task


def best_of_three() -> dict[str, str]:
    """Return the change of the made-up machine that saves most, for three working sets."""
    changes = {
        "cache": MADE_UP.changed("L3", capacity=32 * MIB),
        "pages": MADE_UP.changed("TLB", capacity=1536 * 2 * MIB),
        "memory": MADE_UP.changed("L3", penalty=95e-9 / 2 - 16e-9),
    }
    return {
        f"{size} MiB": min(changes, key=lambda name: changes[name].latency(size * MIB))
        for size in (8, 24, 64)
    }


mean_load = Task(
    "The mean time of a load",
    reference=lambda misses, latencies: latencies[0] + misses @ np.diff(latencies),
    cases=[
        (np.array([0.9, 0.5]), np.array([1.0, 4.0, 100.0])),
        (np.array([1.0, 0.25, 0.1]), np.array([1.0, 5.0, 15.0, 90.0])),
    ],
    mistakes=mistakes(
        lambda misses, latencies: latencies[0] + misses @ latencies[1:],
        "latency as penalty: Each miss adds the difference to the next level. You add the next "
        "level's whole latency, which counts the nearer levels twice.",
        lambda misses, latencies: latencies[0] + np.cumprod(misses) @ np.diff(latencies),
        "local shares: You multiplied the shares. Here m_i is already the share of all loads that "
        "miss cache i, not of those that reached it.",
        lambda misses, latencies: (1 - misses) @ latencies[:-1] + misses[-1] * latencies[-1],
        "hits overlap: 1 - m_i is the share that hits cache i or a nearer one. Cache i itself "
        "serves m_(i-1) - m_i.",
    ),
    hint="The second form of equation (1). `np.diff(latencies)` holds all the d_i.",
    right="In the first case half of all loads go to memory, and cost 48 of the 51.7 ns. What "
    "counts is how far away the next level is.",
    unit="ns",
)

turning_hits = Task(
    "A walk that turns round",
    reference=lambda size, capacity: min(1.0, capacity / size),
    cases=[(1.25, 1.0), (4.0, 1.0), (0.5, 1.0), (32.0, 20.0)],
    mistakes=mistakes(
        lambda size, capacity: 1.0 if size <= capacity else 0.0,
        "as in a circle: That is the walk in a circle, which always needs the line thrown out "
        "longest ago. Which lines does the way back begin with?",
        lambda size, capacity: capacity / size,
        "beyond all: A share can't exceed 1: what if all of it fits?",
        lambda size, capacity: min(1.0, capacity / size) / 2,
        "every second walk: Not only on the way back: the way forth, too, begins where the last "
        "walk ended.",
        lambda size, capacity: max(0.0, 1 - capacity / size),
        "misses: That is the share that misses.",
    ),
    hint="When the walk turns round, the cache holds the last lines that it saw. How many are "
    "they, and does it meet all of them before it throws one out?",
    right="Same data, same cache, same number of loads: with 1.25 MiB in 1 MiB from no hits at all "
    "to four in five.",
)

best_change = Task(
    "What to buy, by the size of the data",
    reference=best_of_three,
    mistakes=mistakes(
        lambda: {"8 MiB": "cache", "24 MiB": "cache", "64 MiB": "memory"},
        "cache in 8 MiB: At 8 MiB all data lie in the third cache, so that a larger one changes "
        "nothing. What is still missed there?",
        lambda: dict.fromkeys(("8 MiB", "24 MiB", "64 MiB"), "memory"),
        "memory always: Faster memory helps the loads that reach it. Print `made_up.shares` for "
        "the three sizes.",
        lambda: dict.fromkeys(("8 MiB", "24 MiB", "64 MiB"), "cache"),
        "cache always: A cache of 32 MiB holds all of 24 MiB. Of 8 MiB the old one did, too, and "
        "of 64 MiB most loads still miss it.",
    ),
    hint="Nine calls: three ladders made by `changed`, three sizes. Memory's latency is 95 ns, and "
    "16 ns of them are the third cache's, so in half the time a miss adds 47.5 - 16 ns.",
    right="Three sizes, three purchases. A model with a knob for each can say so before you pay.",
)
