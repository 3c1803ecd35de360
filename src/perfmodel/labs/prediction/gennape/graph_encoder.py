"""Networks as graphs of basic operations, and an encoder of graphs that is never trained.

Written as operations with shapes, networks of all families share one language. So a predictor can
rank a family that it has not seen. The encoder passes messages along the edges with random weights,
like a graph neural network before its first training step.

A predictor gets an embedding of each network, or a single number.

Source: K. G. Mills, F. X. Han, J. Zhang, et al., "GENNAPE: Towards Generalized Neural Architecture
Performance Estimators", AAAI 2023, arXiv:2211.17226. Its families of graphs are not public; the
networks here are those of `perfmodel.prediction.architectures.metaqnn`, and their descriptors are
the third representation.

How far one node's features travel in rounds of message passing.

>>> graph = graphs(["[C(64,5,1), SM(10)]"])
>>> [OPERATIONS[kind] for kind in graph.nodes[:, : len(OPERATIONS)].argmax(axis=1)]
['input', 'convolution', 'activation', 'dense', 'softmax', 'output']
>>> encode(graph, width=4).shape
(1, 4)

Source: the layer (GraphConv) and its sizes from the baseline published with K. G. Mills et al.,
"GENNAPE: Towards Generalized Neural Architecture Performance Estimators", AAAI 2023.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log2, log10

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from perfmodel.live.drawing import Cells, Fill, Scene, Shape, Text
from perfmodel.live.drawing.chart import legend
from perfmodel.prediction.architectures.metaqnn import (
    CHANNELS,
    FEATURES,
    SIDE,
    Family,
    ShapedLayer,
    parse,
    walk,
)
from perfmodel.prediction.arena import metrics
from perfmodel.prediction.arena.transfer import Labelled
from perfmodel.validation import Floats, one_of, whole

OPERATIONS = (
    "input",
    "convolution",
    "activation",
    "pooling",
    "dropout",
    "dense",
    "mean",
    "softmax",
    "output",
)
NUMBERS = ("side in", "side out", "channels in", "channels out", "kernel", "weights")
"""A node's numbers besides its operation; each on a scale where 1 is large."""
_PARTS = {
    "C": ("convolution", "activation"),
    "P": ("pooling",),
    "D": ("dropout",),
    "FC": ("dense", "activation"),
    "GAP": ("convolution", "mean"),
    "SM": ("dense", "softmax"),
}


@dataclass(frozen=True, eq=False)
class Graphs:
    """Several graphs side by side as one graph without edges between them."""

    nodes: Floats
    """A row for each node: its operation, one-hot, then `NUMBERS`; shape (nodes, 15)."""
    edges: NDArray[np.intp]
    """From and to, shape (edges, 2)."""
    owner: NDArray[np.intp]
    """Which graph each node belongs to, in order from 0, shape (nodes,)."""


def graphs(nets: Sequence[str]) -> Graphs:
    """Return the graphs of one or more strings of MetaQNN, which are chains."""
    rows = [_rows(net) for net in nets]
    lengths = [len(nodes) for nodes in rows]
    owner = np.repeat(np.arange(len(nets)), lengths)
    number = np.arange(owner.size)
    linked = owner[1:] == owner[:-1]
    edges = np.column_stack([number[:-1][linked], number[1:][linked]])
    return Graphs(np.array([node for nodes in rows for node in nodes]), edges, owner)


def _rows(net: str) -> list[list[float]]:
    rows = [_node("input", SIDE, SIDE, CHANNELS, CHANNELS)]
    for step in walk(parse(net)):
        rows += [_of_step(part, step) for part in _PARTS[step.layer.kind]]
    wide = step.channels[1]
    return [*rows, _node("output", 1, 1, wide, wide)]


def _of_step(part: str, step: ShapedLayer) -> list[float]:
    (side, after), (channels, wide) = step.side, step.channels
    if part in ("convolution", "dense", "pooling", "dropout"):
        # The mean of a global pooling comes after its convolution, which keeps the side.
        shown = side if step.layer.kind == "GAP" else after
        return _node(part, side, shown, channels, wide, step.kernel, step.weights)
    before = side if part == "mean" else after
    return _node(part, before, after, wide, wide)


