"""A made-up shop on the web in three layers, the limits of its threads, and a drawing of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from perfmodel.live.drawing import Box, Line, Scene, Shape, Text
from perfmodel.queueing import ServerLayer, exact_layers
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
    holding = [0.0]
    for layer in reversed(layers):
        holding.append(layer.service_time + layer.calls * holding[-1])
    return np.array(holding[:0:-1])


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
    holding = holding_times(layers)
    limits = {"clients": float(clients / (think + holding[0]))}
    requests = 1.0
    for layer, seconds in zip(layers, holding, strict=True):
        limits[f"threads of {layer.name}"] = float(layer.threads / (requests * seconds))
        limits[f"processors of {layer.name}"] = layer.processors / (requests * layer.service_time)
        requests *= layer.calls
    return limits


_LEFT, _WIDTH, _STEP = 16.0, 328.0, 84.0


def thread_bars(threads: int, processors: int = 4) -> Scene:
    """Draw the three layers of the shop, with mean figures from the Markov chain.

    >>> thread_bars(2).says
    'With 2 application threads the shop answers 40.0 requests a second. The database is 60 % busy.'
    """
    layers = web_site(threads, processors)
    exact = exact_layers(layers, CLIENTS, THINK_TIME)
    shapes: list[Shape] = []
    for i, layer in enumerate(layers):
        threads_busy, busy = float(exact.threads_busy[i]), float(exact.utilization[i])
        top = 10 + _STEP * i
        words = (
            f"{layer.name}: {threads_busy:.1f} of {layer.threads} threads, CPU {100 * busy:.0f} %"
        )
        full = threads_busy > 0.9 * layer.threads
        shapes += [
            Text(words, _LEFT, top + 6, anchor="start", bold=full),
            Box(_LEFT, top + 18, _WIDTH, 18, fill="none"),
            Box(
                _LEFT, top + 18, _WIDTH * threads_busy / layer.threads, 18, colour=2 if full else 1
            ),
            Box(_LEFT, top + 40, _WIDTH, 10, fill="none"),
            Box(_LEFT, top + 40, _WIDTH * busy, 10, colour=3, fill="solid"),
        ]
        if layer.calls:
            shapes.append(Line([(180, top + 52), (180, top + _STEP - 6)], head=True))
    rate = float(exact.throughput)
    base = 100 * float(exact.utilization[2])
    says = (
        f"With {threads} application threads the shop answers {rate:.1f} requests a second. The "
        f"database is {base:.0f} % busy."
    )
    values = {"throughput (1/s)": rate, "database busy (%)": base}
    return Scene(240, shapes, says, values)
