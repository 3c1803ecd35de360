"""An all-reduce between processes of this machine, over pipes, by any schedule.

Each process has a vector; a schedule says whom it sends which blocks in which round. A thread of
its own sends, so that a process may send and receive at the same time, as a network card does.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Any, NamedTuple

import numpy as np

from perfmodel.communication import CollectiveSchedule, Message, block_sizes, collective_schedule
from perfmodel.communication.processes import Pipes, ProcessGroup
from perfmodel.labs.communication.collectives.timings import AllReduceRuns
from perfmodel.validation import whole


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
        taken = [
            [
                [crew.all_reduce(place, size) for place in range(len(schedules))]
                for _ in range(repeats + 1)
            ][1:]
            for size in elements
        ]
    finally:
        crew.stop()
    return AllReduceRuns(count, tuple(algorithms), np.array(sizes, float), np.array(taken))


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

    def all_reduce(self, place: int, elements: int) -> float:
        """Order one all-reduce; return the seconds from the last start to the last end."""
        ranks = range(len(self))
        for rank in ranks:
            self.order(rank, (place, elements))
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
            place, elements = orders.recv()
        except EOFError:
            outbox.put(None)
            return
        blocks, steps = plans[place]
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
