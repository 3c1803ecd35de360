"""Differential performance evaluation: the cost of a program against clusters of references.

Costs are instruction counts, or whatever else is exact enough. Sorted from slow to fast they fall
into clusters where a gap is wider than noise explains; a new program is placed among the clusters,
and its score is the share of the reference solutions that are in its cluster or in slower ones.

Source: J. Liu, S. Xie, J. Wang, Y. Wei, Y. Ding and L. Zhang, "Evaluating language models for
efficient code generation", COLM 2024 (arXiv:2408.06450), section 3; constants from its code,
evalplus.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.live.drawing import Box, Circle, Fill, Line, Scale, Scene, Shape, Text
from perfmodel.units import number
from perfmodel.validation import Floats, non_negative, positive, sample, within

GAP = 0.1
"""Relative gap between two clusters of costly programs."""
NOISE = 1e4
"""Instructions by which a program's cost may differ from itself, squared over the cost."""


class Placed(NamedTuple):
    """The score of one program, both from 0 to 100."""

    score: float
    """Fraction of the reference solutions that it is at least as fast as; per cent."""
    normalised: float
    """Share of the clusters, per cent."""


@dataclass(frozen=True)
class ReferenceClusters:
    """Clusters of reference solutions, from slow to fast."""

    cost: Floats
    """Of the slowest member of each cluster, shape (k,), falling."""
    score: Floats
    """Share of all solutions in this and slower clusters, per cent, shape (k,); ends with 100."""

    def placement(self, cost: float) -> Placed:
        """Return the score of the fastest cluster that `cost` keeps up with, or zeros."""
        if not cost > 0:
            raise ValueError(f"cost must be above 0 or infinite, got {cost!r}")
        reached = np.flatnonzero(cost <= self.cost)
        if not reached.size:
            return Placed(0.0, 0.0)
        index = int(reached[-1])
        return Placed(float(self.score[index]), 100 * (index + 1) / self.cost.size)


def cluster_costs(costs: ArrayLike, gap: float = GAP, noise: float = NOISE) -> list[Floats]:
    """Return costs in clusters, from slow to fast, split where the relative gap is wide.

    From one cost a to the next lower one the gap must be more than `gap` + sqrt(`noise` / a): small
    programs, whose noise is a larger share, need a wider one. Costs fall in each cluster.

    >>> [c.tolist() for c in cluster_costs([60e6, 100e6, 98e6, 58e6])]
    [[100000000.0, 98000000.0], [60000000.0, 58000000.0]]
    """
    falling = np.sort(positive("costs", sample("costs", costs)))[::-1]
    least = non_negative("gap", gap) + np.sqrt(non_negative("noise", noise) / falling[:-1])
    splits = np.flatnonzero(1 - falling[1:] / falling[:-1] > least) + 1
    return np.split(falling, splits)


def references(costs: ArrayLike, gap: float = GAP, noise: float = NOISE) -> ReferenceClusters:
    """Return the references that costs of correct solutions make.

    >>> found = references([100e6, 98e6, 60e6, 58e6])
    >>> found.placement(59e6), found.placement(57e6).score
    (Placed(score=100.0, normalised=100.0), 100.0)
    """
    clusters = cluster_costs(costs, gap, noise)
    sizes = np.array([cluster.size for cluster in clusters])
    return ReferenceClusters(
        np.array([cluster[0] for cluster in clusters]), 100 * np.cumsum(sizes) / sizes.sum()
    )


EXAMPLE = (100e6, 98e6, 60e6, 58e6, 57e6, 30e6, 29e6, 10e6, 9.8e6, 9.7e6)
"""Instructions of ten solutions of our own example."""
_TICKS = (8, 10, 20, 50, 100, 150)
_ROW = 90.0


def cluster_drawing(cost: float, gap: float) -> Scene:
    """Draw the example's clusters and a new program of `cost` million instructions among them.

    >>> cluster_drawing(59.0, 0.1).values["score (%)"]
    50.0
    """
    millions = float(positive("cost", cost))
    wide = float(within("gap", gap, 0.05, 0.9))
    table, placed = references(EXAMPLE, wide), references(EXAMPLE, wide).placement(1e6 * millions)
    shapes: list[Shape] = [Text("clusters, and the fraction of solutions up to each", 180, 12)]
    for cluster, fraction in zip(cluster_costs(EXAMPLE, wide), table.score, strict=True):
        shapes += _cluster(cluster, float(fraction), bool(fraction == placed.score))
    here = _across(1e6 * millions)
    shapes += [Line([(here, 134), (here, _ROW + 27)], 2, head=True), Text("new", here, 143)]
    shapes.append(Line([(_across(150e6), 158), (_across(8e6), 158)]))
    for tick in _TICKS:
        x = _across(1e6 * tick)
        shapes += [Line([(x, 158), (x, 162)]), Text(number(float(tick)), x, 171)]
    shapes.append(Text("cost (million instructions), fast to the right", 182, 188))
    says = (
        f"The program scores {placed.score:.0f}, or {placed.normalised:.0f} normalised. The "
        f"references form {table.cost.size} clusters."
    )
    values = {"score (%)": placed.score, "normalised (%)": placed.normalised}
    return Scene(198, shapes, says, values)


def _across(cost: float) -> float:
    return Scale(np.log(150e6), np.log(8e6), 24, 340)(float(np.log(cost)))


def _cluster(costs: Floats, share: float, kept: bool) -> list[Shape]:
    """Return a cluster's box, filled where the new program is placed, with its members."""
    left, right = _across(costs[0]), _across(costs[-1])
    fill: Fill = "light" if kept else "none"
    shapes: list[Shape] = [
        Box(left - 8, _ROW - 26, right - left + 16, 52, "", 1, fill),
        Text(f"{share:.0f} %", (left + right) / 2, _ROW - 40, bold=kept),
    ]
    for index, cost in enumerate(costs):
        y = _ROW - 15 + 30 * (index + 0.5) / costs.size
        shapes.append(Circle(_across(cost), y, 4, "", 1, "solid"))
    return shapes
