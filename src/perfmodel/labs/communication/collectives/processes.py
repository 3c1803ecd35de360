"""An all-reduce between processes of this machine, over pipes, by any schedule, and its forecast.

Each process has a vector; a schedule says whom it sends which blocks in which round. A thread of
its own sends, so that a process may send and receive at the same time, as a network card does.
Small vectors are fitted, large ones predicted.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import nnls

from perfmodel.communication import (
    CollectiveSchedule,
    Message,
    block_sizes,
    collective_cost,
    collective_schedule,
)
from perfmodel.communication.processes import Pipes, ProcessGroup
from perfmodel.validation import Floats, one_of, positive, whole

VIEWS = ("a network", "shared cores")


@dataclass(frozen=True, eq=False)
class AllReduceRuns:
    """Times of all-reduces between processes."""

    processes: int
    algorithms: tuple[str, ...]
    sizes: Floats
    """Bytes of the vector, shape (s,)."""
    samples: Floats
    """Seconds, shape (s, runs, algorithms)."""

    @property
    def times(self) -> Floats:
        """Medians over runs, shape (s, algorithms)."""
        return np.asarray(np.median(self.samples, axis=1))


class LargeForecast(NamedTuple):
    """Forecasts of large vectors from small ones."""

    sizes: Floats
    """Bytes of the larger vectors, shape (l,)."""
    measured: Floats
    """Seconds, shape (l, algorithms)."""
    forecast: Floats
    """Seconds, shape (l, algorithms)."""
    prices: Floats
    """Seconds of a message and of a byte."""
    algorithms: tuple[str, ...]

    @property
    def error(self) -> float:
        """Mean absolute percentage error, a share."""
        return float(np.mean(np.abs(self.forecast / self.measured - 1)))

    @property
    def right_winners(self) -> int:
        """Of how many sizes the soonest algorithm was forecast."""
        return int((self.forecast.argmin(axis=1) == self.measured.argmin(axis=1)).sum())

    @property
    def worst(self) -> str:
        """The row that is missed by most, in words."""
        off = np.abs(self.forecast / self.measured - 1)
        row, column = np.unravel_index(int(off.argmax()), off.shape)
        ratio = self.forecast[row, column] / self.measured[row, column]
        return (
            f"{self.algorithms[column]} at {self.sizes[row] / 1024:,.0f} KiB, "
            f"forecast at {ratio:.2f} of its time"
        )


def forecast_large(runs: AllReduceRuns, largest: float, view: str = "a network") -> LargeForecast:
    """Fit two prices to small vectors, for all algorithms at once, and forecast the larger ones.

    In the view of a network rounds are counted, and bytes of the largest message of each, as if all
    messages of a round flowed side by side; in that of shared cores all messages and all bytes, as
    if they took turns. Vectors of up to `largest` bytes are fitted.

    >>> sizes = 8.0 * 4 ** np.arange(4, 9)
    >>> ring = np.array([[6e-5 + 1.5 * n * 1e-9] * 2 for n in sizes])[..., None]
    >>> found = forecast_large(AllReduceRuns(4, ("ring",), sizes, ring), 40_000)
    >>> len(found.sizes), round(found.error, 9)
    (2, 0.0)
    """
    small = runs.sizes <= positive("largest", largest)
    if not small.any() or small.all():
        raise ValueError(f"largest must leave sizes on both sides, got {largest!r}")
    counts = np.array(
        [
            [counted(runs.processes, name, size, view) for name in runs.algorithms]
            for size in runs.sizes
        ]
    )
    relative = counts[small] / runs.times[small][..., None]
    columns = relative.reshape(-1, 2)
    scale = np.sqrt((columns**2).mean(axis=0))
    prices = nnls(columns / scale, np.ones(len(columns)))[0] / scale
    return LargeForecast(
        runs.sizes[~small], runs.times[~small], counts[~small] @ prices, prices, runs.algorithms
    )


def counted(processes: int, algorithm: str, size: float, view: str) -> tuple[float, float]:
    """Return messages and bytes that a view of the machine counts.

    >>> counted(4, "ring", 400.0, "a network"), counted(4, "ring", 400.0, "shared cores")
    ((6, 600.0), (24, 2400.0))
    """
    one_of("view", view, VIEWS)
    cost = collective_cost("all-reduce", algorithm, processes, size)
    if view == "a network":
        return cost.rounds, cost.volume
    schedule = collective_schedule("all-reduce", algorithm, processes)
    return sum(len(sent) for sent in schedule.rounds), cost.traffic


def all_reduce_conclusion(network: LargeForecast, cores: LargeForecast) -> str:
    """Return a sentence that compares the two models by their errors on large vectors.

    A model holds only if it is well ahead and names the fastest algorithm at all sizes.

    >>> good, bad = (LargeForecast(np.full(2, 2.0**20), np.ones((2, 1)), np.full((2, 1), guess),
    ...              np.ones(2), ("ring",)) for guess in (1.1, 1.5))
    >>> print(all_reduce_conclusion(bad, good)[:38])
    On larger vectors the network model is
    """
    head = (
        f"On larger vectors the network model is **{100 * network.error:.0f} %** off on average "
        f"(worst: {network.worst}). The shared cores are **{100 * cores.error:.0f} %** off (worst: "
        f"{cores.worst}). They predict the fastest algorithm at {network.right_winners} and "
        f"{cores.right_winners} of {cores.sizes.size} sizes."
    )
    if cores.error < 0.67 * network.error:
        near = cores
        holds = (
            "Here messages take turns: processes share the cores that copy, so all bytes together "
            "count."
        )
    elif network.error < 0.67 * cores.error:
        near = network
        holds = (
            "Here messages of a round flow in parallel: there are enough cores for all processes."
        )
    else:
        return f"{head} Neither model is far ahead, so these runs don't show which holds here."
    if near.right_winners < near.sizes.size:
        holds = (
            "The more accurate model misses the fastest algorithm at some size, so it leaves out "
            "something that matters here."
        )
    return f"{head} {holds}"


class Step(NamedTuple):
    """What one process does in a round: at most one message each way."""

    send: Message | None
    receive: Message | None


def steps_of(schedule: CollectiveSchedule, rank: int) -> list[Step]:
    """Return what a rank does in each round."""
    return [
        Step(
            next((message for message in sent if message.sender == rank), None),
            next((message for message in sent if message.receiver == rank), None),
        )
        for sent in schedule.rounds
    ]


def measure_all_reduce(
    sizes: Sequence[int],
    algorithms: Sequence[str] = ("ring", "tree", "Rabenseifner"),
    processes: int = 4,
    runs: int = 5,
) -> AllReduceRuns:
    """Time an all-reduce by several algorithms, which take turns, on vectors of some sizes.

    Sizes are in bytes, multiples of 8; one run more comes first and isn't counted. A process that
    is silent for half a minute is a `TimeoutError`, another result than the sum a `RuntimeError`.
    """
    count, repeats = whole("processes", processes, 2), whole("runs", runs, 1)
    elements = [whole("sizes", size, 8) // 8 for size in sizes]
    if any(size % 8 for size in sizes):
        raise ValueError(f"sizes must be multiples of 8 bytes, got {list(sizes)}")
    schedules = [collective_schedule("all-reduce", name, count) for name in algorithms]
    crew = _Crew(count, schedules)
    try:
        seconds = [
            [
                [crew.all_reduce(index, size) for index in range(len(schedules))]
                for _ in range(repeats + 1)
            ][1:]
            for size in elements
        ]
    finally:
        crew.stop()
    return AllReduceRuns(count, tuple(algorithms), np.array(sizes, float), np.array(seconds))


class _Crew(ProcessGroup):
    """Processes that add up their vectors by any of some schedules."""

    def __init__(self, count: int, schedules: Sequence[CollectiveSchedule]) -> None:
        sent = [message for schedule in schedules for each in schedule.rounds for message in each]
        plans = [
            [(schedule.blocks, steps_of(schedule, rank)) for schedule in schedules]
            for rank in range(count)
        ]
        pairs = {(message.sender, message.receiver) for message in sent}
        super().__init__(serve, pairs, list(enumerate(plans)))

    def all_reduce(self, index: int, elements: int) -> float:
        """Order one all-reduce; return the seconds from the last start to the last end."""
        ranks = range(len(self))
        for rank in ranks:
            self.order(rank, (index, elements))
        for rank in ranks:
            self.answer(rank)
        for rank in ranks:
            self.order(rank, None)
        answers = [self.answer(rank) for rank in ranks]
        if any(last != len(self) * (len(self) + 1) / 2 for _, _, last in answers):
            raise RuntimeError(f"an all-reduce of {elements} elements ended with a wrong sum")
        starts, ends, _ = zip(*answers, strict=True)
        return float(max(ends) - min(starts))


def serve(
    orders: Connection[Any, Any],
    sources: Pipes,
    sinks: Pipes,
    rank: int,
    plans: Sequence[tuple[int, Sequence[Step]]],
) -> None:
    """Do what a process of the all-reduce does: wait for orders, send, receive, add, report.

    `orders` brings (plan, elements), is answered once when the vector is ready; then brings the
    start, and is answered with the moments of start and end and the least element of the result, or
    not-a-number if the elements differ. The vector's elements are all rank + 1. A plan has the
    blocks that a vector is cut into, and what this process does in each round.
    """
    outbox: SimpleQueue[tuple[Connection[Any, Any], Any] | None] = SimpleQueue()
    threading.Thread(target=_post, args=(outbox,), daemon=True).start()
    while True:
        try:
            index, elements = orders.recv()
        except EOFError:
            outbox.put(None)
            return
        blocks, steps = plans[index]
        ends = np.cumsum(block_sizes(elements, blocks))[:-1]
        held = np.split(np.full(elements, rank + 1.0), ends)
        orders.send(None)
        orders.recv()
        start = time.perf_counter()
        for step in steps:
            _take(step, held, outbox, sources, sinks)
        end = time.perf_counter()
        result = np.concatenate(held)
        orders.send((start, end, result.min() if np.ptp(result) == 0 else np.nan))


def _post(outbox: SimpleQueue[tuple[Connection[Any, Any], Any] | None]) -> None:
    while (order := outbox.get()) is not None:
        sink, parcel = order
        sink.send_bytes(parcel)


def _take(
    step: Step,
    held: list[Any],
    outbox: SimpleQueue[tuple[Connection[Any, Any], Any] | None],
    sources: Pipes,
    sinks: Pipes,
) -> None:
    """Send and receive; what is sent is copied first, since receiving may change it."""
    if step.send is not None:
        parcel = np.concatenate([held[label] for label in step.send.blocks])
        outbox.put((sinks[step.send.receiver], parcel.data.cast("B")))
    if step.receive is None:
        return
    blocks = step.receive.blocks
    arrived = np.frombuffer(sources[step.receive.sender].recv_bytes())
    ends = np.cumsum([held[label].size for label in blocks])[:-1]
    for label, part in zip(blocks, np.split(arrived, ends), strict=True):
        held[label] = held[label] + part if step.receive.adds else part
