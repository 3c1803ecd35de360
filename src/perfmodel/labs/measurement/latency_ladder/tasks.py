"""Tasks: compute a mean latency, turn a walk round, and choose what to buy."""

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
        "latency as penalty: You add the next level's whole latency, which counts the nearer "
        "levels twice. A miss adds only the difference d_i.",
        lambda misses, latencies: misses @ latencies[1:],
        "every miss pays: You charge a load at each level that it misses. Only the level that "
        "serves it counts, with the fraction m_(i-1) - m_i.",
        lambda misses, latencies: latencies[0] + np.cumprod(misses) @ np.diff(latencies),
        "local shares: You multiplied the fractions. But m_i is already a fraction of all loads, "
        "not only of the loads that reach cache i.",
        lambda misses, latencies: (1 - misses) @ latencies[:-1] + misses[-1] * latencies[-1],
        "hits overlap: 1 - m_i is the fraction that hits cache i or a nearer cache. Cache i itself "
        "serves the fraction m_(i-1) - m_i.",
    ),
    hint="Use the second form of equation (1). `np.diff(latencies)` holds all the d_i.",
    right="In the first case half of all loads go to memory. They add 48 of the 51.7 ns, because "
    "memory is so much slower than the last cache.",
    unit="ns",
)

turning_hits = Task(
    "A walk that turns round",
    reference=lambda size, capacity: min(1.0, capacity / size),
    cases=[(1.25, 1.0), (4.0, 1.0), (0.5, 1.0), (32.0, 20.0)],
    mistakes=mistakes(
        lambda size, capacity: 1.0 if size <= capacity else 0.0,
        "as in a circle: This is right for a walk in a circle, which always needs the line that "
        "was just evicted. With which lines does the way back begin?",
        lambda size, capacity: capacity / size,
        "beyond all: A fraction can't exceed 1. What happens if all data fit?",
        lambda size, capacity: min(1.0, capacity / size) / 2,
        "every second walk: You counted hits only on the way back. The way forward also begins "
        "where the last walk ended.",
        lambda size, capacity: max(0.0, 1 - capacity / size),
        "misses: This is the fraction of misses. The task asks for hits.",
    ),
    hint="When the walk turns round, the cache holds the last lines that the walk loaded. How "
    "many lines are they? Does the walk meet all of them before the cache evicts one?",
    right="The data, the cache and the number of loads are the same. But with 1.25 MiB of data "
    "and a cache of 1 MiB, the hits rise from 0 to 80 %.",
)

best_change = Task(
    "What to buy, by the size of the data",
    reference=best_of_three,
    mistakes=mistakes(
        lambda: {"8 MiB": "cache", "24 MiB": "cache", "64 MiB": "memory"},
        "cache in 8 MiB: At 8 MiB all data are in the third cache already, so a larger one changes "
        "nothing. Which step is still missed there?",
        lambda: dict.fromkeys(("8 MiB", "24 MiB", "64 MiB"), "memory"),
        "memory always: Faster memory helps only the loads that reach it. Print `made_up.shares` "
        "for the three sizes.",
        lambda: dict.fromkeys(("8 MiB", "24 MiB", "64 MiB"), "cache"),
        "cache always: A cache of 32 MiB helps 24 MiB of data. But 8 MiB already fit into the old "
        "cache, and most loads from 64 MiB still miss the new one.",
    ),
    hint="Make three ladders with `changed`, and compute three sizes with each. The latency of "
    "memory is 95 ns, and the third cache takes 16 ns. With half the latency, a miss adds 47.5 - "
    "16 ns.",
    right="Each size needs another purchase. A model with a parameter for each change shows this "
    "before you pay.",
)
