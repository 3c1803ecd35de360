"""A node with an accelerator, simulated request by request: who of its applications is in time.

A request is preprocessed on its application's own core, waits for the accelerator, which reloads
weights whenever the network changes, and crosses the network. Nothing of the queueing formulas is
used here: this is what a rule of admission is held against.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from perfmodel.labs.queueing.edge_cluster.node import TPU_NODE, Application
from perfmodel.validation import Floats, whole

Arrivals = Literal["Poisson", "bursts"]
BURST = 4
"""Requests that come together, on average, where they come in bursts."""
REQUESTS = 20_000
_WARM_UP = 0.1


class Outcome(NamedTuple):
    """What a set of applications got on a node."""

    response_time: Floats
    """Mean seconds of each application."""
    in_time: int
    """Applications whose mean is below their limit."""
    late: int
    """The others."""


def leave_in_turn(arrivals: Floats, services: Floats) -> Floats:
    """Return when each job leaves a server that takes them first come, first served, in seconds.

    >>> leave_in_turn(np.array([0.0, 1.0, 9.0]), np.array([3.0, 3.0, 1.0])).tolist()
    [3.0, 6.0, 10.0]
    """
    done = np.cumsum(services)
    return done + np.maximum.accumulate(arrivals - (done - services))


def simulate(
    applications: Sequence[Application],
    arrivals: Arrivals = "Poisson",
    requests: int = REQUESTS,
    seed: int = 0,
) -> Outcome:
    """Let applications share a node of the kind `TPU_NODE` and see who is in time.

    Arrivals are single requests ('Poisson'), or groups of a geometric number with a mean of `BURST`
    ('bursts'), at the same rates; about `requests` in all, of which the first tenth of the time is
    left out. An application without a request after the warm-up counts as in time, with its time
    alone.
    """
    if arrivals not in ("Poisson", "bursts"):
        raise ValueError(f"arrivals must be 'Poisson' or 'bursts', got {arrivals!r}")
    count, rng = whole("requests", requests, 1000), np.random.default_rng(seed)
    if not applications:
        return Outcome(np.empty(0), 0, 0)
    horizon = count / sum(app.arrival_rate for app in applications)
    came, ready, network = [], [], []
    names = list(dict.fromkeys(app.network.name for app in applications))
    for app in applications:
        start = _instants(rng, app.arrival_rate, horizon, arrivals)
        came.append(start)
        ready.append(leave_in_turn(start, rng.exponential(TPU_NODE.cpu_time, start.size)))
        network.append(np.full(start.size, names.index(app.network.name)))
    owner = np.repeat(np.arange(len(applications)), [some.size for some in came])
    order = np.argsort(np.concatenate(ready), kind="stable")
    instants, index, owner = (
        np.concatenate(ready)[order],
        np.concatenate(network)[order],
        owner[order],
    )
    time, reload = _by_network(applications, names)
    changed = np.append(True, index[1:] != index[:-1])
    done = leave_in_turn(instants, time[index] + changed * reload[index])
    begun = np.concatenate(came)[order]
    late_enough = begun > _WARM_UP * horizon
    taken = (done - begun + TPU_NODE.network_delay)[late_enough]
    owner = owner[late_enough]
    times = np.bincount(owner, taken, len(applications))
    many = np.bincount(owner, minlength=len(applications))
    alone = np.array([alone_time(app) for app in applications])
    mean = np.where(many > 0, times / np.maximum(many, 1), alone)
    below = int((mean < [app.response_limit for app in applications]).sum())
    return Outcome(mean, below, len(applications) - below)


def alone_time(application: Application) -> float:
    """Return the seconds of a request when nobody delays it."""
    return application.network.service_time + TPU_NODE.cpu_time + TPU_NODE.network_delay


def _by_network(applications: Sequence[Application], names: list[str]) -> tuple[Floats, Floats]:
    known = {app.network.name: app.network for app in applications}
    networks = [known[name] for name in names]
    return (
        np.array([network.service_time for network in networks]),
        np.array([network.switch_overhead for network in networks]),
    )


def _instants(rng: np.random.Generator, rate: float, horizon: float, arrivals: Arrivals) -> Floats:
    groups = rate / BURST if arrivals == "bursts" else rate
    instants = np.sort(rng.uniform(0, horizon, rng.poisson(groups * horizon)))
    if arrivals == "bursts":
        instants = np.repeat(instants, rng.geometric(1 / BURST, instants.size))
    return instants
