"""The server process of the queue on this machine: one worker, one request after the other.

It stands alone on the standard library, so that it starts in a blink, and is run as a program by
`loopback`. It listens on a free port of 127.0.0.1, tells the port on its
output, and ends when its input is closed: no process stays behind a parent that was killed.

A request `GET /NUMBER/KIND/AMOUNT` does an amount of one kind of work. Here the amount is seconds:
of waiting (sleep) or of processor time (cpu). Another program calls `main` with its own kinds. `GET
/log` returns, as JSON, number, start and end of each request since the last such question. A
request that was waiting starts when the one before ends, so that whatever keeps the worker from it
(closing, looping, accepting) counts as service.
"""

from __future__ import annotations

import hashlib
import json
import os
import socket
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer

BACKLOG = 4096
"""Requests that may wait in the kernel; a system may allow fewer."""


def burn(seconds: float) -> None:
    """Use this many seconds of this thread's processor time.

    >>> begin = time.thread_time()
    >>> burn(0.001)
    >>> time.thread_time() - begin >= 0.001
    True
    """
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        hashlib.sha256(bytes(1024)).digest()


Kinds = Mapping[str, Callable[[float], bytes | None]]
"""Kinds of work: each takes an amount, and may return the body of the answer."""
KINDS: dict[str, Callable[[float], None]] = {"sleep": time.sleep, "cpu": burn}
"""What a request may do with its seconds."""


class LoopbackServer(HTTPServer):
    """One worker that notes from when to when each connection keeps it."""

    request_queue_size = BACKLOG

    def __init__(self, kinds: Kinds = KINDS) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.kinds = kinds
        self.taken = self.free = time.perf_counter()
        self.number = -1
        self.log: list[tuple[int, float, float]] = []

    def server_bind(self) -> None:
        """Bind without asking for the host's name, which could take seconds."""
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()

    def get_request(self) -> tuple[socket.socket, tuple[str, int]]:
        """Accept the next connection, and note since when the worker is busy with it."""
        self.socket.setblocking(False)
        try:
            connection, address = self.socket.accept()
            self.taken = self.free
        except BlockingIOError:
            self.socket.setblocking(True)
            connection, address = self.socket.accept()
            self.taken = time.perf_counter()
        connection.setblocking(True)
        self.number = -1
        return connection, address

    def shutdown_request(self, request: socket.socket | tuple[bytes, socket.socket]) -> None:
        """Close the connection and note when."""
        super().shutdown_request(request)
        self.free = time.perf_counter()
        if self.number >= 0:
            self.log.append((self.number, self.taken, self.free))

    def work(self) -> None:
        """Serve one connection after the other, for ever, also after one that broke."""
        while True:
            connection, address = self.get_request()
            with suppress(OSError):
                self.finish_request(connection, address)
            self.shutdown_request(connection)


class Handler(BaseHTTPRequestHandler):
    """Do the work that the path says, or return the log."""

    server: LoopbackServer

    def do_GET(self) -> None:
        """Answer a request."""
        if self.path == "/log":
            self._answer(200, json.dumps(self.server.log).encode())
            self.server.log.clear()
            return
        number, kind, amount = self.path[1:].split("/")
        self._answer(200, self.server.kinds[kind](float(amount)) or b"")
        self.server.number = int(number)

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response_only(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def _end_with_parent() -> None:
    sys.stdin.buffer.read()
    os._exit(0)


def main(kinds: Kinds = KINDS) -> None:
    """Serve until the input is closed."""
    try:
        server = LoopbackServer(kinds)
    except OSError as problem:
        print(f"error {problem}", flush=True)
        sys.exit(1)
    print(f"port {server.server_address[1]}", flush=True)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    server.work()


if __name__ == "__main__":
    main()
