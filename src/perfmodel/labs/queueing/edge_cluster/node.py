"""A node of an edge cluster, and whether these applications may share it.

A request is preprocessed on a core, waits for the accelerator, and crosses the network both ways;
the node admits a set of applications only if all of them meet their limits by the model.

Source: Q. Liang, W. A. Hanafy, A. Ali-Eldin, P. Shenoy, "Model-driven Cluster Resource Management
for AI Workloads in Edge Clouds", ACM TAAS 18(1), 2023, and the published code; formulas of the
accelerator in `shared_accelerator`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.labs.queueing.edge_cluster.inputs import NeuralNetwork
from perfmodel.labs.queueing.edge_cluster.shared_accelerator import fcfs_with_switching
from perfmodel.queueing.station.result import stable
from perfmodel.validation import Floats, positive, whole

UTILIZATION_LIMIT = 0.8
"""Largest utilization of the accelerator, and largest fraction of memory in use."""
RATE_LIMIT = 0.8
"""Largest mean number of requests of one application in progress."""


@dataclass(frozen=True)
class Node:
    """A small machine with one accelerator, whose requests are served in order of arrival."""

    cpu_time: float
    """Core-seconds of preprocessing a request; each application has a core of its own."""
    network_delay: float = 0.010
    """Seconds."""
    memory: float = math.inf
    """Bytes for networks' weights."""


TPU_NODE = Node(cpu_time=0.020)


@dataclass(frozen=True)
class Application:
    """A stream of requests for one network, and the mean response time that it may take."""

    network: NeuralNetwork
    arrival_rate: float
    """Requests per second."""
    response_limit: float
    """Seconds, from the request to its answer."""

    def __post_init__(self) -> None:
        positive("arrival_rate", self.arrival_rate)
        positive("response_limit", self.response_limit)


@dataclass(frozen=True)
class Admission:
    """Prediction for a set of applications on one node."""

    utilization: float
    """Of the accelerator; may be 1 or more."""
    response_time: Floats
    """Mean seconds of each application, infinite where the queue has no steady state."""
    reasons: tuple[str, ...]
    """Which rules are broken; none for a set that is admitted."""

    @property
    def admitted(self) -> bool:
        """Whether no rule is broken."""
        return not self.reasons


def cpu_stage(arrival_rate: ArrayLike, service_time: ArrayLike, cores: int = 1) -> Floats:
    """Return the mean seconds of preprocessing on shared cores, as the authors' code has it.

    It is (c / lambda) rho / (1 - rho), as for c separate cores with equal parts of the requests.
    Rates are in requests per second, and `service_time` is core-seconds of each.

    >>> print(cpu_stage(10, 0.02).round(6))
    0.025
    """
    rate, time = positive("arrival_rate", arrival_rate), positive("service_time", service_time)
    count = whole("cores", cores, low=1)
    load = stable(rate * time / count)
    return np.asarray(count / rate * load / (1 - load))


def admission(node: Node, applications: Sequence[Application]) -> Admission:
    """Return the queueing model's prediction for applications that share a node.

    Response times are processor, accelerator and network delay; applications with the same network
    share its weights. The rules: utilization and memory at most 80 %, every response time below its
    limit, and at most 0.8 requests of an application under way.

    >>> from perfmodel.labs.queueing.edge_cluster.inputs import EDGE_TPU
    >>> mobile = Application(EDGE_TPU["mobilenet_v2"], arrival_rate=8, response_limit=1)
    >>> print(admission(TPU_NODE, [mobile]).response_time.round(4))
    [0.0388]
    """
    if not applications:
        raise ValueError("applications must be one or more, got none")
    rate = np.array([app.arrival_rate for app in applications])
    load, accelerator = _accelerator(node, applications, rate)
    cpu = np.full(rate.shape, np.inf)
    free = rate * node.cpu_time < 1
    cpu[free] = cpu_stage(rate[free], node.cpu_time)
    response = accelerator + cpu + node.network_delay
    return Admission(load, response, _broken(node, applications, rate, load, response))


def _accelerator(
    node: Node, applications: Sequence[Application], rate: Floats
) -> tuple[float, Floats]:
    """Return utilization and response times; applications of one network count as one there."""
    names = [app.network.name for app in applications]
    networks = list({app.network.name: app.network for app in applications}.values())
    index = np.array([[n.name for n in networks].index(name) for name in names])
    total = np.bincount(index, rate)
    time = np.array([n.service_time for n in networks])
    reload = np.array([n.switch_overhead for n in networks])
    load = float(total @ (time + (1 - total / total.sum()) * reload))
    if load >= 1:
        return load, np.full(rate.shape, np.inf)
    shared = fcfs_with_switching(total, time, reload)
    return load, shared.response_time[index]


def _broken(
    node: Node, applications: Sequence[Application], rate: Floats, load: float, response: Floats
) -> tuple[str, ...]:
    reasons = []
    if load > UTILIZATION_LIMIT:
        reasons.append(f"utilization {load:.3f} is above {UTILIZATION_LIMIT}")
    if node.memory < math.inf:
        memory = {app.network.name: app.network.memory for app in applications}
        occupied = float(positive("memory", list(memory.values())).sum()) / node.memory
        if occupied > UTILIZATION_LIMIT:
            reasons.append(f"memory is taken to {occupied:.3f}, above {UTILIZATION_LIMIT}")
    for app, time in zip(applications, response, strict=True):
        if time >= app.response_limit:
            reasons.append(
                f"{app.network.name} takes {time:.4g} s, not below {app.response_limit:g} s"
            )
    if (rate * response > RATE_LIMIT).any():
        worst = applications[int(np.argmax(rate * response))].network.name
        reasons.append(f"{worst} has more than {RATE_LIMIT} requests under way")
    return tuple(reasons)
