"""Tasks: the time of a ring, the size above which it is faster, bus bandwidth."""

from __future__ import annotations

import numpy as np

from perfmodel.answers.mistakes import mistakes
from perfmodel.tasks import Task

ring_time = Task(
    "The time of a ring's all-reduce",
    reference=lambda ranks, size, latency, bandwidth: (
        2 * (ranks - 1) * (latency + size / ranks / bandwidth)
    ),
    cases=[(8, 64e3, 1e-5, 1e10), (3, 9e8, 5e-6, 2e9), (5, 0.0, 2e-6, 1e9)],
    mistakes=mistakes(
        lambda ranks, size, latency, bandwidth: 2 * (ranks - 1) * size / ranks / bandwidth,
        "latency forgotten: Each round waits for the latency of its messages, however small they "
        "are. An empty vector still takes time.",
        lambda ranks, size, latency, bandwidth: (
            latency + 2 * (ranks - 1) * size / ranks / bandwidth
        ),
        "one latency: Every round pays the latency, because it waits for the blocks of the round "
        "before.",
        lambda ranks, size, latency, bandwidth: (ranks - 1) * (latency + size / ranks / bandwidth),
        "one trip round the ring: After one trip each rank has the sum of one block. The second "
        "trip brings the sums to all ranks.",
        lambda ranks, size, latency, bandwidth: 2 * ranks * (latency + size / ranks / bandwidth),
        "a round too many: A block starts at one rank and visits the others, one fewer than "
        "`ranks`.",
        lambda ranks, size, latency, bandwidth: 2 * (ranks - 1) * (latency + size / bandwidth),
        "whole vectors: A message of the ring carries one block, `size / ranks`.",
        lambda ranks, size, latency, bandwidth: (
            2 * (ranks - 1) * (latency + size / ranks * bandwidth)
        ),
        "times the bandwidth: Divide bytes by bytes per second to get seconds. `size / ranks * "
        "bandwidth` multiplies. Write `size / ranks / bandwidth`.",
        lambda ranks, size, latency, bandwidth: (
            2 * np.ceil(np.log2(ranks)) * (latency + size / bandwidth)
        ),
        "the tree's: That is (3), the tree. A ring has 2 (n - 1) rounds, and each message is a "
        "block.",
        lambda ranks, size, latency, bandwidth: (
            2 * (ranks - 1) * (latency + 2 * size / ranks / bandwidth)
        ),
        "sent and received: You counted each block twice, at its sender and at its receiver. It "
        "passes a link once, and links work in both directions at the same time.",
    ),
    hint="Multiply the number of rounds by the time of one message: rounds x (latency + bytes / "
    "bandwidth).",
    right="With many ranks the bytes approach two vectors, but the latencies keep growing. A ring "
    "is for large vectors.",
)

crossover = Task(
    "The size above which the ring is faster than the tree",
    reference=lambda latency, bandwidth: 8 * latency * bandwidth / 4.25,
    cases=[(1e-5, 1e10), (2e-6, 1e11), (1e-4, 1e9)],
    mistakes=mistakes(
        lambda latency, bandwidth: latency * bandwidth,
        "half-bandwidth size: That is the size at which a single message waits as long as it "
        "flows. Compare 14 rounds with 6, and 1.75 vectors with 6.",
        lambda latency, bandwidth: 8 * latency * bandwidth / 6,
        "the tree's bytes alone: The ring also sends bytes. Take the difference, 6 vectors less "
        "1.75.",
        lambda latency, bandwidth: 14 * latency * bandwidth / 4.25,
        "all rounds of the ring: The tree has rounds as well. The ring pays 14 less 6 latencies "
        "more.",
        lambda latency, bandwidth: 4.25 * latency * bandwidth / 8,
        "upside down: Set the two times equal and solve for S. Divide the latencies by the vectors "
        "that are saved.",
        lambda latency, bandwidth: 8 * latency * bandwidth,
        "bytes left out: The ring pays 8 latencies more. Divide them by the vectors that it saves, "
        "6 less 1.75.",
        lambda latency, bandwidth: 8 * latency * bandwidth / 7.75,
        "bytes added: Both sides have a term with S. On the other side it changes its sign, so "
        "take 6 less 1.75.",
        lambda latency, bandwidth: 20 * latency * bandwidth / 4.25,
        "rounds added: Both sides have latencies. On the other side they change their sign, so "
        "take 14 less 6.",
        lambda latency, bandwidth: 20 * latency * bandwidth / 7.75,
        "both added: A term on the other side changes its sign. Take 14 less 6 latencies and 6 "
        "less 1.75 vectors.",
        lambda latency, bandwidth: 8 * latency / 4.25,
        "seconds: Those are seconds. Multiply by the bandwidth to get bytes.",
    ),
    hint="14 latencies + 1.75 S / B = 6 latencies + 6 S / B. Solve for S.",
    right="With twice the latency or twice the bandwidth, the tree is faster for vectors up to "
    "twice as large. So on faster links a ring needs larger vectors to win.",
)

bus_bandwidth = Task(
    "Bus bandwidth of an all-reduce",
    reference=lambda ranks, size, time: 2 * (ranks - 1) / ranks * size / time,
    cases=[(8, 2.0**27, 597e-6), (2, 2.0**27, 465e-6), (4, 1e6, 1e-3)],
    mistakes=mistakes(
        lambda ranks, size, time: size / time,
        "algorithm bandwidth: That is the algorithm's bandwidth, vector bytes per second. A link "
        "carries 2 (n - 1) / n times as much, and only this can be compared with a data sheet.",
        lambda ranks, size, time: (ranks - 1) / ranks * size / time,
        "one trip: That is the factor of an all-gather. An all-reduce sends every block round "
        "twice.",
        lambda ranks, size, time: 2 * size / time,
        "two vectors: Nearly right for many ranks. A rank's own block doesn't travel, so the "
        "factor (n - 1) / n is missing, which is 1/2 for two ranks.",
        lambda ranks, size, time: 2 * (ranks - 1) * size / time,
        "traffic of all links: Those are the bytes of all links together. Divide by the ranks to "
        "get one link.",
        lambda ranks, size, time: size / time / (2 * (ranks - 1) / ranks),
        "factor upside down: The link carries more than the vector, not less. Multiply by 2 (n - "
        "1) / n.",
    ),
    hint="Divide the bytes that leave one rank by the time: 2 (n - 1) blocks of S / n bytes.",
    right="It makes 2 and 8 GPUs comparable. If it falls with their number, a link is shared. If "
    "it rises, as here, more links are used or no ring was run.",
)
