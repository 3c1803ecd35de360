"""Graphs of networks and their random embedding: nodes, messages by hand, invariances."""

import numpy as np
import pytest

from perfmodel.labs.prediction.gennape.graph_encoder import (
    NUMBERS,
    OPERATIONS,
    Graphs,
    encode,
    graphs,
)

NETS = (
    "[C(64,5,1), C(256,3,1), D(1,1), GAP(10), SM(10)]",
    "[C(128,1,1), P(5,3), FC(256), SM(10)]",
    "[SM(10)]",
)


def names(built, graph):
    rows = built.nodes[built.owner == graph, : len(OPERATIONS)]
    assert (rows.sum(axis=1) == 1).all()
    return [OPERATIONS[kind] for kind in rows.argmax(axis=1)]


def test_nodes_and_edges():
    built = graphs(NETS)
    assert names(built, 1) == [
        "input",
        "convolution",
        "activation",
        "pooling",
        "dense",
        "activation",
        "dense",
        "softmax",
        "output",
    ]
    assert names(built, 0)[-5:] == ["convolution", "mean", "dense", "softmax", "output"]
    assert len(built.edges) == len(built.owner) - len(NETS)
    assert (built.owner[built.edges[:, 0]] == built.owner[built.edges[:, 1]]).all()
    first = dict(zip(NUMBERS, built.nodes[1, len(OPERATIONS) :], strict=True))
    assert first["side in"] == first["side out"] == 1
    assert first["channels out"] == pytest.approx(6 / 9)
    assert first["kernel"] == 1
    assert first["weights"] == pytest.approx(np.log10(4801) / 7)


def by_hand(built, rounds, width, seed):
    rng, state = np.random.default_rng(seed), built.nodes
    for _ in range(rounds):
        size = state.shape[1]
        own, other = rng.normal(0, (2 * size) ** -0.5, (2, size, width))
        after = np.zeros((len(state), width))
        for v in range(len(state)):
            near = [b for a, b in built.edges if a == v] + [a for a, b in built.edges if b == v]
            after[v] = state[v] @ own + np.mean(state[near], axis=0) @ other
        state = np.tanh(after)
    return np.array([state[built.owner == one].mean(axis=0) for one in np.unique(built.owner)])


def test_messages_are_those_of_the_formula():
    built = graphs(NETS)
    assert encode(built, 5, 3, seed=7) == pytest.approx(by_hand(built, 3, 5, 7))


def test_a_graph_is_embedded_alike_alone_and_beside_others():
    together = encode(graphs(NETS))
    for place, net in enumerate(NETS):
        assert encode(graphs([net]))[0] == pytest.approx(together[place])


def test_the_order_of_nodes_does_not_matter():
    built = graphs(NETS[:1])
    order = np.random.default_rng(3).permutation(len(built.owner))
    back = np.argsort(order)
    shuffled = Graphs(built.nodes[order], back[built.edges], built.owner)
    assert encode(shuffled) == pytest.approx(encode(built))


def test_mean_and_sum_and_seeds():
    built = graphs(NETS)
    size = np.bincount(built.owner)[:, None]
    assert encode(built, pool="sum") == pytest.approx(size * encode(built))
    assert not np.allclose(encode(built, seed=1), encode(built))
    assert np.abs(encode(built)).max() < 1


def test_bad_input():
    with pytest.raises(ValueError, match="nets must be one network or more"):
        graphs([])
    with pytest.raises(ValueError, match="pool must be mean or sum, got 'max'"):
        encode(graphs(NETS), pool="max")
    with pytest.raises(ValueError, match="rounds must be a whole number, 1 or more, got 0"):
        encode(graphs(NETS), rounds=0)
