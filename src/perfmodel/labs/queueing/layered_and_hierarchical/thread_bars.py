"""Which threads of a layered service are held, and how busy the processors under them are."""

from __future__ import annotations

from perfmodel.labs.queueing.layered_and_hierarchical.site import CLIENTS, THINK_TIME, web_site
from perfmodel.live.drawing import Box, Line, Scene, Shape, Text
from perfmodel.queueing import exact_layers

_LEFT, _WIDTH, _STEP = 16.0, 328.0, 84.0


def thread_bars(threads: int, processors: int = 4) -> Scene:
    """Draw the three layers of the shop, with mean figures from the Markov chain.

    >>> thread_bars(2).says
    'With 2 application threads 40.0 requests a second get through; database 60 % busy.'
    """
    layers = web_site(threads, processors)
    exact = exact_layers(layers, CLIENTS, THINK_TIME)
    shapes: list[Shape] = []
    for i, layer in enumerate(layers):
        held, busy = float(exact.threads_busy[i]), float(exact.utilization[i])
        top = 10 + _STEP * i
        words = f"{layer.name}: {held:.1f} of {layer.threads} threads, CPU {100 * busy:.0f} %"
        full = held > 0.9 * layer.threads
        shapes += [
            Text(words, _LEFT, top + 6, anchor="start", bold=full),
            Box(_LEFT, top + 18, _WIDTH, 18, fill="none"),
            Box(_LEFT, top + 18, _WIDTH * held / layer.threads, 18, colour=2 if full else 1),
            Box(_LEFT, top + 40, _WIDTH, 10, fill="none"),
            Box(_LEFT, top + 40, _WIDTH * busy, 10, colour=3, fill="solid"),
        ]
        if layer.calls:
            shapes.append(Line([(180, top + 52), (180, top + _STEP - 6)], head=True))
    rate = float(exact.throughput)
    base = 100 * float(exact.utilization[2])
    says = (
        f"With {threads} application threads {rate:.1f} requests a second get through; "
        f"database {base:.0f} % busy."
    )
    values = {"throughput (1/s)": rate, "database busy (%)": base}
    return Scene(240, shapes, says, values)
