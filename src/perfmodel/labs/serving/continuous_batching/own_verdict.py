"""Whether the forecast for the server on this machine held, missed, or can't be judged."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from perfmodel.labs.serving.continuous_batching.own_server import (
    Forecast,
    LoadTest,
    OwnResult,
    StepLine,
    forecast,
)

BUSY = 0.15
"""A step in the test that is off by this share or more tells of another machine than was timed."""


def slowdown(test: LoadTest, line: StepLine) -> float:
    """Return the steps' seconds in a test over those of the line for the same batches."""
    if not test.batches.size:
        return float("nan")
    expected = line.pieces(50).seconds(sequences=np.maximum(test.batches, 2))
    return float(test.step.sum() / expected.sum())


def lengthened(result: OwnResult, by: float = 0.1) -> float:
    """Return the share by which the forecast mean grows if every step takes longer by a share."""
    middle = StepLine(*(np.median(part, keepdims=True) for part in result.line))
    longer = StepLine(*(part * (1 + by) for part in middle))
    return forecast(result.requests, longer).mean[0] / forecast(result.requests, middle).mean[0] - 1


def tail(test: LoadTest) -> float:
    """Return the 95th percentile of the response, in seconds."""
    return float(np.percentile(test.response, 95))


def rows(result: OwnResult) -> list[tuple[str, ...]]:
    """Return the rows of a table: what is measured, the forecast's two ends, each test's (ms).

    A test that was cut off has no number, nor one that wasn't run.
    """
    seen = [
        ("mean", result.said.mean, [float(test.response.mean()) for test in result.tests]),
        ("95th percentile", result.said.tail, [tail(test) for test in result.tests]),
    ]
    return [
        (name, *map(_milliseconds, said), *[*map(_milliseconds, found), "not run"][:2])
        for name, said, found in seen
    ]


def afterwards(result: OwnResult) -> Forecast:
    """Return what the simulator would have said with steps as long as they were in the tests.

    No forecast, as it uses the tests: what still differs is not the step's.
    """
    slow = float(np.mean([slowdown(test, result.line) for test in result.tests]))
    line = StepLine(result.line.fixed * slow, result.line.each * slow)
    return forecast(result.requests, StepLine(*(np.median(part, keepdims=True) for part in line)))


def verdict(result: OwnResult) -> str:
    """Say in a sentence whether the forecast held, missed, or can't be judged."""
    if any(np.isnan(test.response).any() for test in result.tests):
        return (
            "Can't tell. A load test was cut off before all were answered, after twice the planned "
            "time: this machine is too slow for it, or busy with something else."
        )
    slow = [slowdown(test, result.line) for test in result.tests]
    if max(abs(each - 1) for each in slow) >= BUSY:
        return (
            f"Can't tell. Steps in the load tests took {_span(slow)} times as long as when "
            "they were timed, for the same batches. The machine may do other work, or the two "
            "threads may be in each other's way; the line no longer describes it."
        )
    parts = [
        _compared("mean", result.said.mean, [test.response.mean() for test in result.tests]),
        _compared("95th percentile", result.said.tail, [tail(test) for test in result.tests]),
    ]
    said = "Of the response: " + "; ".join(parts) + "."
    if parts[0].endswith("inside"):
        return said
    known = 1e3 * afterwards(result).mean[0]
    return (
        f"{said} Steps took {_span(slow)} times as long as when they were timed. Had that been "
        f"known, the simulator would have said {known:.3g} ms for the mean."
    )


def _compared(name: str, said: tuple[float, float], seen: Sequence[float]) -> str:
    where = f"{name}, forecast {_span(said, 1e3)} ms, measured {_span(seen, 1e3)} ms"
    if max(seen) < said[0] or min(seen) > said[1]:
        off = 100 * (float(np.mean(seen)) / float(np.mean(said)) - 1)
        return f"{where}, {abs(off):.0f} % {'above' if off > 0 else 'below'}"
    if said[0] <= min(seen) and max(seen) <= said[1]:
        return f"{where}, inside"
    return f"{where}: they overlap, can't tell more"


def _milliseconds(seconds: float) -> str:
    return "cut off" if np.isnan(seconds) else f"{1e3 * seconds:.3g}"


def _span(values: Sequence[float], scale: float = 1.0) -> str:
    low, high = (f"{scale * end:.3g}" for end in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"
