"""What a network of FBNet's space computes and moves, block by block: a whitebox of its latency.

From the description of the space alone: Tables 1 and 2 of B. Wu et al., "FBNet: Hardware-aware
efficient ConvNet design via differentiable neural architecture search", CVPR 2019. A block of
expansion e widens its c channels to e c by a 1x1 convolution, filters each of them by k x k, and
narrows them to the next width by another 1x1 convolution.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from perfmodel.prediction.architectures.search_space import SPACES
from perfmodel.validation import Floats

if TYPE_CHECKING:
    import pandas as pd

STAGES = (
    (16, 1, 1),
    (24, 4, 2),
    (32, 4, 2),
    (64, 4, 2),
    (112, 4, 1),
    (184, 4, 2),
    (352, 1, 1),
)
"""Channels, blocks and stride of the first block of each stage, Table 1."""
CHANNELS, SIDE = 16, 112
"""Of the images that the first block takes."""
KINDS = {
    "k3e1": (3, 1, 1),
    "k3e1g2": (3, 1, 2),
    "k3e3": (3, 3, 1),
    "k3e6": (3, 6, 1),
    "k5e1": (5, 1, 1),
    "k5e1g2": (5, 1, 2),
    "k5e3": (5, 3, 1),
    "k5e6": (5, 6, 1),
}
"""Width of the filter, expansion, and groups of the 1x1 convolutions, Table 2."""


class Place(NamedTuple):
    """Where a block stands: its channels in and out, the side of its images, its stride."""

    into: int
    out: int
    side: int
    stride: int

    @property
    def after(self) -> int:
        """Side of the images that leave."""
        return self.side // self.stride


def places() -> list[Place]:
    """Return the 22 places of the chain, first to last.

    >>> places()[1]
    Place(into=16, out=24, side=112, stride=2)
    >>> places()[-1].after
    7
    """
    found, channels, side = [], CHANNELS, SIDE
    for width, blocks, first in STAGES:
        for stride in (first, *[1] * (blocks - 1)):
            found.append(Place(channels, width, side, stride))
            channels, side = width, side // stride
    return found


def block_work(place: Place, kind: str) -> Floats:
    """Return what a block does, shape (4,): the counts of `network_work` without its base.

    Where a skipped block (kind `skip`) would change the images' shape, a 1x1 convolution stands in.
    """
    before, after = place.side**2, place.after**2
    if kind == "skip":
        if (place.into, place.stride) == (place.out, 1):
            return np.zeros(4)
        moved = place.into * after + place.out * after
        return np.array([place.into * place.out * after, 0, moved, 1], dtype=float)
    width, expansion, groups = KINDS[kind]
    inside = place.into * expansion
    dense = inside * (place.into * before + place.out * after) / groups
    moved = (place.into + 2 * inside) * before + (2 * inside + place.out) * after
    return np.array([dense, width**2 * inside * after, moved, 1], dtype=float)


def network_work(features: pd.DataFrame) -> dict[str, Floats]:
    """Count what networks of `fbnet` do: the counts of five prices, each of shape (n,).

    `base`: 1, what all networks share. `dense multiply-adds`: of the 1x1 convolutions. `depthwise
    multiply-adds`: of the filters. `elements moved`: read and written by each convolution.
    `blocks`: that are not skipped.
    """
    space = SPACES["fbnet"]
    hot = features[space.features].to_numpy(dtype=float)
    kinds = [kind for kind in space.operations if kind != "skip"]
    at = places()
    skipped = np.array([block_work(place, "skip") for place in at])
    extra = np.concatenate(
        [
            [block_work(place, kind) - left for kind in kinds]
            for place, left in zip(at, skipped, strict=True)
        ]
    )
    counted = skipped.sum(axis=0) + hot @ extra
    names = ("dense multiply-adds", "depthwise multiply-adds", "elements moved", "blocks")
    return {"base": np.ones(len(hot)), **dict(zip(names, counted.T, strict=True))}
