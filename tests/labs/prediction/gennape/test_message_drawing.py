"""The drawing of messages: readable from every node, and it spreads as the encoder's sums do."""

import numpy as np
import pytest

from perfmodel.labs.prediction.gennape.graph_encoder import Graphs, encode, graphs
from perfmodel.labs.prediction.gennape.message_drawing import NET, ROUNDS, message_reach
from perfmodel.live.drawing import Cells


def filled(scene):
    (cells,) = (shape for shape in scene.shapes if isinstance(shape, Cells))
    return set(cells.filled)


@pytest.mark.parametrize("start", range(9))
def test_is_readable_and_reaches_a_node_further_each_round(start):
    scene = message_reach(start)
    assert scene.faults() == []
    near = {(row, r) for row in range(9) for r in range(ROUNDS + 1) if abs(row - start) <= r}
    assert filled(scene) == near
    assert scene.values["nodes after six rounds"] == sum(r == ROUNDS for _, r in near)


@pytest.mark.parametrize("rounds", range(1, ROUNDS + 1))
def test_nodes_that_have_heard_are_those_whose_numbers_change(rounds):
    chain = graphs([NET])
    changed = chain.nodes.copy()
    changed[3, -1] += 0.5
    # Each node as a graph of its own, so that its numbers are not averaged with the others'.
    apart = [Graphs(nodes, chain.edges, np.arange(9)) for nodes in (chain.nodes, changed)]
    before, after = (encode(graph, rounds=rounds) for graph in apart)
    moved = {int(row) for row in np.flatnonzero(np.abs(after - before).max(axis=1) > 0)}
    assert moved == {row for row, r in filled(message_reach(3)) if r == rounds}


@pytest.mark.parametrize("start", [-1, 9])
def test_wants_a_node_of_the_chain(start):
    with pytest.raises(ValueError, match="start must be"):
        message_reach(start)
