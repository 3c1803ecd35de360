"""An edge cluster: where the next application goes, and how many are served in time.

Take a ferry that is safe up to a load line. One purser fills by weight alone; another also asks how
long each passenger will wait at the single exit, and turns some away. The second is Ibis: it admits
an application to a node only if a queueing model says that everyone there stays in time.

Source: Q. Liang, W. A. Hanafy, A. Ali-Eldin, P. Shenoy, "Model-driven Cluster Resource Management
for AI Workloads in Edge Clouds", ACM TAAS 18(1), 2023, and the published code. The accelerator is
in `shared_accelerator`, the node in `edge_node`, the paper's inputs in `edge_measured`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Literal, get_args

import numpy as np

from perfmodel.labs.queueing.edge_cluster.inputs import (
    EDGE_TPU,
    FCFS_AT_ONCE,
    GPU_RATES,
    MIXTURES,
    PS_AT_ONCE,
    AtOnce,
)
from perfmodel.labs.queueing.edge_cluster.node import (
    TPU_NODE,
    UTILIZATION_LIMIT,
    Application,
    Node,
    admission,
)
from perfmodel.labs.queueing.edge_cluster.shared_accelerator import (
    Shared,
    at_once,
    fcfs_with_switching,
    sharing_with_mean_wait,
)
from perfmodel.ledger import Claim, Trend, half_unit
from perfmodel.validation import whole

Policy = Literal["depth-first", "breadth-first", "utilization", "inference only"]


def demand(count: int, seed: int = 1, patience: float = 6.0) -> list[Application]:
    """Return a made-up demand for a cluster: applications with networks, rates and limits drawn.

    Parameters
    ----------
    count : int
        Applications, in the order of their arrival.
    seed : int
    patience : float
        Limit of an application over the time of its request when nobody delays it, above 0.

    Returns
    -------
    list of Application
        The network is one of the nine of `EDGE_TPU`, with 1 to 5 requests per second; the ranges
        are ours, not the paper's.

    Raises
    ------
    ValueError
        If `count` is not whole and 1 or more, or `patience` not above 0.

    Examples
    --------
    >>> [app.network.name for app in demand(2)]
    ['mobilenet_v2', 'mobilenet_v2']
    """
    rng = np.random.default_rng(seed)
    networks = list(EDGE_TPU.values())
    made = []
    for _ in range(whole("count", count, low=1)):
        network = networks[rng.integers(len(networks))]
        alone = network.service_time + TPU_NODE.cpu_time + TPU_NODE.network_delay
        made.append(Application(network, float(rng.uniform(1, 5)), patience * alone))
    return made


def place(
    applications: Sequence[Application], nodes: int, node: Node, policy: Policy
) -> list[list[Application]]:
    """Return what each node of a cluster gets when applications come one by one.

    Parameters
    ----------
    applications : sequence of Application
        In the order of their arrival; one that fits nowhere is turned away.
    nodes : int
        Of the same kind.
    node : Node
    policy : str
        "depth-first" takes the first node whose `admission` breaks no rule; "breadth-first" a node
        that has the network already, or else the least utilized one; "utilization only" the first
        node whose inferences alone keep it busy for at most 80 %: no switching, no queueing.

    Returns
    -------
    list of list of Application
        One list a node.

    Raises
    ------
    ValueError
        If the policy is unknown or `nodes` is not whole and 1 or more.

    Examples
    --------
    >>> app = Application(EDGE_TPU["mobilenet_v1"], 10.0, 0.1)
    >>> [len(node) for node in place([app] * 3, 2, TPU_NODE, "depth-first")]
    [3, 0]
    """
    if policy not in get_args(Policy):
        raise ValueError(f"policy must be one of {', '.join(get_args(Policy))}, got {policy!r}")
    held: list[list[Application]] = [[] for _ in range(whole("nodes", nodes, low=1))]
    for app in applications:
        fits = (there for there in held if _fits(node, [*there, app], policy))
        if policy == "breadth-first":
            chosen = min(fits, key=partial(_breadth, node, app), default=None)
        else:
            chosen = next(fits, None)
        if chosen is not None:
            chosen.append(app)
    return held


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
    found = admission(node, applications)
    return found.utilization <= UTILIZATION_LIMIT if policy == "utilization" else found.admitted


def claims() -> list[Claim]:
    """Return the ledger entries: cells of the validation, errors, requests at once, placement."""
    return [*_cells(), *_errors(), *_together(), *_gpu_example(), _placement()]


PREDICTED_MS = {
    "A": ("152.9 14.4", "163.4 26.1", "177.7 41.4", "197.8 62.4", "228.1 93.6"),
    "B": ("87.2 30.5", "92.7 40.7", "100.8 52.5", "113.0 67.7", "132.1 89.2"),
    "C": (
        "96.4 115.8 181.7",
        "107.4 131.7 196.7",
        "123.9 151.1 215.6",
        "149.3 178.6 242.7",
        "192.6 223.4 287.3",
    ),
}
"""Mean responses by mixture and rate, worked out apart from this package."""

_made = partial(Claim, "edge_cluster")


def _cells() -> list[Claim]:
    return [
        _made(
            f"mixture {name}, rate {step + 1} of 5: mean response of {network}",
            "recomputed",
            float(ms) / 1000,
            "s",
            "worked out from the formulas and inputs of the published code",
            partial(_predicted, name, step, place),
            derived=True,
            absolute=0.00005,
        )
        for name, rows in PREDICTED_MS.items()
        for step, row in enumerate(rows)
        for place, (network, ms) in enumerate(
            zip(MIXTURES[name].networks, row.split(), strict=True)
        )
    ]


def _predicted(name: str, step: int, place: int) -> float:
    return float(_solved(name).response_time[step, place])


def _solved(name: str) -> Shared:
    mixture = MIXTURES[name]
    return fcfs_with_switching(mixture.arrival_rate, mixture.service_time, mixture.switch_overhead)


def _errors() -> list[Claim]:
    return [
        _made(
            f"mixture {name}: mean absolute error of the formula over its cells",
            "recomputed",
            float(printed),
            "1",
            "aggregated from the authors' traces (umassos/ibis, queueing_validation)",
            partial(_error, name),
            derived=True,
            absolute=half_unit(printed),
        )
        for name, printed in (("A", "0.063"), ("B", "0.039"), ("C", "0.020"))
    ]


def _error(name: str) -> float:
    return float(np.abs(_solved(name).response_time / MIXTURES[name].response_time - 1).mean())


def _together() -> list[Claim]:
    return [
        _made(
            f"{order}, {len(sent.networks)} requests at once: {network} is done after",
            "recomputed",
            float(sent.together[place]),
            "s",
            f"authors' data, {sent.file}, mean of 100 runs",
            partial(_done, sent, order, place),
            tolerance=0.02,
        )
        for sent, order in ((FCFS_AT_ONCE, "FCFS"), (PS_AT_ONCE, "PS"))
        for place, network in enumerate(sent.networks)
    ]


def _done(sent: AtOnce, order: str, place: int) -> float:
    return float(at_once(sent.alone, order)[place])


def _gpu_example() -> list[Claim]:
    hand = "worked out from equations 6 and 7 for the paper's GPU workload"
    means = [
        _made(
            f"GPU, four networks at 10 1/s each: response at the accelerator, {what}",
            "recomputed",
            float(printed),
            "s",
            hand,
            partial(_gpu_response, chosen),
            derived=True,
            absolute=half_unit(printed),
        )
        for what, chosen, printed in (
            ("mean", slice(None), "0.0699"),
            ("resnet50", slice(3, 4), "0.0809"),
        )
    ]
    said = "at 11 1/s each above 80 % utilization, so refused; at 10 1/s each below it"
    full = "GPU, four networks: rule of utilization"
    return [*means, _made(full, "trend", said, "", hand, _refused, derived=True)]


def _gpu_response(chosen: slice) -> float:
    return float(_gpu(10).response_time[chosen].mean())


def _gpu(rate: float) -> Shared:
    return sharing_with_mean_wait(rate, [1 / speed for speed in GPU_RATES.values()])


def _refused() -> Trend:
    low, high = (float(_gpu(rate).utilization) for rate in (10, 11))
    return Trend(low <= UTILIZATION_LIMIT < high, f"{low:.3f} at 10 1/s, {high:.3f} at 11 1/s")


def _placement() -> Claim:
    return _made(
        "applications in time, placed breadth-first by the model over placed by utilization",
        "same-method",
        2.3,
        "1",
        "abstract: up to, against a knapsack placement, with the authors' workloads; ours made up",
        _gain,
        bounds=(1.1, math.inf),
    )


def _gain() -> float:
    def met(policy: Policy) -> int:
        placed = (place(demand(40, seed), 4, TPU_NODE, policy) for seed in (1, 2, 3))
        return sum(in_time(TPU_NODE, nodes) for nodes in placed)

    return met("breadth-first") / met("utilization")
