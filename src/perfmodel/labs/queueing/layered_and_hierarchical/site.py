"""A shop on the web in three layers, and the limits that can be read off its threads.

Web threads call the application, whose threads call the database; who calls waits with the thread
in its hand. The figures are made up, of an order that such services have.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from perfmodel.queueing import ServerLayer
from perfmodel.validation import Floats, non_negative, whole

CLIENTS, THINK_TIME = 40, 0.4
"""Clients, and the seconds that each spends between two requests."""


def web_site(threads: int = 2, processors: int = 4) -> list[ServerLayer]:
    """Return the three layers of the shop, web, application and database, from the top down.

    >>> [layer.threads for layer in web_site(threads=8)]
    [40, 8, 4]
    """
    return [
        ServerLayer("web", service_time=0.004, threads=CLIENTS, processors=2, calls=1),
        ServerLayer("application", 0.02, threads=threads, processors=processors, calls=3),
        ServerLayer("database", 0.01, threads=4, processors=2),
    ]


def holding_times(layers: Sequence[ServerLayer]) -> Floats:
    """Return the seconds that a request holds a thread of each layer if it never waits.

    H_i = S_i + y_i H_(i+1) for own time S_i and y_i calls to the layer below, from the top down.

    >>> print(holding_times(web_site()).round(3))
    [0.054 0.05  0.01 ]
    """
    held = [0.0]
    for layer in reversed(layers):
        held.append(layer.service_time + layer.calls * held[-1])
    return np.array(held[:0:-1])


def layer_limits(
    layers: Sequence[ServerLayer], population: int, think_time: float
) -> dict[str, float]:
    """Return what each resource allows at most, in clients' requests a second.

    Resources are the clients, each layer's threads and each layer's processors.

    >>> limits = layer_limits(web_site(), 40, 0.4)
    >>> round(limits["threads of application"], 1), round(limits["processors of database"], 1)
    (40.0, 66.7)
    """
    clients, think = whole("population", population, low=1), non_negative("think_time", think_time)
    held = holding_times(layers)
    limits = {"clients": float(clients / (think + held[0]))}
    requests = 1.0
    for layer, seconds in zip(layers, held, strict=True):
        limits[f"threads of {layer.name}"] = float(layer.threads / (requests * seconds))
        limits[f"processors of {layer.name}"] = layer.processors / (requests * layer.service_time)
        requests *= layer.calls
    return limits
