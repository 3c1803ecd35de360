"""What a load generator's file holds: steps, each a run with a number of users.

>>> LoadStep(throughput=40.0, users=2.0, mean_response=0.05).open_loop
False
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

_GO = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ns": 1e-9}
K6_TRAPS = (
    "k6's http_reqs is the mean over the whole run, ramps and pauses of its users in it; vus is "
    "the largest number of users.",
    "k6's http_req_duration leaves out the connecting.",
)
VEGETA_TRAPS = (
    "vegeta sends by the clock; its throughput counts successful answers only, its rate all "
    "that were sent.",
)


@dataclass(frozen=True)
class LoadStep:
    """One run of a load generator."""

    throughput: float
    """Requests per second that were answered."""
    users: float | None = None
    """Users or connections that sent the next request when the last was answered."""
    mean_response: float | None = None
    """Seconds."""
    quantiles: Mapping[float, float] = field(default_factory=dict)
    """Response times in seconds by level, 0.99 for the 99th percentile."""
    failed: float = 0.0
    """Share of the requests that the tool counts as failed."""
    open_loop: bool = False
    """Whether requests were sent by the clock, whatever came back."""


@dataclass(frozen=True)
class LoadTest:
    """The steps of a file, and what its numbers are and aren't."""

    format: str
    steps: tuple[LoadStep, ...]
    traps: tuple[str, ...]


def seconds(text: str) -> float:
    """Return a duration as Go and wrk print it, in seconds.

    Raises `ValueError` if it is none.

    >>> seconds("5m0.5s"), round(seconds("635.089µs"), 9)
    (300.5, 0.000635089)
    """
    parts = re.findall(r"(\d+(?:\.\d+)?)(ms|us|µs|μs|ns|h|m|s)", text.strip())
    if "".join(value + unit for value, unit in parts) != text.strip() or not parts:
        raise ValueError(f"{text!r} is no duration")
    return sum(float(value) * _GO[unit] for value, unit in parts)
