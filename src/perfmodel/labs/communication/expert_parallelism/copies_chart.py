"""One token, its eight experts, and its copies by the way of sending."""

from __future__ import annotations

import numpy as np

from perfmodel.labs.communication.expert_parallelism.inputs import CHOSEN, EXPERTS, NODE_RANKS
from perfmodel.live.drawing import Box, Scene, Shape, Text
from perfmodel.validation import one_of, whole

WAYS = ("expert", "GPU", "node")
NODES = 4
TOKENS = 6
_LEFT, _CELL, _ROW = 66.0, 26.0, 44.0


def token_copies(way: str, token: int) -> Scene:
    """Draw four nodes of eight GPUs, and the copies of one of six tokens that cross the network.

    `way` says what gets a copy of its own. The token starts on node 1.

    >>> [token_copies(way, 1).values["over the network"] for way in WAYS]
    [6.0, 6.0, 3.0]
    """
    one_of("way", way, WAYS)
    whole("token", token, 1, TOKENS)
    chosen = np.random.default_rng(token).choice(EXPERTS, CHOSEN, replace=False)
    ranks = chosen // (EXPERTS // (NODES * NODE_RANKS))
    held = np.bincount(ranks, minlength=NODES * NODE_RANKS).reshape(NODES, NODE_RANKS)
    copies = {
        "expert": held.sum(axis=1),
        "GPU": (held > 0).sum(axis=1),
        "node": (held > 0).any(axis=1).astype(int),
    }[way]
    shapes: list[Shape] = [Text("GPUs and the number of chosen experts", 180, 12)]
    for node in range(NODES):
        top = 26 + _ROW * node
        shapes.append(Text(f"node {node + 1}", 34, top + 13))
        for rank in range(NODE_RANKS):
            number = int(held[node, rank])
            shapes.append(
                Box(
                    _LEFT + _CELL * rank,
                    top,
                    _CELL - 3,
                    26,
                    str(number) if number else "",
                    2 if number else 0,
                    "solid" if number else "none",
                )
            )
        count = int(copies[node])
        label = "stays" if node == 0 else f"{count} cop{'y' if count == 1 else 'ies'}"
        shapes.append(Text(label, 316, top + 13))
    crossing = int(copies[1:].sum())
    says = (
        f"With one copy for each {way}, the network carries {crossing} "
        f"cop{'y' if crossing == 1 else 'ies'} of the token."
    )
    values = {"over the network": float(crossing), "GPUs with experts": float((held > 0).sum())}
    return Scene(26 + _ROW * NODES, shapes, says, values)
