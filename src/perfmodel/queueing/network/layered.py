"""Layered services: a thread of one program is held while the program below works for it.

Two resources are held at once then, a thread above and one below, which no product form allows.
`solve_layers` replaces each layer by its flow equivalent; `exact_layers` solves the Markov chain.

>>> web = ServerLayer("web", service_time=0.01, threads=4, processors=2, calls=2)
>>> base = ServerLayer("database", service_time=0.02, threads=1)
>>> print(solve_layers([web, base], 50, think_time=1).throughput.round(2))
24.99
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from perfmodel.queueing.network import convolution
from perfmodel.queueing.network.flow_equivalent import flow_equivalent
from perfmodel.queueing.network.markov_chain.balance import steady_state
from perfmodel.queueing.network.markov_chain.chain import MarkovChain, explore_chain
from perfmodel.queueing.network.model import JobClass, Network, Station
from perfmodel.queueing.station.result import StationResult
from perfmodel.validation import Floats, non_negative, one_number, positive, whole


@dataclass(frozen=True)
class ServerLayer:
    """A server program: its own processors, its threads, and its calls to the layer below.

    >>> ServerLayer("database", service_time=0.02, threads=8, processors=2).calls
    0.0
    """

    name: str
    service_time: float
    """Seconds of its own processors for one request."""
    threads: int
    """Requests that it works on at once; a thread is held while the layer below is called."""
    processors: int = 1
    calls: float = 0.0
    """Mean requests to the next layer for one of its own."""

    def __post_init__(self) -> None:
        """Refuse a layer that cannot serve."""
        if not isinstance(self.name, str):
            raise ValueError(f"name of a layer must be a word, got {self.name!r}")
        one_number(f"service_time of layer {self.name!r}", self.service_time, positive)
        whole(f"threads of layer {self.name!r}", self.threads, low=1)
        whole(f"processors of layer {self.name!r}", self.processors, low=1)
        one_number(f"calls of layer {self.name!r}", self.calls, non_negative)


@dataclass(frozen=True)
class LayeredResult(StationResult):
    """What clients of a layered service see, and how many threads each layer holds."""

    threads_busy: Floats = field(default_factory=lambda: np.zeros(0))
    """Mean threads of each layer that work or wait for the layer below, shape (layers,)."""


def solve_layers(
    layers: Sequence[ServerLayer], population: int, think_time: float = 0.0
) -> StationResult:
    """Solve a chain of servers that each hold a thread while they call the next.

    From the bottom: the threads of a layer circulate between its processors and the station that
    stands for the layers below; the throughputs with 1, 2, ... threads busy make the station
    that the layer above sees.

    Parameters
    ----------
    layers : sequence of ServerLayer
        From the one that clients call down.
    population : int
        Clients.
    think_time : float
        Seconds between a client's requests.

    Returns
    -------
    StationResult
        What clients see; an approximation. `utilization` is that of each layer's processors, shape
        (layers,), and a client waits while no processor works for its request.

    Raises
    ------
    ValueError
        If there are no layers, the last one calls a next, or a number is out of range.

    Notes
    -----
    Of 1,000 random services of two to four layers, the throughput was at most 12 % above that of
    the Markov chain (`exact_layers`), within 1.4 % for nine of ten, and never 0.01 % below it. It
    is exact where no thread is ever waited for, and the better, the more calls a request makes:
    then the layers below have settled before the request is through.

    Examples
    --------
    >>> web = ServerLayer("web", service_time=0.01, threads=4, processors=2, calls=2)
    >>> base = ServerLayer("database", service_time=0.02, threads=1)
    >>> site = solve_layers([web, base], 50, think_time=1)
    >>> print(site.throughput.round(2), site.utilization.round(3))
    24.99 [0.125 1.   ]
    """
    _check_layers(layers)
    below: Station | None = None
    for layer in reversed(layers):
        below = _seen_from_above(layer, below)
    top = convolution.convolution_algorithm(
        Network(
            [below] if below else [],
            [JobClass("clients", population=population, think_time=think_time)],
            [1.0],
        )
    )
    work = _work(layers)
    rate, response = top.throughput[0], top.response_time[0]
    return StationResult.from_waiting(
        rate,
        work.sum(),
        response - work.sum(),
        "nested flow equivalence",
        utilization=rate * work / np.array([layer.processors for layer in layers]),
        exact=False,
        warning="each layer is taken to settle before the layer above changes",
    )


def _seen_from_above(layer: ServerLayer, below: Station | None) -> Station:
    own = Station(f"processors of {layer.name}", servers=layer.processors, discipline="PS")
    stations, visits = [own], [1.0]
    if below is not None and layer.calls:
        stations, visits = [own, below], [1.0, layer.calls]
    threads = JobClass(f"threads of {layer.name}", population=layer.threads)
    service = [layer.service_time, 1.0][: len(stations)]
    return flow_equivalent(Network(stations, [threads], service, visits=visits), layer.name)


def exact_layers(
    layers: Sequence[ServerLayer], population: int, think_time: float = 0.0
) -> LayeredResult:
    """Solve the same service by its Markov chain, exactly for exponential times.

    The state is how many requests each layer has been given and not answered. A request works in
    slices, exponential and with a call between any two, so that calls are geometric in number.

    Parameters
    ----------
    layers, population, think_time
        As for `solve_layers`; the states multiply with each layer's threads.

    Returns
    -------
    LayeredResult
        `utilization` and `threads_busy` of each layer, shape (layers,).

    Raises
    ------
    ValueError
        As `solve_layers`.
    TooBigError
        If there are more than 50,000 states.

    Examples
    --------
    >>> web = ServerLayer("web", service_time=0.01, threads=4, processors=2, calls=2)
    >>> base = ServerLayer("database", service_time=0.02, threads=1)
    >>> site = exact_layers([web, base], 50, think_time=1)
    >>> print(site.throughput.round(2), site.threads_busy.round(2))
    24.99 [4. 1.]
    """
    _check_layers(layers)
    clients = whole("population", population, low=1)
    think = one_number("think_time", think_time, non_negative)
    chain = _layer_chain(layers, clients, think)
    share = steady_state(chain)
    given = np.array(chain.states, dtype=float)
    held = np.minimum(given, [layer.threads for layer in layers])
    working = held - np.column_stack([given[:, 1:], np.zeros(len(given))])
    processors = np.array([layer.processors for layer in layers])
    busy = share @ np.minimum(working, processors)
    work = _work(layers)
    rate = float(busy[0] / work[0])
    return LayeredResult.from_waiting(
        rate,
        work.sum(),
        clients / rate - think - work.sum(),
        "Markov chain",
        utilization=busy / processors,
        threads_busy=share @ held,
    )


def _layer_chain(layers: Sequence[ServerLayer], clients: int, think: float) -> MarkovChain:
    def moves(given: tuple[int, ...]) -> list[tuple[tuple[int, ...], float]]:
        there = []
        if think and given[0] < clients:
            there.append((_changed(given, 0, 1), (clients - given[0]) / think))
        for i, layer in enumerate(layers):
            below = given[i + 1] if layer.calls else 0
            working = min(min(given[i], layer.threads) - below, layer.processors)
            ends = working / layer.service_time
            if i or think:
                there.append((_changed(given, i, -1), ends))
            if layer.calls:
                there.append((_changed(given, i + 1, 1), ends * layer.calls))
        return there

    start = (0 if think else clients,) + (0,) * (len(layers) - 1)
    return explore_chain(start, moves, max_states=50_000)


def _changed(given: tuple[int, ...], layer: int, by: int) -> tuple[int, ...]:
    return (*given[:layer], given[layer] + by, *given[layer + 1 :])


def _check_layers(layers: Sequence[ServerLayer]) -> None:
    fine = isinstance(layers, Sequence) and all(isinstance(x, ServerLayer) for x in layers)
    if not fine or not layers or layers[-1].calls:
        raise ValueError(f"layers must end with one that makes no calls, got {layers!r}")


def _work(layers: Sequence[ServerLayer]) -> Floats:
    """Return the seconds of each layer's processors that a client's request takes."""
    requests = np.cumprod([1.0, *(layer.calls for layer in layers[:-1])])
    return np.asarray(requests * np.array([layer.service_time for layer in layers]))
