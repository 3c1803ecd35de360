"""What the reader does: the time of a ring, the size at which it overtakes, bus bandwidth."""

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
        "latency forgotten: Each round waits for its messages' latency, however little they carry. "
        "With a vector of nothing the time isn't 0.",
        lambda ranks, size, latency, bandwidth: (
            latency + 2 * (ranks - 1) * size / ranks / bandwidth
        ),
        "one latency: The latency is paid in every round: a round can't begin before the last "
        "one's blocks are there.",
        lambda ranks, size, latency, bandwidth: (ranks - 1) * (latency + size / ranks / bandwidth),
        "one trip round the ring: After one trip each rank has the sum of one block. The second "
        "trip takes the sums to everybody.",
        lambda ranks, size, latency, bandwidth: 2 * ranks * (latency + size / ranks / bandwidth),
        "a round too many: A block is at home with one rank and has to visit the others: one fewer "
        "than ranks.",
        lambda ranks, size, latency, bandwidth: 2 * (ranks - 1) * (latency + size / bandwidth),
        "whole vectors: A message of the ring carries one block, the vector's size over the ranks.",
        lambda ranks, size, latency, bandwidth: (
            2 * (ranks - 1) * (latency + size / ranks * bandwidth)
        ),
        "times the bandwidth: Bytes are divided by bytes per second to get seconds. `size / ranks "
        "* bandwidth` multiplies: write `size / ranks / bandwidth`, or put the divisor in "
        "parentheses.",
        lambda ranks, size, latency, bandwidth: (
            2 * np.ceil(np.log2(ranks)) * (latency + size / bandwidth)
        ),
        "the tree's: That is (3), the tree's. A ring has 2 (n - 1) rounds, and each message is a "
        "block.",
        lambda ranks, size, latency, bandwidth: (
            2 * (ranks - 1) * (latency + 2 * size / ranks / bandwidth)
        ),
        "sent and received: You counted each block twice, at its sender and at its receiver. It "
        "passes a link once, and links work in both directions at the same time.",
    ),
    hint="The number of rounds, each with one message of its bytes: rounds x (latency + bytes / "
    "bandwidth).",
    right="The bytes go to two vectors whatever the number of ranks; the latencies grow with it. A "
    "ring is for large vectors.",
)

crossover = Task(
    "The size above which the ring is faster than the tree",
    reference=lambda latency, bandwidth: 8 * latency * bandwidth / 4.25,
    cases=[(1e-5, 1e10), (2e-6, 1e11), (1e-4, 1e9)],
    mistakes=mistakes(
        lambda latency, bandwidth: latency * bandwidth,
        "half-bandwidth size: That is the size at which a single message waits as long as it "
        "flows. Here 14 rounds stand against 6, and 1.75 vectors against 6.",
        lambda latency, bandwidth: 8 * latency * bandwidth / 6,
        "the tree's bytes alone: The ring sends something, too: what counts is the difference, 6 "
        "vectors less 1.75.",
        lambda latency, bandwidth: 14 * latency * bandwidth / 4.25,
        "all rounds of the ring: The tree has rounds as well. What the ring pays more is 14 less 6 "
        "latencies.",
        lambda latency, bandwidth: 4.25 * latency * bandwidth / 8,
        "upside down: Set the two times equal and solve for S: latencies are divided by what is "
        "saved on a byte.",
        lambda latency, bandwidth: 8 * latency * bandwidth,
        "bytes left out: 8 latencies are what the ring pays more. Divide by the vectors that it "
        "saves, 6 less 1.75.",
        lambda latency, bandwidth: 8 * latency * bandwidth / 7.75,
        "bytes added: Both sides have a term with S: brought to one side it changes its sign, and "
        "6 less 1.75 are left.",
        lambda latency, bandwidth: 20 * latency * bandwidth / 4.25,
        "rounds added: Both sides have latencies: brought to one side they change their sign, and "
        "14 less 6 are left.",
        lambda latency, bandwidth: 20 * latency * bandwidth / 7.75,
        "both added: What is brought to the other side changes its sign: 14 less 6 latencies, and "
        "6 less 1.75 vectors.",
        lambda latency, bandwidth: 8 * latency / 4.25,
        "seconds: Those are seconds. Multiply by the bandwidth to get bytes.",
    ),
    hint="14 latencies + 1.75 S / B = 6 latencies + 6 S / B. Solve for S.",
    right="Twice the latency, or twice the bandwidth, and the tree is ahead for vectors twice as "
    "large: on faster links a ring needs larger vectors to be ahead, though it gets faster, too.",
)

bus_bandwidth = Task(
    "Bus bandwidth of an all-reduce",
    reference=lambda ranks, size, time: 2 * (ranks - 1) / ranks * size / time,
    cases=[(8, 2.0**27, 597e-6), (2, 2.0**27, 465e-6), (4, 1e6, 1e-3)],
    mistakes=mistakes(
        lambda ranks, size, time: size / time,
        "algorithm bandwidth: That is the algorithm's bandwidth: vectors per second. A link "
        "carries 2 (n - 1) / n times as much, and only that can be compared with a data sheet.",
        lambda ranks, size, time: (ranks - 1) / ranks * size / time,
        "one trip: That is the factor of an all-gather. An all-reduce sends every block round "
        "twice.",
        lambda ranks, size, time: 2 * size / time,
        "two vectors: Nearly, for many ranks. A rank's own block doesn't travel: (n - 1) / n is "
        "missing, which is a half for two ranks.",
        lambda ranks, size, time: 2 * (ranks - 1) * size / time,
        "traffic of all links: Those are the bytes of all links together. Divide by the ranks for "
        "one of them.",
        lambda ranks, size, time: size / time / (2 * (ranks - 1) / ranks),
        "factor upside down: The link carries more than the vector, not less: multiply by 2 (n - "
        "1) / n.",
    ),
    hint="Bytes that leave one rank, over the time: 2 (n - 1) blocks of S / n bytes.",
    right="It makes 2 and 8 GPUs comparable. If it falls with their number, something is shared; "
    "if it rises, as here, more links are used or no ring was run.",
)
