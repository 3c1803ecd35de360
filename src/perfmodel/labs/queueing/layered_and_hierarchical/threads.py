"""The layered service event by event: threads held, processors shared, times of any spread.

It uses neither chains nor flow equivalents, so it can contradict both.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np

from perfmodel.queueing import Exponential, Hyperexponential, ServerLayer
from perfmodel.validation import at_least, one_number, positive, whole


@dataclass
class _Request:
    layer: int
    caller: _Request | None


class _Pool:
    """What is held by few at a time, threads or processors; the others wait in order."""

    def __init__(self, places: int) -> None:
        self.free, self.waiting = places, deque[tuple[Callable[..., None], _Request]]()

    def take(self, then: Callable[..., None], request: _Request) -> None:
        if self.free:
            self.free -= 1
            then(request)
        else:
            self.waiting.append((then, request))

    def give_back(self) -> None:
        self.free += 1
        if self.waiting:
            self.free -= 1
            then, request = self.waiting.popleft()
            then(request)


class _Service:
    def __init__(
        self,
        layers: Sequence[ServerLayer],
        think: float,
        scv: float,
        one_host: int,
        rng: np.random.Generator,
    ) -> None:
        self.layers, self.think, self.rng = layers, think, rng
        self.now, self.done = 0.0, 0
        self.events: list[tuple[float, int, Callable[..., None], _Request]] = []
        self.order = count()
        self.threads = [_Pool(layer.threads) for layer in layers]
        host = _Pool(one_host)
        self.processors = [host if one_host else _Pool(layer.processors) for layer in layers]
        self.slices = _times(scv, rng)

    def after(self, seconds: float, then: Callable[..., None], request: _Request) -> None:
        heapq.heappush(self.events, (self.now + seconds, next(self.order), then, request))

    def call(self, request: _Request) -> None:
        self.threads[request.layer].take(self.wait_for_processor, request)

    def wait_for_processor(self, request: _Request) -> None:
        self.processors[request.layer].take(self.work, request)

    def work(self, request: _Request) -> None:
        layer = self.layers[request.layer]
        self.after(
            layer.service_time / (1 + layer.calls) * next(self.slices), self.end_slice, request
        )

    def end_slice(self, request: _Request) -> None:
        self.processors[request.layer].give_back()
        calls = self.layers[request.layer].calls
        if calls and self.rng.random() < calls / (1 + calls):
            self.call(_Request(request.layer + 1, request))
            return
        self.threads[request.layer].give_back()
        if request.caller:
            self.wait_for_processor(request.caller)
        else:
            self.done += 1
            self.begin_thinking(request)

    def begin_thinking(self, request: _Request) -> None:
        self.after(self.think * float(self.rng.exponential()), self.call, request)


def _times(scv: float, rng: np.random.Generator) -> Iterator[float]:
    distribution = Hyperexponential.balanced(1.0, scv) if scv > 1 else Exponential(1.0)
    while True:
        yield from distribution.sample(rng, 10_000).tolist()


def simulated_throughput(
    layers: Sequence[ServerLayer],
    population: int,
    think_time: float,
    requests: int = 20_000,
    seed: int = 1,
    *,
    scv: float = 1.0,
    one_host: int = 0,
) -> float:
    """Return the requests a second that the clients of a layered service get answered.

    The mean `think_time` is in seconds (exponential), `scv` the squared coefficient of variation of
    each slice of work, 1 or more. All layers share `one_host` processors, or have their own if it
    is 0. The first tenth of the `requests` is not counted.

    >>> simple = [ServerLayer("server", 1.0, threads=1)]
    >>> 0.48 < simulated_throughput(simple, 1, 1.0) < 0.52
    True
    """
    clients, number = whole("population", population, low=1), whole("requests", requests, low=10)
    spread = one_number("scv", scv, lambda name, value: at_least(name, value, 1))
    think, host = one_number("think_time", think_time, positive), whole("one_host", one_host)
    rng = np.random.default_rng(whole("seed", seed))
    service = _Service(layers, think, spread, host, rng)
    for _ in range(clients):
        service.begin_thinking(_Request(0, None))
    began, first = 0.0, number // 10
    while service.done < number:
        service.now, _, then, request = heapq.heappop(service.events)
        then(request)
        if service.done <= first:
            began = service.now
    return (number - first) / (service.now - began)
