"""The server process of `service_load`: workers that spin, take turns or sleep as asked.

It stands alone on the standard library and is run as a program: `service_process.py SERVER WORKERS
SLICE`. It tells a free port of 127.0.0.1 on its output, takes one connection, answers each request
(a number and seconds, 12 bytes) with its number (4 bytes) and ends with the connection.
"""

from __future__ import annotations

import queue
import socket
import struct
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator

REQUEST = struct.Struct("<Id")
ANSWER = struct.Struct("<I")


def spin(seconds: float) -> None:
    """Keep the processor for this many seconds.

    >>> begin = time.perf_counter()
    >>> spin(0.001)
    >>> time.perf_counter() - begin >= 0.001
    True
    """
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


class Requests:
    """Requests that come over a connection."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.rest = b""
        self.open = True

    def read(self, wait: bool) -> Iterator[tuple[int, float]]:
        """Return the numbers and seconds of requests that have come, waiting for one if told to."""
        try:
            came = self.connection.recv(1 << 16, 0 if wait else socket.MSG_DONTWAIT)
        except BlockingIOError:
            return iter(())
        self.open = bool(came)
        data = self.rest + came
        whole = len(data) - len(data) % REQUEST.size
        self.rest = data[whole:]
        return REQUEST.iter_unpack(data[:whole])


def take_turns(requests: Requests, turn: float) -> None:
    """Spin for the requests, for `turn` seconds of each in turn; to the end if infinite."""
    waiting: deque[tuple[int, float]] = deque()
    while requests.open or waiting:
        if requests.open:
            waiting.extend(requests.read(wait=not waiting))
        if waiting:
            number, remaining = waiting.popleft()
            spin(min(turn, remaining))
            if remaining > turn:
                waiting.append((number, remaining - turn))
            else:
                requests.connection.sendall(ANSWER.pack(number))


def sleep(requests: Requests, workers: int) -> None:
    """Let several threads sleep for the requests, in order of arrival."""
    waiting: queue.SimpleQueue[tuple[int, float] | None] = queue.SimpleQueue()
    lock = threading.Lock()

    def serve() -> None:
        while (request := waiting.get()) is not None:
            time.sleep(request[1])
            with lock:
                requests.connection.sendall(ANSWER.pack(request[0]))

    threads = [threading.Thread(target=serve) for _ in range(workers)]
    for thread in threads:
        thread.start()
    while requests.open:
        for request in requests.read(wait=True):
            waiting.put(request)
    for _ in threads:
        waiting.put(None)
    for thread in threads:
        thread.join()


def main(server: str, workers: str, turn: str) -> None:
    """Serve one connection by `sleepers` with this many threads, or by another that takes turns."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        print(listening.getsockname()[1], flush=True)
        connection, _ = listening.accept()
    with connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if server == "sleepers":
            sleep(Requests(connection), int(workers))
        else:
            take_turns(Requests(connection), float(turn))


if __name__ == "__main__":
    main(*sys.argv[1:])
