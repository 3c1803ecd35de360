"""The real service behind the loopback interface, as clients see it."""

from __future__ import annotations

import select
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from perfmodel.labs.queueing.transient_and_metastable.service_process import ANSWER, REQUEST
from perfmodel.labs.queueing.transient_and_metastable.system import Service

PATIENCE = 10.0
"""Seconds that the process has to open its port, and to end."""


class NoServiceError(RuntimeError):
    """No service can be run on 127.0.0.1 here, or it has died."""


class LoopbackPort:
    """A connection to the process of the service."""

    def __init__(self, connection: socket.socket, workers: int) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.connection = connection
        self.workers = workers
        self.rest = b""
        self.opened = time.perf_counter()

    def now(self) -> float:
        """Return the seconds since it was opened."""
        return time.perf_counter() - self.opened

    def send(self, number: int, seconds: float) -> None:
        """Ask for this many seconds of a worker's time."""
        self.connection.sendall(REQUEST.pack(number, seconds))

    def answers(self, until: float) -> list[tuple[int, bool]]:
        """Wait for answers, until an instant at most."""
        while (remaining := until - self.now()) > 0:
            if not select.select([self.connection], [], [], remaining)[0]:
                break
            came = self.connection.recv(1 << 16)
            if not came:
                raise NoServiceError("the process of the service has ended")
            data = self.rest + came
            whole = len(data) - len(data) % ANSWER.size
            self.rest = data[whole:]
            if whole:
                return list(ANSWER.iter_unpack(data[:whole]))
        return []


@contextmanager
def running(service: Service) -> Iterator[LoopbackPort]:
    """Run the service in a process of its own for the time of a `with` block.

    How long a request takes is said with each. It raises `NoServiceError` if the process can't be
    started or opens no port.

    >>> with running(Service(2, 0.001)) as port:
    ...     port.send(7, 0.001)
    ...     port.answers(until=30.0)
    [(7, True)]
    """
    program = Path(__file__).with_name("service_process.py")
    command = [sys.executable, "-I", str(program), str(service.workers), str(service.queue_limit)]
    try:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    except OSError as problem:
        raise NoServiceError(f"no process can be started here: {problem}") from problem
    try:
        with _connect(process) as connection:
            yield LoopbackPort(connection, service.workers)
    finally:
        process.kill()
        process.wait(PATIENCE)
        if process.stdout:
            process.stdout.close()


def _connect(process: subprocess.Popen[bytes]) -> socket.socket:
    line = process.stdout.readline().strip() if process.stdout else b""
    if not line.isdigit():
        raise NoServiceError("the service can't open a port of 127.0.0.1 here")
    try:
        return socket.create_connection(("127.0.0.1", int(line)), timeout=PATIENCE)
    except OSError as problem:
        raise NoServiceError(f"nothing on 127.0.0.1 can be reached here: {problem}") from problem
