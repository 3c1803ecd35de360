"""Networks that a search can choose from, and what is counted in them.

Two search spaces. In NAS-Bench-201 (`nb201`) a network is a stack of one cell, and a cell is a
graph of six edges, each with one of five operations: 5^6 = 15,625 networks. In FBNet (`fbnet`) it
is a chain of 22 layers, each one of nine kinds.

>>> counts(one_hot([[3, 3, 1, 0, 4, 2]], "nb201"))["conv3x3"]
array([2.])
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from perfmodel.validation import Floats, one_of

if TYPE_CHECKING:
    import pandas as pd

Choices = NDArray[np.intp]
"""Which operation each place of each network has, shape (n, places)."""


@dataclass(frozen=True)
class SearchSpace:
    """The places of a network and what can be there."""

    name: str
    positions: tuple[str, ...]
    operations: tuple[str, ...]
    pool: int
    """Rows from 0 that few measurements are drawn from; the next `tested` rows are tested on."""
    tested: int = 1000

    @property
    def reference_operation(self) -> int:
        """The operation that is left out of a one-hot code: the one that costs least."""
        return self.operations.index("none" if "none" in self.operations else "skip")

    @property
    def features(self) -> list[str]:
        """Names of the one-hot columns, place by place."""
        return [
            f"{index} {operation}"
            for index in self.positions
            for code, operation in enumerate(self.operations)
            if code != self.reference_operation
        ]


SPACES = {
    "nb201": SearchSpace(
        "nb201",
        ("0-1", "0-2", "1-2", "0-3", "1-3", "2-3"),
        ("none", "skip", "conv1x1", "conv3x3", "pool"),
        900,
    ),
    "fbnet": SearchSpace(
        "fbnet",
        tuple(f"layer {number}" for number in range(1, 23)),
        ("k3e1", "k3e1g2", "k3e3", "k3e6", "k5e1", "k5e1g2", "k5e3", "k5e6", "skip"),
        4000,
    ),
}
"""Places of nb201 are edges of the cell's graph; k is a kernel's width, e how much wider the layer
is inside, g its groups."""

EDGES = tuple((int(name[0]), int(name[2])) for name in SPACES["nb201"].positions)
"""Nodes that the edges of an nb201 cell lead from and to."""
STAGES = ((16, 32), (32, 16), (64, 8))
"""Channels and side of the images, in pixels, in the three stages of an nb201 network."""
CELLS = 5
"""Cells of a stage."""


def space_of(name: str) -> SearchSpace:
    """Return a search space by its name."""
    one_of("space", name, SPACES)
    return SPACES[name]


def one_hot(choices: ArrayLike, space: str = "nb201") -> pd.DataFrame:
    """Return which operation is at which position, 0 or 1, without the one that does nothing.

    `choices` of shape (n, positions) name the operation at each, in the `space` `nb201` or `fbnet`.
    The result has a column for each position and operation but the cheapest: 6 x 4 for nb201, 22 x
    8 for fbnet.
    """
    import pandas as pd

    chosen = space_of(space)
    codes = np.asarray(choices)
    shape = (len(chosen.positions),)
    if codes.ndim != 2 or codes.shape[1:] != shape or codes.dtype.kind not in "iu":
        raise ValueError(f"choices must be whole numbers of shape (n, {shape[0]}), got {codes!r}")
    if codes.min() < 0 or codes.max() >= len(chosen.operations):
        raise ValueError(f"choices must be from 0 to {len(chosen.operations) - 1}, got {codes!r}")
    kinds = [code for code in range(len(chosen.operations)) if code != chosen.reference_operation]
    hot = (codes[:, :, None] == np.array(kinds)).reshape(len(codes), -1)
    return pd.DataFrame(hot.astype(float), columns=chosen.features)


def counts(features: pd.DataFrame) -> dict[str, Floats]:
    """Return how often each operation occurs in a network, and 1 as `base`, each of shape (n,).

    Of the features only the columns of `one_hot` count.
    """
    counted = {"base": np.ones(len(features))}
    for column in features.columns:
        index, _, operation = str(column).rpartition(" ")
        if index:
            counted[operation] = counted.get(operation, 0.0) + features[column].to_numpy(float)
    return counted


def flops(features: pd.DataFrame) -> Floats:
    """Return the published count of operations of nb201 networks, from their code by `one_hot`.

    A convolution of C channels on images of H x H counts k^2 C^2 H^2 multiply-adds, and 2 C H^2 for
    its batch normalisation; what is not a convolution counts nothing.

    >>> float(flops(one_hot([[3] * 6]))[0])
    214056960.0
    """
    counted = counts(features)
    wide, side = np.array(STAGES, dtype=float).T
    normal = 2 * wide * side**2
    price = {k: CELLS * float((k**2 * (wide * side) ** 2 + normal).sum()) for k in (1, 3)}
    return np.asarray(counted["conv1x1"] * price[1] + counted["conv3x3"] * price[3])


def used_edges(features: pd.DataFrame) -> NDArray[np.bool_]:
    """Return which edges of nb201 cells compute what the cell's output uses, shape (n, 6).

    An operation is used where its edge leads on to the cell's output; none is in a cell whose
    output does not depend on its input.

    >>> used_edges(one_hot([[3, 3, 3, 1, 0, 0]]))[0].tolist()
    [False, False, False, True, False, False]
    """
    wired = np.asarray(_by_edge(features).any(axis=2))
    # Whether a node is reached from the input, and whether the output is reached from it.
    starts, ends = {0: np.ones(len(features), bool)}, {3: np.ones(len(features), bool)}
    for node in (1, 2, 3):
        into = [edge for edge, (_, to) in enumerate(EDGES) if to == node]
        starts[node] = np.any([wired[:, edge] & starts[EDGES[edge][0]] for edge in into], axis=0)
    for node in (2, 1):
        out = [edge for edge, (source, _) in enumerate(EDGES) if source == node]
        ends[node] = np.any([wired[:, edge] & ends[EDGES[edge][1]] for edge in out], axis=0)
    return np.asarray(wired & np.column_stack([ends[to] for _, to in EDGES]) & starts[3][:, None])


def used_counts(features: pd.DataFrame) -> dict[str, Floats]:
    """Return the counts of nb201 operations whose result is used, each of shape (n,).

    A cell whose output does not depend on its input makes all work before it useless too; it counts
    as `always` only, and every other one as `alive` as well. That is what is left when a compiler
    removes dead code. The `features` have the columns of `one_hot`.

    Examples
    --------
    >>> cut_off = one_hot([[3, 3, 3, 0, 0, 0]])
    >>> {name: float(number[0]) for name, number in used_counts(cut_off).items() if number[0]}
    {'always': 1.0}
    """
    used = used_edges(features)
    counted = (used[:, :, None] * _by_edge(features)).sum(axis=1)
    named = dict(zip(SPACES["nb201"].operations[1:], counted.T, strict=True))
    return {"always": np.ones(len(features)), "alive": used.any(axis=1).astype(float), **named}


def _by_edge(features: pd.DataFrame) -> Floats:
    """Return the columns of nb201 by edge and operation, shape (n, 6, 4)."""
    columns = features[SPACES["nb201"].features]
    hot: Floats = columns.to_numpy(dtype=float)
    return hot.reshape(len(features), len(EDGES), -1)