def _node(
    operation: str, side: int, after: int, channels: int, wide: int, kernel: int = 0, size: int = 0
) -> list[float]:
    hot = [float(name == operation) for name in OPERATIONS]
    shapes = [log2(side) / 5, log2(after) / 5, log2(channels) / 9, log2(wide) / 9]
    return [*hot, *shapes, kernel / 5, log10(1 + size) / 7]


def encode(
    graphs: Graphs, width: int = 32, rounds: int = 6, seed: int = 0, pool: str = "mean"
) -> Floats:
    """Return an embedding of each graph, shape (graphs, width), by random message passing.

    In each round, h_v becomes tanh(h_v W1 + mean of h_u over the neighbours u of v, times W2), with
    weights drawn from a normal distribution of variance 1 over the numbers that come in. A node
    knows what is within `rounds` edges. `pool` is "mean" of the nodes of a graph, which cannot tell
    how many there are, or "sum".
    """
    one_of("pool", pool, ("mean", "sum"))
    rng = np.random.default_rng(seed)
    around = _neighbours(graphs)
    state = graphs.nodes
    for _ in range(whole("rounds", rounds, 1)):
        own, other = rng.normal(
            0, (2 * state.shape[1]) ** -0.5, (2, state.shape[1], whole("width", width, 1))
        )
        state = np.tanh(state @ own + around @ state @ other)
    starts = np.flatnonzero(np.diff(graphs.owner, prepend=-1))
    summed = np.add.reduceat(state, starts, axis=0)
    return summed if pool == "sum" else summed / np.bincount(graphs.owner)[:, None]


def _neighbours(graphs: Graphs) -> sparse.csr_matrix:
    """Return the matrix that takes the mean over each node's neighbours, either way."""
    n = len(graphs.owner)
    ends = np.concatenate([graphs.edges, graphs.edges[:, ::-1]])
    degree = np.bincount(ends[:, 0], minlength=n)
    weight = 1.0 / degree[ends[:, 0]]
    return sparse.csr_matrix((weight, (ends[:, 0], ends[:, 1])), shape=(n, n))


def embedded_family(family: Family, seed: int = 0, built: Graphs | None = None) -> Labelled:
    """Return a family as random embeddings of its graphs, together with the learning rate.

    Families are comparable only with the same seed of the encoder's weights.
    """
    codes = encode(built or graphs(family.nets), seed=seed)
    rate = np.log10(family.features[:, FEATURES.index("learning rate")])
    return Labelled(np.column_stack([codes, rate]), family.target)


def single_features(family: Family) -> dict[str, float]:
    """Return the Spearman correlation of FLOPs, weights (as the authors count) and depth.

    >>> from perfmodel.prediction.architectures.metaqnn import family
    >>> {name: round(rank, 3) for name, rank in single_features(family("svhn")).items()}
    {'FLOPs': 0.36, 'weights': 0.453, 'depth': 0.686}
    """
    work = family.features[:, FEATURES.index("log10 FLOPs")]
    numbers = {"FLOPs": work, "weights": family.weights, "depth": family.depth}
    return {name: metrics.spearman(family.target, values) for name, values in numbers.items()}


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
    whole("start", start, high=len(names) - 1)
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
        f"After {ROUNDS} rounds the message of the {names[start]} has reached {reached} of "
        f"{len(names)} nodes."
    )
    return Scene(below + 26, shapes, says, {"nodes after six rounds": float(reached)})


def _after_a_round(chain: Graphs, knows: np.ndarray) -> np.ndarray:
    """Return which nodes know once each has heard its neighbours, either way along an edge."""
    heard = knows.copy()
    for source, target in (chain.edges.T, chain.edges.T[::-1]):
        heard[target[knows[source]]] = True
    return heard
