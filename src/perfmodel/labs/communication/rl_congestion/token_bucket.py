"""A link on this machine: processes send packets through one token bucket and wait for them.

The bucket issues tokens at a steady rate. A packet needs a token, or waits in the queue. Then it
returns to its sender after a fixed time, as over a long wire. Each process chooses the number of
its packets under way, and changes it by its own rate and by the time that packets take.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from typing import Any, cast

import numpy as np

from perfmodel.communication import RateControl, jain_index
from perfmodel.validation import Floats, positive, whole

_DEPTH = 20.0
"""Tokens that an idle bucket saves, so that a late wake-up of this process costs none."""
_PATIENCE = 30.0


@dataclass(frozen=True, eq=False)
class BucketRun:
    """What processes behind one bucket saw in the second half of a run."""

    rates: Floats
    """Share of the bucket's rate that each got, shape (processes,)."""
    inflation: Floats
    """Mean time of a packet over that of an empty link, in ten stretches of time."""

    @property
    def fairness(self) -> float:
        """Jain's index of the rates."""
        return float(jain_index(self.rates))

    @property
    def interval(self) -> tuple[float, float]:
        """A 95 % interval for the mean inflation, from the stretches."""
        from scipy.stats import t

        spread = self.inflation.std(ddof=1) / np.sqrt(self.inflation.size)
        reach = float(t.ppf(0.975, self.inflation.size - 1) * spread)
        return float(self.inflation.mean() - reach), float(self.inflation.mean() + reach)


class Window:
    """How many packets a sender keeps under way, changed once for each window of answers."""

    def __init__(self, law: RateControl, size: float, rate: float, base: float) -> None:
        """Start with `size` packets on a link of `rate` packets/s and `base` seconds."""
        self.size = size
        self._law, self._rate, self._base = law, rate, base
        self._times: list[float] = []
        self._since: float | None = None

    def note(self, sent: float, now: float) -> None:
        """Take notice of a packet that was sent at one moment and is back at another."""
        if self._since is None:
            self._since = now
            return
        self._times.append(now - sent)
        if len(self._times) < max(self.size, 2.0):
            return
        rate = np.array([len(self._times) / (now - self._since) / self._rate])
        inflation = float(np.mean(self._times)) / self._base
        target = np.array([self._law.target])
        factor = float(self._law.factors(np.minimum(rate, 1.0), inflation, target)[0])
        self.size = max(self.size * factor, 1.0)
        self._times, self._since = [], now


class Bucket:
    """Tokens, the packets that wait for them, and those on their way back."""

    def __init__(self, rate: float, base: float, now: float) -> None:
        """Give out `rate` tokens/s from `now` on; packets come back `base` seconds later."""
        self._rate, self._base, self._last, self._tokens = rate, base, now, 0.0
        self._line: deque[Any] = deque()
        self._wire: deque[tuple[float, Any]] = deque()

    def accept(self, packet: Any) -> None:
        """Put a packet at the end of the line."""
        self._line.append(packet)

    def arrived(self, now: float) -> list[Any]:
        """Let time pass, and return the packets that are back."""
        self._tokens = min(self._tokens + (now - self._last) * self._rate, _DEPTH)
        self._last = now
        while self._line and self._tokens >= 1:
            self._tokens -= 1
            self._wire.append((now + self._base, self._line.popleft()))
        back = []
        while self._wire and self._wire[0][0] <= now:
            back.append(self._wire.popleft()[1])
        return back


def measure_sharing(
    law: RateControl,
    processes: int,
    seconds: float = 3.0,
    rate: float = 1000.0,
    base: float = 0.02,
) -> BucketRun:
    """Let processes of this machine share a token bucket under a law, from uneven windows.

    The bucket lets `rate` packets/s through, which take `base` seconds over an empty link. Of the
    seconds of sending the first half isn't counted; in the second, ten packets must come back.
    """
    count, length = whole("processes", processes, 1), float(positive("seconds", seconds))
    speed, wire = float(positive("rate", rate)), float(positive("base", base))
    context, ours, senders = get_context("spawn"), [], []
    try:
        for sender in range(count):
            here, there = context.Pipe()
            first = 1.5 * speed * wire / (1 + sender)
            process = context.Process(
                target=send_packets, args=(there, law, first, speed, wire), daemon=True
            )
            process.start()
            ours.append(here)
            senders.append(process)
        for here in ours:
            if not here.poll(_PATIENCE):
                raise TimeoutError(f"a process was silent for {_PATIENCE:.0f} s")
            here.recv()
        return _serve(ours, length, speed, wire)
    finally:
        for here in ours:
            here.close()
        for process in senders:
            process.terminate()
            process.join()


def _serve(
    senders: list[Connection[Any, Any]], seconds: float, rate: float, base: float
) -> BucketRun:
    """Be the link for some time; return what came back in the second half."""
    start = time.perf_counter()
    bucket, now = Bucket(rate, base, start), start
    back: list[tuple[int, float, float]] = []
    for each in senders:
        each.send(None)
    while now < start + seconds:
        for ready in wait(senders, 0.001):
            sender = senders.index(cast("Connection[Any, Any]", ready))
            bucket.accept((sender, senders[sender].recv()))
        now = time.perf_counter()
        for sender, sent in bucket.arrived(now):
            senders[sender].send(sent)
            back.append((sender, now, (now - sent) / base))
    late = [(who, took) for who, moment, took in back if moment > start + seconds / 2]
    if len(late) < 10:
        raise ValueError(
            f"seconds must let ten packets come back in the second half, got {seconds:g}, in which "
            f"{len(late)} did"
        )
    who, took = map(np.array, zip(*late, strict=True))
    counts = np.bincount(who, minlength=len(senders))
    stretches = np.array_split(took, 10)
    return BucketRun(counts / (rate * seconds / 2), np.array([part.mean() for part in stretches]))


def send_packets(
    link: Connection[Any, Any],
    law: RateControl,
    first: float,
    rate: float,
    base: float,
    clock: Callable[[], float] = time.perf_counter,
) -> None:
    """Keep a window of packets under way until the link is closed.

    The link takes the moment of sending for a packet, and gives it back; first it gives the start.
    `first` are the packets under way then; `clock` is the same for all processes.
    """
    window, flying = Window(law, first, rate, base), 0
    try:
        link.send(None)
        link.recv()
        while True:
            while flying < int(window.size):
                link.send(clock())
                flying += 1
            window.note(link.recv(), clock())
            flying -= 1
    except (EOFError, OSError):
        return
