"""GENNAPE: graph encoder, representations, fuzzy clusters and the drawing of messages."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import Ridge

from perfmodel.labs.prediction.gennape.fuzzy_clusters import FuzzyHeads, fuzzy_c_means, memberships
from perfmodel.labs.prediction.gennape.graph_encoder import (
    NET,
    NUMBERS,
    OPERATIONS,
    ROUNDS,
    Graphs,
    embedded_family,
    encode,
    graphs,
    message_reach,
    single_features,
)
from perfmodel.live.drawing import Cells
from perfmodel.prediction.architectures.metaqnn import described, family
from perfmodel.prediction.arena.transfer import transfer


def test_memberships_by_hand():
    assert memberships([1, 2]) == pytest.approx([0.8, 0.2])
    assert memberships([1, 2, 4]) == pytest.approx([16 / 21, 4 / 21, 1 / 21])
    assert memberships([1, 2], 3) == pytest.approx([2 / 3, 1 / 3])
    assert memberships([0, 2, 0]) == pytest.approx([0.5, 0, 0.5])


@settings(max_examples=40)
@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=6), st.floats(1.01, 20))
def test_memberships_are_shares_and_the_nearest_has_the_most(distances, fuzzifier):
    shares = memberships(distances, fuzzifier)
    assert shares.sum() == pytest.approx(1)
    assert (shares >= 0).all()
    assert shares[np.argmin(distances)] == shares.max()


def test_memberships_in_the_limits_of_the_fuzzifier():
    assert memberships([1, 2, 4], 1.001) == pytest.approx([1, 0, 0])
    assert memberships([1, 2, 4], 1000) == pytest.approx([1 / 3] * 3, abs=2e-3)


def test_centres_are_found_and_the_objective_falls():
    rng = np.random.default_rng(1)
    centres = np.array([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]])
    points = np.concatenate([centre + rng.normal(0, 0.3, (50, 2)) for centre in centres])
    clusters = fuzzy_c_means(points, 3)
    order = np.argsort(clusters.centres @ [1.0, 2.0])
    assert clusters.centres[order] == pytest.approx(centres, abs=0.2)
    assert (np.diff(clusters.objective) <= 1e-9).all()
    assert len(clusters.objective) > 1
    shares = clusters.memberships(points)
    assert clusters.objective[-1] == pytest.approx(
        sum(
            (shares[:, k] ** 2 * ((points - clusters.centres[k]) ** 2).sum(1)).sum()
            for k in range(3)
        ),
        rel=1e-3,
    )


def test_one_centre_is_the_mean():
    points = np.random.default_rng(2).random((30, 4))
    assert fuzzy_c_means(points, 1).centres[0] == pytest.approx(points.mean(axis=0))


def test_heads_learn_a_kink_that_one_line_cannot():
    x = np.linspace(-1, 1, 80)[:, None]
    y = np.abs(x[:, 0])
    single = FuzzyHeads(Ridge(1e-6), 1).fit(x, y).predict(x)
    assert single == pytest.approx(Ridge(1e-6).fit(x, y).predict(x), abs=1e-6)
    two = FuzzyHeads(Ridge(1e-6), 2, 1.3).fit(x, y).predict(x)
    assert np.abs(two - y).mean() < 0.25 * np.abs(single - y).mean()


def test_with_a_large_fuzzifier_all_heads_are_one():
    rng = np.random.default_rng(3)
    x, y = rng.random((60, 3)), rng.random(60)
    many = FuzzyHeads(Ridge(1e-9), 4, 1e4).fit(x, y).predict(x)
    assert many == pytest.approx(FuzzyHeads(Ridge(1e-9), 1).fit(x, y).predict(x), abs=1e-3)


def test_clusters_need_as_many_different_points():
    with pytest.raises(ValueError, match=r"points must have shape \(3 or more, p\), got \(2, 2\)"):
        fuzzy_c_means([[0, 0], [1, 1]], 3)
    with pytest.raises(ValueError, match="clusters must be at most the 1 different points, got 2"):
        fuzzy_c_means([[1, 1], [1, 1]], 2)


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
    return np.array([state[built.owner == graph].mean(axis=0) for graph in np.unique(built.owner)])


def test_messages_are_those_of_the_formula():
    built = graphs(NETS)
    assert encode(built, 5, 3, seed=7) == pytest.approx(by_hand(built, 3, 5, 7))


def test_a_graph_is_embedded_alike_alone_and_beside_others():
    together = encode(graphs(NETS))
    for index, net in enumerate(NETS):
        assert encode(graphs([net]))[0] == pytest.approx(together[index])


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


FAMILIES = [family("cifar10"), family("svhn")]


def test_single_features_of_the_real_families():
    cifar, svhn = map(single_features, FAMILIES)
    assert cifar == pytest.approx({"FLOPs": 0.185, "weights": 0.294, "depth": 0.234}, abs=0.0006)
    assert svhn == pytest.approx({"FLOPs": 0.360, "weights": 0.453, "depth": 0.686}, abs=0.0006)


@pytest.mark.parametrize(
    ("back", "zero", "few", "level", "relabelled", "constant"),
    [(False, 0.270, 0.670, 0.200, 0.036, 0.039), (True, 0.451, 0.656, 0.197, 0.102, 0.094)],
)
def test_transfer_of_the_real_families(back, zero, few, level, relabelled, constant):
    source, target = map(described, FAMILIES[::-1] if back else FAMILIES)
    forest = RandomForestRegressor(40, min_samples_leaf=3, random_state=0)
    short = RandomForestRegressor(30, random_state=0)
    scores = transfer(source, target, forest, short, rounds=10)
    means = scores.groupby("approach")[["spearman", "mae"]].mean()
    order, mae = means["spearman"], means["mae"]
    assert order["zero-shot"] == pytest.approx(zero, abs=0.05)
    assert order["target only"] == pytest.approx(few, abs=0.05)
    assert order["source + target"] == pytest.approx(order["target only"], abs=0.05)
    assert mae["zero-shot"] == pytest.approx(level, abs=0.01)
    assert mae["zero-shot, relabelled"] == pytest.approx(relabelled, abs=0.012)
    assert mae["constant"] == pytest.approx(constant, abs=0.012)


def test_the_embedding_tells_networks_and_learning_rates_apart():
    few = replace(
        FAMILIES[0],
        **{name: getattr(FAMILIES[0], name)[:20] for name in ("nets", "features", "accuracy")},
    )
    codes = embedded_family(few)
    assert codes.features.shape == (20, 33)
    assert len(np.unique(codes.features.round(9), axis=0)) == 20
    assert embedded_family(few, 1).features[:, -1] == pytest.approx(np.log10(few.features[:, -1]))
