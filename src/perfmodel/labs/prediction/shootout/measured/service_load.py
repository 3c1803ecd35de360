"""Poisson arrivals at a server behind the loopback interface: the runs of `loopback_service`.

The generator never waits for an answer and counts a response from the planned arrival.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from perfmodel.labs.prediction.shootout.measured.service_process import ANSWER, REQUEST
from perfmodel.validation import Floats, one_of

if TYPE_CHECKING:
    import pandas as pd

SERVERS = {"one worker": float("inf"), "time slices": 0.0002, "sleepers": 0.0}
"""Kinds of server and the seconds of a turn; sleepers take none."""
WORKERS = (2, 4, 8)
"""Threads of the sleepers, in turn."""
SHORT, LONG, RARE = 1.0, 20.0, 0.05
"""Two values of service and the share of the long one, in units of the short."""
LOGNORMAL_SCV = 0.5
SERVICES, LOADS = (0.0006, 0.002), (0.1, 0.8)
"""Ranges of the mean time asked for, seconds per worker, and of the load."""
SECONDS, WARMUP = 2.5, 0.2
"""Time of arrivals in a run, and the share of it whose requests don't count."""
PATIENCE = 30.0
"""Seconds after the last arrival until the run is given up."""


def two_valued_scv() -> float:
    """Return the squared coefficient of variation of the two-valued service.

    >>> round(two_valued_scv(), 2)
    4.51
    """
    mean = (1 - RARE) * SHORT + RARE * LONG
    return ((1 - RARE) * SHORT**2 + RARE * LONG**2) / mean**2 - 1


DISTRIBUTIONS: dict[str, float] = {
    "deterministic": 0.0,
    "lognormal": LOGNORMAL_SCV,
    "exponential": 1.0,
    "two-valued": two_valued_scv(),
}
"""Distributions of the time asked for, and their squared coefficients of variation."""


def plan(count: int) -> pd.DataFrame:
    """Return the known facts about each run beforehand: number, features, distribution and server.

    Distributions and servers take turns; mean service is log-uniform, load uniform.
    """
    import pandas as pd

    rows = []
    for run in range(count):
        random = np.random.default_rng([2028, run])
        distribution = list(DISTRIBUTIONS)[run % len(DISTRIBUTIONS)]
        server = list(SERVERS)[run // len(DISTRIBUTIONS) % len(SERVERS)]
        turn = run // (len(DISTRIBUTIONS) * len(SERVERS))
        workers = WORKERS[turn % len(WORKERS)] if server == "sleepers" else 1
        service = workers * float(np.exp(random.uniform(*np.log(SERVICES))))
        load = float(random.uniform(*LOADS))
        rows.append(
            {
                "run": run,
                "distribution": distribution,
                "server": server,
                "rate": load * workers / service,
                "service": service,
                "servers": workers,
                "load": load,
                "scv": DISTRIBUTIONS[distribution],
                "sharing": int(server == "time slices"),
                "sleeping": int(server == "sleepers"),
            }
        )
    return pd.DataFrame(rows)


def sizes(distribution: str, random: np.random.Generator, count: int) -> Floats:
    """Return times asked for by one of `DISTRIBUTIONS`, with a mean of 1, shape (count,)."""
    if distribution == "deterministic":
        return np.ones(count)
    if distribution == "exponential":
        return random.exponential(1.0, count)
    if distribution == "lognormal":
        spread = np.log1p(LOGNORMAL_SCV)
        return random.lognormal(-spread / 2, np.sqrt(spread), count)
    if distribution == "two-valued":
        mean = (1 - RARE) * SHORT + RARE * LONG
        return np.where(random.random(count) < RARE, LONG, SHORT) / mean
    raise ValueError(
        f"distribution must be one of {', '.join(DISTRIBUTIONS)}, got {distribution!r}"
    )


def sitting(table: pd.DataFrame, number: int, seconds: float = SECONDS) -> Floats:
    """Return mean response times in seconds, shape (n,), each run of a plan measured once.

    Order and arrivals, which last `seconds` in a run, are the sitting's own.
    """
    means = np.empty(len(table))
    for row in np.random.default_rng(number).permutation(len(table)).tolist():
        run = table.iloc[row]
        random = np.random.default_rng([2029, int(run["run"]), number])
        # Some more than come in that time as a rule; what is planned later isn't sent.
        drawn = round(1.5 * run["rate"] * seconds) + 50
        planned = np.cumsum(random.exponential(1 / run["rate"], drawn))
        asked = run["service"] * sizes(run["distribution"], random, drawn)
        inside = planned < seconds
        responses = respond(
            run["server"], int(run["servers"]), planned[inside], asked[inside].tolist()
        )
        means[row] = responses[planned[inside] >= WARMUP * seconds].mean()
    return means


def respond(server: str, workers: int, planned: Floats, asked: list[float]) -> Floats:
    """Send requests at planned instants and return the seconds from there to each answer.

    `planned` are seconds from the start, rising, and `asked` the seconds that each request asks
    for, shape (n,). Server and generator have a core each where there are two. A server that ends
    or doesn't answer in time is a RuntimeError.
    """
    one_of("server", server, SERVERS)
    program = Path(__file__).with_name("service_process.py")
    command = [sys.executable, "-I", str(program), server, str(workers), str(SERVERS[server])]
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        try:
            if len(cores) > 1:
                os.sched_setaffinity(process.pid, {cores[-1]})
                os.sched_setaffinity(0, {cores[0]})
            assert process.stdout is not None
            port = int(process.stdout.readline())
            with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
                return _exchange(connection, planned, asked)
        finally:
            if len(cores) > 1:
                os.sched_setaffinity(0, set(cores))
            process.kill()


def _exchange(connection: socket.socket, planned: Floats, asked: list[float]) -> Floats:
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.settimeout(None)
    answered, due = np.full(planned.size, np.nan), planned.tolist()
    sent, back, rest = 0, 0, b""
    begin = time.perf_counter()
    # It looks without a pause: a sleeping generator would be late by a wake-up.
    while back < len(due):
        now = time.perf_counter() - begin
        if sent < len(due) and now >= due[sent]:
            connection.sendall(REQUEST.pack(sent, asked[sent]))
            sent += 1
        try:
            came = connection.recv(1 << 16, socket.MSG_DONTWAIT)
        except BlockingIOError:
            if now > due[-1] + PATIENCE:
                raise RuntimeError(f"{sent - back} requests had no answer in time") from None
            continue
        if not came:
            raise RuntimeError(f"the server ended; requests without an answer: {sent - back}")
        now, data = time.perf_counter() - begin, rest + came
        whole = len(data) - len(data) % ANSWER.size
        for (number,) in ANSWER.iter_unpack(data[:whole]):
            answered[number] = now - due[number]
            back += 1
        rest = data[whole:]
    return answered
