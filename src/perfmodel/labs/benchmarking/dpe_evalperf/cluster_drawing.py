"""Ten reference solutions in clusters, and where a new program is placed, as a drawing."""

from __future__ import annotations

import numpy as np

from perfmodel.labs.benchmarking.dpe_evalperf.references import cluster_costs, references
from perfmodel.live.drawing import Box, Circle, Fill, Line, Scale, Scene, Shape, Text
from perfmodel.units import number
from perfmodel.validation import Floats, positive, within

EXAMPLE = (100e6, 98e6, 60e6, 58e6, 57e6, 30e6, 29e6, 10e6, 9.8e6, 9.7e6)
"""Instructions of ten solutions of our own example."""
_TICKS = (8, 10, 20, 50, 100, 150)
_ROW = 90.0


def cluster_drawing(cost: float, gap: float) -> Scene:
    """Draw the clusters of the example from slow to fast, with a new program among them.

    The new program costs 8 to 150 million instructions; clusters are split at the relative `gap`.

    >>> cluster_drawing(59.0, 0.1).values["score (%)"]
    50.0
    """
    millions = float(positive("cost", cost))
    wide = float(within("gap", gap, 0.05, 0.9))
    table, placed = references(EXAMPLE, wide), references(EXAMPLE, wide).place(1e6 * millions)
    shapes: list[Shape] = [Text("clusters, and the share of solutions up to each", 180, 12)]
    for cluster, share in zip(cluster_costs(EXAMPLE, wide), table.score, strict=True):
        shapes += _cluster(cluster, float(share), bool(share == placed.score))
    here = _across(1e6 * millions)
    shapes += [Line([(here, 134), (here, _ROW + 27)], 2, head=True), Text("new", here, 143)]
    shapes.append(Line([(_across(150e6), 158), (_across(8e6), 158)]))
    for tick in _TICKS:
        x = _across(1e6 * tick)
        shapes += [Line([(x, 158), (x, 162)]), Text(number(float(tick)), x, 171)]
    shapes.append(Text("cost (million instructions), fast to the right", 182, 188))
    says = (
        f"A program of {millions:g} million instructions scores {placed.score:.0f}, "
        f"normalised {placed.normalised:.0f}; the references form {table.cost.size} clusters."
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
    for place, cost in enumerate(costs):
        y = _ROW - 15 + 30 * (place + 0.5) / costs.size
        shapes.append(Circle(_across(cost), y, 4, "", 1, "solid"))
    return shapes
