"""The process of the real service: threads that sleep for each request, in order of arrival.

It stands alone on the standard library and is run as a program: `service_process.py WORKERS LIMIT`.
It tells a free port of 127.0.0.1 on its output, takes one connection, answers each request (a
number and seconds, 12 bytes) with its number and whether it was served (5 bytes), and ends with the
connection. It works for clients that have given up as for all others: it can't know.
"""

from __future__ import annotations

import queue
import socket
import struct
import sys
import threading
import time

REQUEST = struct.Struct("<id")
ANSWER = struct.Struct("<i?")


class Workers:
    """Threads that sleep for requests and answer them.

    Further requests than `limit` that wait are refused at once; negative numbers never are.
    """

    def __init__(self, connection: socket.socket, workers: int, limit: float) -> None:
        self.connection = connection
        self.limit = limit
        self.waiting: queue.SimpleQueue[tuple[int, float] | None] = queue.SimpleQueue()
        self.lock = threading.Lock()
        self.threads = [threading.Thread(target=self._work) for _ in range(workers)]
        for thread in self.threads:
            thread.start()

    def take(self, number: int, seconds: float) -> None:
        """Queue a request or refuse it."""
        if number >= 0 and self.waiting.qsize() >= self.limit:
            self._answer(number, served=False)
        else:
            self.waiting.put((number, seconds))

    def end(self) -> None:
        """Let the threads finish what waits, and end them."""
        for _ in self.threads:
            self.waiting.put(None)
        for thread in self.threads:
            thread.join()

    def _work(self) -> None:
        while (request := self.waiting.get()) is not None:
            time.sleep(request[1])
            self._answer(request[0], served=True)

    def _answer(self, number: int, served: bool) -> None:
        with self.lock:
            self.connection.sendall(ANSWER.pack(number, served))


def serve(connection: socket.socket, workers: int, limit: float) -> None:
    """Serve one connection until its other end closes it."""
    crew, rest = Workers(connection, workers, limit), b""
    while came := connection.recv(1 << 16):
        data = rest + came
        whole = len(data) - len(data) % REQUEST.size
        rest = data[whole:]
        for number, seconds in REQUEST.iter_unpack(data[:whole]):
            crew.take(number, seconds)
    crew.end()


def main(workers: str, limit: str) -> None:
    """Serve one connection."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        print(listening.getsockname()[1], flush=True)
        listening.settimeout(10.0)
        connection, _ = listening.accept()
    with connection:
        connection.settimeout(None)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        serve(connection, int(workers), float(limit))


if __name__ == "__main__":
    main(*sys.argv[1:])
