"""A real open queue: a server in a process of its own, and a generator that never waits for it.

A request's time counts from its planned arrival, which avoids coordinated omission; the generator
notes by how much it was itself late.

Source: G. Tene's talks on coordinated omission, for the name; B. Schroeder, A. Wierman and
M. Harchol-Balter, NSDI 2006, for open against closed.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.queueing.operational_analysis.loopback_server import KINDS
from perfmodel.validation import Floats, non_negative, one_of, sample

PATIENCE = 30.0
"""Seconds without an answer after which a request is given up."""

GRACE = 2.0
"""Seconds that a server has to end by itself before it is killed."""


class LoopbackUnavailableError(RuntimeError):
    """No server can be opened on 127.0.0.1 here."""


class ServerDiedError(RuntimeError):
    """The server's process ended while requests were out."""


@dataclass(frozen=True)
class Exchange:
    """Instants of each request in seconds since the opening, shape (n,), in order of arrival."""

    planned: Floats
    """When it should have been sent."""
    sent: Floats
    """When it was."""
    started: Floats
    """When the server took it up."""
    finished: Floats
    """When the server was done with it."""
    answered: Floats
    """When the answer was back."""


@dataclass(frozen=True)
class ServerProcess:
    """A server process that listens on a port of 127.0.0.1."""

    process: subprocess.Popen[bytes]
    port: int

    def connect(self) -> socket.socket:
        """Open a connection."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)

    def ask(self, path: str) -> bytes:
        """Return the body of the answer to a request."""
        try:
            with self.connect() as connection:
                connection.sendall(_request(path))
                return _answer(connection).partition(b"\r\n\r\n")[2]
        except OSError as problem:
            raise self._died(1) from problem

    def _died(self, out: int) -> ServerDiedError:
        code = self.process.poll()
        state = "does not answer" if code is None else f"ended with code {code}"
        return ServerDiedError(f"the server process {state}; requests without an answer: {out}")


@contextmanager
def server(command: Sequence[str] = ()) -> Iterator[ServerProcess]:
    """Run a server process, this package's or `command`, for the time of a `with` block.

    It raises `LoopbackUnavailableError` if the process cannot be started or cannot open a port.

    >>> with server() as shop:
    ...     shop.ask("/0/sleep/0")
    b''
    """
    program = Path(__file__).with_name("loopback_server.py")
    try:
        process = subprocess.Popen(
            list(command) or [sys.executable, "-I", str(program)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
    except OSError as problem:
        raise _unavailable(str(problem)) from problem
    try:
        yield ServerProcess(process, _port(process))
    finally:
        _end(process)


def drive(
    shop: ServerProcess,
    planned: ArrayLike,
    sizes: ArrayLike,
    kind: str = "sleep",
    clock: Callable[[], float] = time.perf_counter,
    sleep: Callable[[float], None] = time.sleep,
) -> Exchange:
    """Send requests at planned instants, whether or not earlier ones are done.

    `planned` are seconds from now, `sizes` seconds that each request asks for, of waiting ("sleep")
    or of processor time ("cpu"). It raises `ServerDiedError` if a request got no answer.

    >>> with server() as shop:
    ...     seen = drive(shop, [0.0, 0.001], [0.0, 0.0])
    >>> bool((seen.started[1] >= seen.finished[0]) and (seen.sent >= seen.planned).all())
    True
    """
    times, seconds = _timetable(planned, sizes)
    one_of("kind", kind, KINDS)
    return exchange(shop, times, [f"{kind}/{size!r}" for size in seconds], clock, sleep)


def exchange(
    shop: ServerProcess,
    planned: Floats,
    requests: Sequence[str],
    clock: Callable[[], float] = time.perf_counter,
    sleep: Callable[[float], None] = time.sleep,
) -> Exchange:
    """Send `requests`, each a kind and an amount such as sleep/0.001, at `planned` instants.

    It raises `ServerDiedError` if a request got no answer.
    """
    answered: dict[int, float] = {}
    waiting: list[threading.Thread] = []

    def send(number: int) -> None:
        path = f"/{number}/{requests[number]}"
        try:
            connection = shop.connect()
            connection.sendall(_request(path))
        except OSError as problem:
            raise shop._died(planned.size - len(answered)) from problem
        thread = threading.Thread(target=_await, args=(connection, number, answered, clock))
        thread.start()
        waiting.append(thread)

    shop.ask(f"/-1/{requests[0]}")
    opening = clock()
    sent = offer(planned, send, clock, sleep)
    for thread in waiting:
        thread.join()
    if len(answered) < planned.size:
        raise shop._died(planned.size - len(answered))
    log = np.array(sorted(json.loads(shop.ask("/log"))))
    back = np.array([answered[number] for number in range(planned.size)])
    return Exchange(planned, sent, log[:, 1] - opening, log[:, 2] - opening, back - opening)


def offer(
    planned: Floats,
    send: Callable[[int], None],
    clock: Callable[[], float],
    sleep: Callable[[float], None],
) -> Floats:
    """Call `send` with 0, 1, 2, ... at the planned instants and return when it really was.

    A `send` that takes long makes the next ones late; it never moves the timetable. Both are in
    seconds from now.
    """
    opening, sent = clock(), np.empty(planned.size)
    for number, due in enumerate(planned.tolist()):
        early = due - (clock() - opening)
        if early > 0:
            sleep(early)
        sent[number] = clock() - opening
        send(number)
    return sent


def _timetable(planned: ArrayLike, sizes: ArrayLike) -> tuple[Floats, list[float]]:
    times, seconds = sample("planned", planned), non_negative("sizes", sizes)
    if seconds.shape != times.shape:
        raise ValueError(f"sizes must have the shape {times.shape} of planned, got {seconds.shape}")
    if (np.diff(times) < 0).any() or times[0] < 0:
        raise ValueError("planned must not fall and must not be negative")
    return times, seconds.tolist()


def _await(
    connection: socket.socket, number: int, answered: dict[int, float], clock: Callable[[], float]
) -> None:
    with connection:
        try:
            if _answer(connection):
                answered[number] = clock()
        except OSError:
            return


def _request(path: str) -> bytes:
    return f"GET {path} HTTP/1.0\r\n\r\n".encode()


def _answer(connection: socket.socket) -> bytes:
    """Read until the server closes."""
    parts = []
    while part := connection.recv(65536):
        parts.append(part)
    return b"".join(parts)


def _port(process: subprocess.Popen[bytes]) -> int:
    """Read the port that the server tells, or why it has none."""
    assert process.stdout is not None
    words = process.stdout.readline().decode().split(maxsplit=1)
    if len(words) == 2 and words[0] == "port":
        return int(words[1])
    raise _unavailable(words[-1].strip() if words else "its process ended at once")


def _unavailable(reason: str) -> LoopbackUnavailableError:
    return LoopbackUnavailableError(
        f"no server can be opened on 127.0.0.1 here ({reason}); run this on your own machine, "
        "outside a sandbox without a network interface"
    )


def _end(process: subprocess.Popen[bytes]) -> None:
    """Close the server's input, which ends it, and see that it is gone."""
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
    try:
        process.wait(timeout=GRACE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
