"""Placement in an edge cluster, and the number of applications served in time.

Source: Q. Liang, W. A. Hanafy, A. Ali-Eldin, P. Shenoy, "Model-driven Cluster Resource Management
for AI Workloads in Edge Clouds", ACM TAAS 18(1), 2023, and the published code. The accelerator is
in `shared_accelerator`, the node in `node`, the paper's inputs in `inputs`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Literal, get_args

import numpy as np

from perfmodel.labs.queueing.edge_cluster.inputs import EDGE_TPU
from perfmodel.labs.queueing.edge_cluster.node import (
    TPU_NODE,
    UTILIZATION_LIMIT,
    Application,
    Node,
    admission,
)
from perfmodel.validation import one_of, whole

Policy = Literal["depth-first", "breadth-first", "utilization", "inference only"]


def demand(count: int, seed: int = 1, patience: float = 6.0) -> list[Application]:
    """Return a made-up demand for a cluster: applications with networks, rates and limits drawn.

    The network is one of the nine of `EDGE_TPU`, with 1 to 5 requests per second; an application's
    limit is `patience` times the seconds of an undisturbed request. The ranges are assumed, not the
    paper's.

    >>> [app.network.name for app in demand(2)]
    ['mobilenet_v2', 'mobilenet_v2']
    """
    rng = np.random.default_rng(seed)
    networks = list(EDGE_TPU.values())
    applications = []
    for _ in range(whole("count", count, low=1)):
        network = networks[rng.integers(len(networks))]
        alone = network.service_time + TPU_NODE.cpu_time + TPU_NODE.network_delay
        applications.append(Application(network, float(rng.uniform(1, 5)), patience * alone))
    return applications


def place(
    applications: Sequence[Application], nodes: int, node: Node, policy: Policy
) -> list[list[Application]]:
    """Return what each node of a cluster gets when applications come one by one.

    An application that fits nowhere is refused. "depth-first" takes the first node whose
    `admission` breaks no rule. "breadth-first" takes, among those nodes, one that has the network
    already, otherwise the least utilized. "utilization" takes the first node that inferences and
    reloads keep busy for at most 80 %. "inference only" does the same without reloads.

    >>> app = Application(EDGE_TPU["mobilenet_v1"], 10.0, 0.1)
    >>> [len(node) for node in place([app] * 3, 2, TPU_NODE, "depth-first")]
    [3, 0]
    """
    one_of("policy", policy, get_args(Policy))
    cluster: list[list[Application]] = [[] for _ in range(whole("nodes", nodes, low=1))]
    for app in applications:
        fits = (placed for placed in cluster if _fits(node, [*placed, app], policy))
        if policy == "breadth-first":
            chosen = min(fits, key=partial(_breadth, node, app), default=None)
        else:
            chosen = next(fits, None)
        if chosen is not None:
            chosen.append(app)
    return cluster


def in_time(node: Node, placed: Sequence[Sequence[Application]]) -> int:
    """Return how many applications of a placement stay below their limits, by the model."""
    met = 0
    for there in placed:
        if there:
            limits = [app.response_limit for app in there]
            met += int((admission(node, there).response_time < limits).sum())
    return met


def _breadth(node: Node, app: Application, there: Sequence[Application]) -> tuple[bool, float]:
    known = any(other.network.name == app.network.name for other in there)
    return not known, admission(node, there).utilization if there else 0.0


def _fits(node: Node, applications: Sequence[Application], policy: Policy) -> bool:
    if policy == "inference only":
        load = sum(app.arrival_rate * app.network.service_time for app in applications)
        return load <= UTILIZATION_LIMIT
    checked = admission(node, applications)
    within = checked.utilization <= UTILIZATION_LIMIT
    return within if policy == "utilization" else checked.admitted
