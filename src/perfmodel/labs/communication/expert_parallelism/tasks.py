"""Tasks: copies of a token, a card's own rate, and a short exchange."""

from __future__ import annotations

from math import comb

from perfmodel.answers.mistakes import mistakes
from perfmodel.tasks import Task


def _copies(nodes: int, experts: int, chosen: int) -> float:
    missed = comb(experts - experts // nodes, chosen) / comb(experts, chosen)
    return nodes * (1 - missed)


copies = Task(
    "Nodes that a token goes to",
    reference=lambda nodes, experts, chosen: (
        nodes * (1 - comb(experts - experts // nodes, chosen) / comb(experts, chosen))
    ),
    cases=[(8, 256, 8), (4, 256, 8), (2, 64, 6), (1, 32, 4)],
    mistakes=mistakes(
        lambda nodes, experts, chosen: chosen,
        "a copy for each expert: Experts on one node share a copy. Count nodes, not experts.",
        lambda nodes, experts, chosen: min(nodes, chosen),
        "as many as there can be: That is the maximum. Some of the experts share a node.",
        lambda nodes, experts, chosen: nodes * (1 - (1 - 1 / nodes) ** chosen),
        "drawn with replacement: That lets a token choose one expert twice. Its experts are "
        "different.",
        lambda nodes, experts, chosen: (nodes - 1) * _copies(nodes, experts, chosen) / nodes,
        "other nodes only: That leaves out the token's own node. Here it counts.",
    ),
    hint="A node is missed if all chosen experts are among those of the other nodes. "
    "`math.comb(n, k)` counts the ways to choose.",
    right="A token goes to five of eight nodes. De-duplication saves more than a limit of nodes.",
)

card_rate = Task(
    "What the network card carries",
    reference=lambda printed, nodes: printed * (nodes - 1) / nodes,
    cases=[(43e9, 2), (58e9, 4), (51e9, 8)],
    mistakes=mistakes(
        lambda printed, nodes: printed,
        "own node counted: The printed rate counts a copy for the token's own node, which is on no "
        "card.",
        lambda printed, nodes: printed / nodes,
        "the share that stays: That part stays in the node. The card carries the rest.",
        lambda printed, nodes: printed * nodes / (nodes - 1),
        "the wrong way round: The card carries less than the printed rate, not more.",
    ),
    hint="One of n copies is for the token's own node on average.",
    right="The row with the lowest printed rate uses the card least. A printed 58 GB/s fits a card "
    "of 50 GB/s.",
    unit="bytes/s",
)

short_time = Task(
    "A short exchange",
    reference=lambda ranks, size, latency, bandwidth: latency + (1 - 8 / ranks) * size / bandwidth,
    cases=[(64, 7.586e6, 44.6e-6, 51.7e9), (16, 1e6, 1e-5, 25e9), (8, 7e6, 4e-5, 50e9)],
    mistakes=mistakes(
        lambda ranks, size, latency, bandwidth: latency + size / bandwidth,
        "all bytes over the network: Copies for the eight ranks of the own node aren't on the "
        "network.",
        lambda ranks, size, latency, bandwidth: latency + (1 - 1 / ranks) * size / bandwidth,
        "only the own rank stays: All eight ranks of a node reach each other without the network.",
        lambda ranks, size, latency, bandwidth: (
            ranks * latency + (1 - 8 / ranks) * size / bandwidth
        ),
        "a latency for each rank: Messages to all ranks start together, so count one latency.",
        lambda ranks, size, latency, bandwidth: (1 - 8 / ranks) * size / bandwidth,
        "no latency: Add the time before the first byte flows.",
    ),
    hint="Of `ranks` ranks, 8 are in the sender's node.",
    right="With 64 ranks 7/8 of the bytes cross the network, so a larger group adds little.",
    unit="s",
)
