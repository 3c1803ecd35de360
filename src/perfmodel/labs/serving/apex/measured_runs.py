"""What vLLM reported of each server, and the requests that it served: the tables of this lab."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import NamedTuple

import numpy as np

from perfmodel.serving import Requests

SINCE_START = {
    ("creation_05", 4): ("lmsys_05",),
    ("summarization_05", 4): ("lmsys_05", "creation_05"),
}
"""Traces that a lone server of this many GPUs had served before, its means not set back."""
NAMES = {"creation": "writing", "lmsys": "chat", "summarization": "summaries"}


class Means(NamedTuple):
    """What is reported of a server, in seconds."""

    first: float
    """Mean time to the first token (TTFT)."""
    token: float
    """Time after first tokens, over all output tokens (TPOT)."""
    total: float
    """Sum of all requests' times."""


@dataclass(frozen=True)
class ServerRun:
    """A trace on one server, a row of `runs.csv`."""

    run: int
    trace: str
    tensor: int
    """GPUs of the server."""
    replicas: int
    """Servers that shared the trace."""
    replica: int
    """Which of them."""
    requests: int
    prompt_tokens: int
    output_tokens: int
    printed: Means

    @property
    def name(self) -> str:
        """In words, as a table shows it."""
        kind, rate = self.trace.split("_")
        plan = (
            f"{self.replicas} x {self.tensor} GPUs" if self.replicas > 1 else f"{self.tensor} GPUs"
        )
        return f"{NAMES[kind]}, {plan}" + (", half the rate" if rate == "025" else "")

    @property
    def before(self) -> tuple[str, ...]:
        """Earlier traces that the printed means include as well."""
        return SINCE_START.get((self.trace, self.tensor), ()) if self.replicas == 1 else ()

    def offered(self) -> Requests:
        """Return the requests, with the tokens that were served."""
        rows = _requests()[_requests()[:, 0] == self.run]
        return Requests(rows[:, 1] / 1e3, rows[:, 2], rows[:, 3])


@cache
def runs() -> tuple[ServerRun, ...]:
    """Return all servers' runs.

    >>> len(runs()), sum(run.requests for run in runs())
    (29, 17098)
    """
    lines = (resources.files(__package__) / "runs.csv").read_text("utf-8").splitlines()[1:]
    rows = [line.split(",") for line in lines]
    found = []
    for number, trace, *cells in rows:
        tensor, replicas, replica, count, prompts, answers = (int(cell) for cell in cells[:6])
        printed = Means(*(float(cell) for cell in cells[6:]))
        found.append(
            ServerRun(
                int(number), trace, tensor, replicas, replica, count, prompts, answers, printed
            )
        )
    return tuple(found)


def server_run(trace: str, tensor: int, replicas: int = 1, replica: int = 0) -> ServerRun:
    """Return the run of a trace on one server, or refuse names of which there is none.

    >>> round(1e3 * server_run("lmsys_05", 8).printed.token, 2)
    14.14
    """
    key = (trace, tensor, replicas, replica)
    for run in runs():
        if (run.trace, run.tensor, run.replicas, run.replica) == key:
            return run
    raise ValueError(f"trace, tensor, replicas, replica must be those of a run, got {key}")


def accounted(run: ServerRun, *, since_start: bool = False) -> float:
    """Return the sum of times that requests and tokens give, over the printed one.

    n TTFT + m TPOT; 1 where the printed means are of these n requests and m tokens. They are the
    run's, or with `since_start` also those of the traces that its server had served before.

    >>> [round(accounted(server_run(trace, 4)), 3) for trace in ("lmsys_05", "creation_05")]
    [1.0, 0.919]
    >>> round(accounted(server_run("creation_05", 4), since_start=True), 3)
    1.0
    """
    before = [server_run(trace, run.tensor) for trace in run.before] if since_start else []
    count = sum(request.requests for request in [*before, run])
    tokens = sum(request.output_tokens for request in [*before, run])
    return (count * run.printed.first + tokens * run.printed.token) / run.printed.total


def alone(run: ServerRun) -> Means:
    """Return the means of a run without what its server had served before.

    Sums are taken apart: of requests, of tokens, of the times before and after first tokens.

    >>> round(1e3 * alone(server_run("creation_05", 4)).token, 2)
    25.74
    """
    earlier = [server_run(trace, run.tensor) for trace in run.before]
    if not earlier:
        return run.printed
    count = sum(request.requests for request in earlier)
    tokens = sum(request.output_tokens for request in earlier)
    last = earlier[-1].printed
    first = run.printed.first * (count + run.requests) - last.first * count
    token = run.printed.token * (tokens + run.output_tokens) - last.token * tokens
    return Means(first / run.requests, token / run.output_tokens, run.printed.total - last.total)


@cache
def _requests() -> np.ndarray:
    with (resources.files(__package__) / "requests.csv").open() as file:
        return np.loadtxt(file, delimiter=",", skiprows=1, dtype=np.int64)
