"""Flows over shared links as a fluid: each has its max-min fair rate until one comes or goes.

A thousand hosts send each other files. Nobody follows their packets here: between two events every
rate is constant, so that the next end is known, and only there are rates computed again.

Source: H. Casanova, "Simgrid: a toolkit for the simulation of application scheduling", CCGrid 2001,
for rates shared between events; the local update is this project's own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.communication.shared_links.fluid_state import Network, clock_of, link_state
from perfmodel.communication.shared_links.max_min import Routes
from perfmodel.validation import Floats, finite, positive


@dataclass(frozen=True, eq=False)
class FlowTimes:
    """When flows came and ended, shape (flows,) each, and what their links carried."""

    arrivals: Floats
    """Seconds."""
    times: Floats
    """Seconds from each flow's arrival to its end."""
    unshared_times: Floats
    """Seconds that each flow would take with nobody else on its links."""
    carried: Floats
    """Bytes that crossed each link, shape (links,)."""
    capacities: Floats
    """Bytes a second of each link, shape (links,)."""
    rate_changes: int
    """Rates that were computed in all: the work that was done."""
    makespan: float
    """Seconds from the first arrival to the last end."""

    @property
    def ends(self) -> Floats:
        """Seconds, by the clock of the arrivals."""
        return self.arrivals + self.times

    @property
    def slowdowns(self) -> Floats:
        """Times over those alone, 1 or more."""
        return self.times / self.unshared_times

    @property
    def utilizations(self) -> Floats:
        """Share of the makespan's capacity that was used of each link, shape (links,)."""
        return self.carried / (self.capacities * self.makespan)


def simulate_flows(
    routes: Routes | Iterable[Sequence[int]],
    capacities: ArrayLike,
    sizes: ArrayLike,
    arrivals: ArrayLike = 0.0,
) -> FlowTimes:
    """Let flows come, share links max-min fairly, and end when their bytes are through.

    Parameters
    ----------
    routes : Routes or iterable of sequences of int
        The links that each flow crosses, none twice.
    capacities : array_like, shape (links,)
        Bytes a second of each link, above 0.
    sizes : array_like, shape (flows,) or one number
        Bytes to send, above 0.
    arrivals : array_like, shape (flows,) or one number
        Seconds, in any order.

    Raises
    ------
    ValueError
        If a shape does not fit, or a flow crosses no link, an unknown one, or one twice.

    Examples
    --------
    Two flows of 10 bytes on one link of 1 byte/s, the second 5 s later. They share after this time:

    >>> simulate_flows([[0], [0]], [1.0], 10.0, [0.0, 5.0]).ends
    array([15., 20.])
    """
    room = np.atleast_1d(positive("capacities", capacities))
    paths = routes if isinstance(routes, Routes) else Routes.of(routes)
    paths.check(room.size)
    amounts = _each("sizes", positive("sizes", sizes), paths.flows)
    came = _each("arrivals", finite("arrivals", arrivals), paths.flows)
    from perfmodel.communication.shared_links.max_min_update import run

    network, order = Network(room, paths.starts, paths.links, paths.owners), np.argsort(came)
    since = came - came.min()
    ends = np.empty(paths.flows)
    changes = run(network, link_state(network), clock_of(amounts), since, order, ends)
    tightest = np.minimum.reduceat(room[paths.links], paths.starts[:-1])
    carried = paths.loads(amounts, room.size)
    times, makespan = ends - since, float(ends.max())
    return FlowTimes(came, times, amounts / tightest, carried, room, int(changes), makespan)


def _each(name: str, values: Floats, flows: int) -> Floats:
    """Return one value for each flow, contiguous."""
    if values.ndim and values.shape != (flows,):
        raise ValueError(f"{name} must be one number or have shape ({flows},), got {values.shape}")
    return np.array(np.broadcast_to(values, (flows,)), dtype=np.float64)
