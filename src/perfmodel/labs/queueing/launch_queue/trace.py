"""From a profiler's trace in Chrome's format to launch delays, by the definitions that tools use.

Times in a file are microseconds, here seconds.

Sources: P. Vellaisamy et al., ISPASS 2025, Eq. 1; the repository of its successor SODA,
https://github.com/prabsy96/SODA---System-Offload-Dynamics-Analyzer, for the handling of skew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.labs.queueing.launch_queue.timeline import LaunchTimeline
from perfmodel.validation import Floats, finite, non_negative, one_of

LAUNCH = "cudaLaunchKernel"

SKEW = 10e-6
"""Seconds by which SODA lets a kernel seem to start before its launch; it drops the rest."""

Since = Literal["begin", "end"]


@dataclass(frozen=True)
class Call:
    """One launch and its kernel; times in seconds."""

    name: str
    """Of the kernel."""
    launch_begin: float
    launch_end: float
    start: float
    end: float


def to_chrome(
    run: LaunchTimeline, names: Sequence[str] = (), call_duration: float = 0.0
) -> dict[str, list[dict[str, Any]]]:
    """Return one run as a trace in Chrome's format, which `json.dump` writes as it is.

    Each launch call takes `call_duration` seconds of the CPU; times in the trace are in
    microseconds.

    >>> from perfmodel.labs.queueing.launch_queue.timeline import timeline
    >>> events = to_chrome(timeline([1e-6], [2e-6], 5e-7))["traceEvents"]
    >>> [(event["name"], event["ts"], event["dur"]) for event in events]
    [('cudaLaunchKernel', 0.0, 0.0), ('kernel', 0.5, 2.0)]
    """
    if run.launches.ndim != 1:
        raise ValueError(f"run must be one run of shape (n,), got {run.launches.shape}")
    called = float(non_negative("call_duration", call_duration))
    titles = list(names) or ["kernel"] * run.launches.size
    if len(titles) != run.launches.size:
        raise ValueError(f"names must be {run.launches.size}, one a kernel, got {len(titles)}")
    events = []
    for index, title in enumerate(titles):
        begin, start, end = (x[index] for x in (run.launches, run.starts, run.ends))
        events.append(_event("cuda_runtime", LAUNCH, begin, called, index))
        events.append(_event("kernel", title, start, end - start, index))
    return {"traceEvents": events}


def from_chrome(trace: Mapping[str, Any]) -> list[Call]:
    """Return the launches of a trace in Chrome's format with their kernels, in order of launch.

    `trace` is what `json.load` returns for a file of PyTorch's profiler, or `to_chrome`. A launch
    without a kernel in the trace, or a kernel without a launch, is left out.

    >>> from perfmodel.labs.queueing.launch_queue.timeline import timeline
    >>> calls = from_chrome(to_chrome(timeline([1e-6], [2e-6], 5e-7)))
    >>> calls[0].start, calls[0].end
    (5e-07, 2.5e-06)
    """
    if "traceEvents" not in trace:
        raise ValueError(f"trace must have the key 'traceEvents', got {sorted(trace)}")
    launches: dict[Any, Mapping[str, Any]] = {}
    kernels: dict[Any, Mapping[str, Any]] = {}
    for event in trace["traceEvents"]:
        where = _side(event)
        if where:
            (launches if where == "launch" else kernels)[event["args"]["correlation"]] = event
    both = [(launches[key], kernels[key]) for key in launches if key in kernels]
    if not both:
        raise ValueError("trace must hold a kernel with its launch, got none")
    calls = [Call(k["name"], *_span(launch), *_span(k)) for launch, k in both]
    return sorted(calls, key=lambda call: call.launch_begin)


def delays(calls: Sequence[Call], since: Since = "begin", skew: float | None = None) -> Floats:
    """Return the launch and queueing time of each kernel, by one of the definitions in use.

    They are in seconds and counted from the begin of the launch call (the paper's Eq. 1) or from
    its end (an early version of SODA); their sum is TKLQT. With `skew`, clock skew is cleaned as
    SODA does, whose value is `SKEW`: kernels that seem to start this many seconds or more before
    their launch are dropped, those that start less before it count as 0.

    >>> calls = [Call("a", 150e-6, 160e-6, 200e-6, 210e-6), Call("b", 280e-6, 290e-6, 300e-6, 9.0)]
    >>> print((1e6 * delays(calls)).round(3), (1e6 * delays(calls, since="end")).round(3))
    [50. 20.] [40. 10.]
    """
    if not calls:
        raise ValueError("calls must be one or more, got none")
    one_of("since", since, get_args(Since))
    waited = finite(
        "calls", [c.start - (c.launch_begin if since == "begin" else c.launch_end) for c in calls]
    )
    return waited if skew is None else _cleaned(waited, skew)


def _cleaned(waited: Floats, skew: ArrayLike) -> Floats:
    limit, waited = float(non_negative("skew", skew)), np.round(waited, 12)
    return np.maximum(waited[waited > -limit], 0.0) if limit else waited[waited >= 0]


def _event(kind: str, name: str, start: float, length: float, key: int) -> dict[str, Any]:
    return {
        "ph": "X",
        "cat": kind,
        "name": name,
        "ts": float(1e6 * start),
        "dur": float(1e6 * length),
        "args": {"correlation": key},
    }


def _side(event: Mapping[str, Any]) -> str:
    if event.get("ph") != "X" or "correlation" not in event.get("args", {}):
        return ""
    if event.get("cat") == "kernel":
        return "kernel"
    return "launch" if str(event.get("name", "")).startswith(LAUNCH) else ""


def _span(event: Mapping[str, Any]) -> tuple[float, float]:
    begin = float(event["ts"])
    return begin / 1e6, (begin + float(event["dur"])) / 1e6
