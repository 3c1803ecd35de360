"""A broadcast between processes of this machine, over pipes, in a loop or along a tree."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from perfmodel.communication import Message, collective_schedule, message_time
from perfmodel.communication.processes import Pipes, ProcessGroup
from perfmodel.live.drawing import Circle, Fill, Line, Scene, Shape, Text
from perfmodel.measurement import geometric_mean_interval
from perfmodel.validation import Floats, non_negative, one_of, whole

WAYS = {"loop": "linear", "tree": "tree"}
"""The algorithm of a broadcast that each way is."""


@dataclass(frozen=True, eq=False)
class BroadcastRuns:
    """Times of broadcasts that took turns, seconds from the first send to the last arrival."""

    processes: int
    loop: Floats
    tree: Floats

    @property
    def ratio(self) -> tuple[float, float, float]:
        """Loop over tree: the geometric mean over runs, and its 95 % interval."""
        return geometric_mean_interval(self.loop / self.tree)

    @property
    def predicted(self) -> float:
        """The ratio of rounds: what it would be if only the number of rounds counted."""
        loop, tree = (
            collective_schedule("broadcast", way, self.processes) for way in WAYS.values()
        )
        return len(loop.rounds) / len(tree.rounds)


def measure_broadcast(
    processes: int = 8, size: int = 1_000, wait: float = 0.0, runs: int = 5
) -> BroadcastRuns:
    """Time both ways of a broadcast between processes, one after the other, several times.

    Process 0 has the message of `size` bytes. Each sender sleeps `wait` seconds before each
    message: a planted latency, during which it keeps no core busy. One more of each comes first and
    isn't counted. TimeoutError if a process is silent for half a minute.
    """
    count, bytes_ = whole("processes", processes, 3), whole("size", size, 1)
    pause, repeats = float(non_negative("wait", wait)), whole("runs", runs, 2)
    schedules = [collective_schedule("broadcast", way, count) for way in WAYS.values()]
    plans = [[message for sent in schedule.rounds for message in sent] for schedule in schedules]
    pairs = {(message.sender, message.receiver) for plan in plans for message in plan}
    crew = _Crew(serve, pairs, [()] * count)
    try:
        times = [[crew.spread(plan, bytes_, pause) for plan in plans] for _ in range(repeats + 1)]
    finally:
        crew.stop()
    loop, tree = np.array(times[1:]).T
    return BroadcastRuns(count, loop, tree)


class _Crew(ProcessGroup):
    """Processes that pass a message on."""

    def spread(self, plan: Sequence[Message], size: int, wait: float) -> float:
        """Order one broadcast; return the seconds until the last process has the message."""
        sources = {message.receiver: message.sender for message in plan}
        for rank in reversed(range(len(self))):  # the root comes last, when all are ready
            sinks = [message.receiver for message in plan if message.sender == rank]
            self.order(rank, (sources.get(rank), sinks, size, wait))
            self.answer(rank)
        moments = [float(self.answer(rank)) for rank in range(len(self))]
        return max(moments) - moments[0]


def serve(
    orders: Connection[Any, Any],
    sources: Pipes,
    sinks: Pipes,
) -> None:
    """Do what a process of the broadcast does: wait for orders, receive, pass on, report.

    `orders` brings (source or None, receivers in order, bytes, seconds to sleep before each
    message), is answered once when ready, and once with the moment at which the message was there.
    `sources` and `sinks` are pipes from and to other processes, by their number.
    """
    while True:
        try:
            source, receivers, size, wait = orders.recv()
        except EOFError:
            return
        orders.send(0.0)
        message = b"x" * size if source is None else sources[source].recv_bytes()
        there = time.perf_counter()
        for receiver in receivers:
            if wait:
                time.sleep(wait)
            sinks[receiver].send_bytes(message)
        orders.send(there)


def broadcast_verdict(runs: BroadcastRuns) -> str:
    """Return a conclusion about loop and tree, compared with the ratio of their rounds.

    >>> same = BroadcastRuns(8, np.array([7.0, 7.1, 6.9]), np.array([3.0, 3.0, 3.1]))
    >>> broadcast_verdict(same)[:38]
    'The loop takes **2.31 times** the time'
    """
    ratio, low, high = runs.ratio
    head = (
        f"The loop takes **{ratio:.2f} times** the time of the tree (95 % interval {low:.2f} to "
        f"{high:.2f}). The model says {runs.predicted:.2f}."
    )
    if low <= 1 <= high:
        return f"{head} The interval includes 1, so these runs can't show which way is faster."
    if high < 1:
        return f"{head} Here the tree **loses**: its rounds take longer than in the model."
    if low <= runs.predicted <= high:
        return f"{head} The interval includes the model's ratio."
    return f"{head} The tree wins, but not by the model's factor."


PROCESSES = 8
ROUNDS = PROCESSES - 1
_MESSAGE = float(message_time(1e6, 2e-6, 1e10))
_GAP, _TOP = 40.0, 62.0


def spreading(scheme: str, rounds: int) -> Scene:
    """Draw eight processes and their messages after some rounds; a tree is done after three."""
    one_of("scheme", scheme, WAYS)
    plan = collective_schedule("broadcast", WAYS[scheme], PROCESSES).rounds
    done = min(whole("rounds", rounds), len(plan))
    have = {0} | {message.receiver for sent in plan[:done] for message in sent}
    shapes: list[Shape] = [Text("process", 40, 14, "start")]
    for process in range(PROCESSES):
        shapes.append(Text(str(process), _across(process), 34))
    for level in range(ROUNDS + 1):
        y = _TOP + 24 * level
        shapes.append(Text(str(level), 16, y))
        if level <= done:
            holding = {0} | {s.receiver for sent in plan[:level] for s in sent}
            for process in range(PROCESSES):
                fill: Fill = "solid" if process in holding else "none"
                shapes.append(Circle(_across(process), y, 6, "", 1, fill))
    for level, sent in enumerate(plan[:done]):
        for sender, receiver, *_ in sent:
            start, end = (
                (_across(sender) + 7, _TOP + 24 * level + 2),
                (_across(receiver) - 6, _TOP + 24 * (level + 1) - 4),
            )
            shapes.append(Line([start, end], 2, head=True))
    time = done * _MESSAGE
    says = (
        f"After {done} round{'s' * (done != 1)}, {len(have)} of {PROCESSES} processes have the "
        f"message. This takes {1e6 * time:.0f} µs."
    )
    values = {"have it": float(len(have)), "time (µs)": 1e6 * time}
    return Scene(_TOP + 24 * ROUNDS + 14, shapes, says, values)


def _across(process: int) -> float:
    return 50 + _GAP * process
