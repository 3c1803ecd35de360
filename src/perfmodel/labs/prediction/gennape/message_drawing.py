"""How far one node's features travel in rounds of message passing."""

from __future__ import annotations

import numpy as np

from perfmodel.labs.prediction.gennape.graph_encoder import OPERATIONS, Graphs, graphs
from perfmodel.live.drawing import Cells, Fill, Scene, Shape, Text
from perfmodel.live.drawing.chart import legend
from perfmodel.validation import whole

NET = "[C(64,5,1), P(2,2), FC(128), SM(10)]"
ROUNDS = 6
_LEFT, _TOP, _SIDE = 124.0, 46.0, 24.0


def message_reach(start: int) -> Scene:
    """Draw which nodes of `NET` depend on the features of one, 0 (input) to 8 (output), by round.

    >>> message_reach(0).values["nodes after six rounds"]
    7.0
    """
    chain = graphs([NET])
    names = [OPERATIONS[kind] for kind in chain.nodes[:, : len(OPERATIONS)].argmax(axis=1)]
    if whole("start", start) >= len(names):
        raise ValueError(f"start must be 0 to {len(names) - 1}, got {start}")
    knows = np.arange(len(names)) == start
    looks: dict[tuple[int, int], tuple[int, Fill]] = {}
    for column in range(ROUNDS + 1):
        for node in np.flatnonzero(knows):
            looks[int(node), column] = (1, "solid" if node == start else "light")
        reached = int(knows.sum())
        knows = _after_a_round(chain, knows)
    shapes: list[Shape] = [
        Cells(_LEFT, _TOP, len(names), ROUNDS + 1, _SIDE, looks),
        Text("rounds of messages", _LEFT + (ROUNDS + 1) * _SIDE / 2, 16),
    ]
    for row, name in enumerate(names):
        shapes.append(Text(name, _LEFT - 8, _TOP + (row + 0.5) * _SIDE, anchor="end"))
    for column in range(ROUNDS + 1):
        shapes.append(Text(str(column), _LEFT + (column + 0.5) * _SIDE, 35))
    below = _TOP + len(names) * _SIDE + 14
    shapes += legend(60, below, [("the node", 1, "solid"), ("has heard of it", 1, "light")])
    says = (
        f"After {ROUNDS} rounds {reached} of {len(names)} nodes have heard of the {names[start]}."
    )
    return Scene(below + 26, shapes, says, {"nodes after six rounds": float(reached)})


def _after_a_round(chain: Graphs, knows: np.ndarray) -> np.ndarray:
    """Return which nodes know once each has heard its neighbours, either way along an edge."""
    heard = knows.copy()
    for one, other in (chain.edges.T, chain.edges.T[::-1]):
        heard[other[knows[one]]] = True
    return heard
