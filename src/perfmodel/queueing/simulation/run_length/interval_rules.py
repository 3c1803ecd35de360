"""Which intervals a run goes without, and how long it must be to get them.

The laws of the network decide first (see `relaxation`), then how many independent values each
measure looks worth, and last whether what is rare was seen at all.

>>> from perfmodel.queueing.network.model import JobClass, Network, Station
>>> from perfmodel.queueing.simulation.simulate import simulate
>>> web = Network([Station("web")], [JobClass("users", arrival_rate=0.9)], [1.0])
>>> simulate(web, 1000, progress=False).customers_needed["response_time"]
66000.0
"""

from __future__ import annotations

from typing import Any

import numpy as np

from perfmodel.queueing.network.model import Network
from perfmodel.queueing.simulation.options import Options
from perfmodel.queueing.simulation.run_length.relaxation import relaxation_visits, sampling_visits
from perfmodel.queueing.simulation.statistics import BATCHES, ENOUGH, Estimate
from perfmodel.validation import Floats

RELAXATIONS = 200
"""Relaxation times of its busiest queue that a run must last for an interval of mean delays."""
TAIL = BATCHES
"""Relaxation times that the part of a run beyond a percentile must be worth, one a batch."""
OF_FLOWS = BATCHES
"""Relaxation times that a run must last for an interval of work or jobs done, one a batch: they are
the arrivals minus the queue's growth, which is small in such a long batch."""
OF_DELAY = ("residence_time", "station_response_time", "waiting_time", "queue_length")


def drop_intervals(
    network: Network,
    options: Options,
    estimates: dict[str, Estimate],
    levels: Floats,
    span: float,
    customers: int,
) -> dict[str, float]:
    """Take intervals away from `estimates`, and return about how many customers each one takes.

    `estimates`: all measures of a run by name; changed in place. `levels`: of the percentiles,
    between 0 and 1. `span`: seconds after the warm-up. `customers`: of the run. The customers are
    by measure, to two digits, only of measures that lack an interval; infinite where the run saw
    nothing to tell it by.
    """
    for name, lost in _never_lost(network, options, estimates).items():
        estimates[name] = estimates[name].without_interval(lost)
    longer = _times_longer(network, options, estimates, levels, span)
    needed = {}
    for name, given in estimates.items():
        times = np.broadcast_to(longer.get(name, 0.0), given.value.shape)
        kept = estimates[name] = given.without_interval(times > 1)
        if kept.too_short.any():
            needed[name] = float(f"{customers * _most(given, times):.2g}")
    return needed


def _most(given: Estimate, times: Floats) -> float:
    """Return by how much a run must be longer for all of an estimate that have no interval."""
    worth = np.where(
        given.too_short, np.broadcast_to(given.effective_size, given.value.shape), np.inf
    )
    least = float(worth.min())
    return max(float(times.max()), ENOUGH / least if least > 0 else np.inf)


def _times_longer(
    network: Network,
    options: Options,
    estimates: dict[str, Estimate],
    levels: Floats,
    span: float,
) -> dict[str, Any]:
    """Return by measure how many times as long a run the laws ask for."""
    rates = estimates["station_throughput"].value
    seen = np.maximum(rates.sum(axis=0) * span, 1e-300)
    relaxation = relaxation_visits(network, options, rates) / seen
    sizes, work = (sampling_visits(network, rates, square) / seen for square in (True, False))
    visits, closed = rates > 0, ~network.is_open[:, None]
    in_cycle = (visits & closed) * work.max()
    flows = visits * OF_FLOWS * relaxation + in_cycle
    delays = visits * np.maximum(RELAXATIONS * relaxation, sizes) + in_cycle
    tail = np.maximum(RELAXATIONS, TAIL / np.maximum(1 - levels, 1e-12))
    tails = visits[..., None] * np.maximum(relaxation[:, None] * tail, sizes[:, None])
    tails = tails + in_cycle[..., None]
    return {
        **dict.fromkeys(OF_DELAY, delays),
        **dict.fromkeys(("response_time", "jobs"), delays.max(axis=1)),
        "station_percentiles": tails,
        "response_percentiles": tails.max(axis=1),
        "utilization": np.maximum(flows, visits * work + in_cycle),
        "station_throughput": flows,
        "throughput": flows.max(axis=1),
    }


def _never_lost(
    network: Network, options: Options, estimates: dict[str, Estimate]
) -> dict[str, np.ndarray]:
    """Return where a run saw no loss or blocking that is possible: that it is 0 is not known."""
    population = np.where(network.is_open[:, None], np.inf, network.population[:, None])
    most = np.where(options.visits(network) > 0, population, 0.0).sum(axis=0)
    fills = most > np.array([s.capacity for s in network.stations])
    loses = fills & (network.is_open.any() | (options.when_full == "lose"))
    lost, blocked = estimates["station_loss_probability"].value, estimates["blocked"].value
    passed = (options.visits(network) > 0) & loses
    return {
        "station_loss_probability": passed & (lost == 0),
        "loss_probability": passed.any(axis=1) & (estimates["loss_probability"].value == 0),
        "blocked": (blocked == 0) & (options.when_full == "block") & fills.any(),
    }
