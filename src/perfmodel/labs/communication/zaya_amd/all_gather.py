"""Collectives of a group of GPUs: over a link for each pair, over a switch, and over rails."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.communication import (
    collective_cost,
    full_mesh,
    hierarchical_cost,
    simulate_flows,
    single_switch,
)
from perfmodel.labs.communication.zaya_amd.mixture import GPUS, LATENCY, LINK, RAIL
from perfmodel.validation import Floats, non_negative, one_of, whole

KINDS = ("mesh", "switch")


def gather_time(kind: str, gpus: int, size: ArrayLike, latency: float = LATENCY) -> Floats:
    """Return the seconds of an all-gather in which every GPU sends its part to all others at once.

    There is a link for each pair, or one switch; a GPU's link to the switch is as fast as its seven
    links of the mesh together. Each GPU ends with `size` bytes; `latency` seconds pass before
    anything moves.

    >>> [round(1e3 * float(gather_time("mesh", n, 1e9, 0)), 3) for n in (2, 8)]
    [10.0, 2.5]
    """
    bytes_, wait = non_negative("size", size), float(non_negative("latency", latency))
    one_of("kind", kind, KINDS)
    whole("gpus", gpus, 2, GPUS)
    part = bytes_ / gpus
    moved = part / LINK if kind == "mesh" else (gpus - 1) * part / ((GPUS - 1) * LINK)
    return np.asarray(wait + moved)


def gather_by_flows(kind: str, gpus: int, size: float) -> float:
    """Return the seconds of the same all-gather as flows that share the links of a whole node.

    >>> round(1e3 * gather_by_flows("mesh", 8, 1e9), 3)
    2.5
    """
    node = full_mesh(GPUS, LINK) if kind == "mesh" else single_switch(GPUS, (GPUS - 1) * LINK)
    pairs = [(a, b) for a in range(gpus) for b in range(gpus) if a != b]
    sources, targets = zip(*pairs, strict=True)
    routes = node.routes(sources, targets)
    return simulate_flows(routes, node.capacities, size / gpus).makespan


def flat_time(gpus: int, size: float) -> float:
    """Return the seconds of an all-reduce in one ring through all GPUs, node by node.

    Every round waits for the step from one node to the next, over one rail.
    """
    return collective_cost("all-reduce", "ring", gpus, size).time(LATENCY, RAIL)


def rail_time(gpus: int, size: float) -> float:
    """Return the seconds of an all-reduce that adds up inside nodes first.

    Inside a node, over the mesh, twice an all-gather's time; between nodes a ring on every rail at
    once, each with an eighth of the sum.

    >>> round(rail_time(1024, 1e9) / flat_time(1024, 1e9), 3)
    0.207
    """
    between = hierarchical_cost(gpus, GPUS, size).inter_node
    return 2 * float(gather_time("mesh", GPUS, size)) + between.time(LATENCY, RAIL)
