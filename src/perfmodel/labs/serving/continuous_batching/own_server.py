"""A server of threads on this machine that batches, and its latency forecast before it is measured.

A step is a product of matrices: the weights are read once for all of a batch, as by a model of
language. One thread works in steps and takes in, before each, who waits and finds a seat; another
thread sends requests at planned instants and never waits for an answer. First the step is timed
with several batches, a line put through it, and the plan of requests played by the simulator with
the fastest and the slowest line. Only then does the load test run, which says whether the forecast
held, missed, or can't be judged.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

import numpy as np
import threadpoolctl
from numpy.typing import NDArray

from perfmodel.serving import BatchRules, Requests, StepPieces, simulate_serving
from perfmodel.validation import Floats, positive, whole

SEATS, STEPS = 32, 30
"""Seats of the server; mean steps of a request."""
BATCHES = (2, 4, 8, 16, 24, 32)
"""Batches with which a step is timed; a product with one row would be another routine."""
LOAD = 0.75
"""Share of what the full batch can do that is offered."""
_WIDTH = 1536
_SECONDS = 1.2
_PATIENCE = 2.0
_GRACE = 0.5
_TIMED = 1.5


class Step(Protocol):
    """Whatever does a step for a batch."""

    def __call__(self, batch: int, /) -> object:
        """Do one step for `batch` sequences."""


class StepLine(NamedTuple):
    """Seconds of a step as a line of its batch, from each round of measuring."""

    fixed: Floats
    """(rounds,) seconds of a step, whatever its batch."""
    each: Floats
    """(rounds,) seconds more for each sequence."""

    def pieces(self, percent: float) -> StepPieces:
        """Return the round nearest to a percentile, in the order of steps with half the seats."""
        order = np.argsort(self.fixed + self.each * SEATS / 2, kind="stable")
        at = order[round(percent / 100 * (order.size - 1))]
        return StepPieces(self.fixed[at], 0.0, self.each[at], 0.0)


class LoadTest(NamedTuple):
    """What a load test saw; seconds."""

    response: Floats
    """(n,) from a request's planned arrival to its last step; nan if the test was cut off."""
    batches: NDArray[np.int64]
    """(steps,) sequences of each step."""
    step: Floats
    """(steps,) seconds of each step."""


class Forecast(NamedTuple):
    """What the simulator says before the test: with the fastest and the slowest round's line."""

    mean: tuple[float, float]
    """Seconds of the mean response."""
    tail: tuple[float, float]
    """Seconds of its 95th percentile."""


class OwnResult(NamedTuple):
    """All of a session."""

    line: StepLine
    """The step, timed beforehand."""
    requests: Requests
    """As planned."""
    said: Forecast
    """Said before the tests."""
    tests: tuple[LoadTest, ...]
    """The load tests, all of the same plan."""


def matrix_step(width: int = _WIDTH, slots: int = SEATS) -> Step:
    """Return a step that multiplies a row for each sequence by one square matrix."""
    rng = np.random.default_rng(0)
    weights = rng.standard_normal((width, width), dtype=np.float32)
    rows = rng.standard_normal((max(2, slots), width), dtype=np.float32)
    out = np.empty_like(rows)

    def step(batch: int, /) -> None:
        some = max(2, batch)
        np.matmul(rows[:some], weights, out=out[:some])

    return step


def time_steps(
    step: Step,
    rounds: int = 5,
    each: int = 8,
    clock: Callable[[], float] = time.perf_counter,
) -> StepLine:
    """Time a step with several batches in turn, and put a line through each round.

    In a round the mean of `each` steps counts, as the load test sees it. On a slow machine a round
    has fewer steps, and none begins after a second and a half; one is always timed. Lines are of
    least squares of the relative error, not falling and not below 0.
    """
    lines: list[tuple[float, float]] = []
    sizes = np.array(BATCHES, dtype=np.float64)
    opening, many = clock(), 1
    for number in range(whole("rounds", rounds, low=1) + 1):
        if lines and clock() - opening > _TIMED:
            break
        seconds = []
        for batch in BATCHES:
            begin = clock()
            for _ in range(many):
                step(batch)
            seconds.append((clock() - begin) / many)
        if not number:  # it warms up
            many = int(np.clip(_TIMED / max(2 * sum(seconds), 1e-9), 1, whole("each", each, low=1)))
        else:
            lines.append(_line(sizes, np.array(seconds)))
    fixed, slope = np.array(lines).T
    return StepLine(fixed, slope)


def plan(line: StepLine, seed: int = 1) -> Requests:
    """Return random requests that load the server as `LOAD` says, for about a second.

    Their prompts are of one token and cost nothing; outputs are geometric.
    """
    full = float(line.pieces(50).seconds(sequences=SEATS))
    rate = LOAD * SEATS / (STEPS * full)
    count = int(np.clip(rate * _SECONDS, 5, 600))
    rng = np.random.default_rng(seed)
    gaps = rng.exponential(1 / rate, count)
    return Requests(np.cumsum(gaps), 1, rng.geometric(1 / STEPS, count))


def forecast(requests: Requests, line: StepLine) -> Forecast:
    """Play the plan with the fastest and with the slowest of the measured lines."""
    rules = BatchRules(max_num_seqs=SEATS, policy="decode first")
    ends = [simulate_serving(requests, line.pieces(q), rules).response for q in (0, 100)]
    mean = sorted(float(each.mean()) for each in ends)
    tail = sorted(float(np.percentile(each, 95)) for each in ends)
    return Forecast((mean[0], mean[1]), (tail[0], tail[1]))


def load_test(
    requests: Requests,
    step: Step,
    slots: int = SEATS,
    patience: float = _PATIENCE,
    clock: Callable[[], float] = time.perf_counter,
    sleep: Callable[[float], None] = time.sleep,
) -> LoadTest:
    """Send requests to a thread that works in steps for all who have a seat.

    After `patience` times the planned span, and half a second, the test is cut off.
    """
    arrivals, steps = requests.arrival.tolist(), requests.output.tolist()
    end = clock() + positive("patience", patience) * arrivals[-1] + _GRACE
    response = np.full(len(arrivals), np.nan)
    line: deque[int] = deque()
    came = threading.Condition()
    log: list[tuple[int, float]] = []
    opening = clock()

    def work() -> None:
        remaining: dict[int, int] = {}
        unserved = len(arrivals)
        while unserved and clock() < end:
            with came:
                while not line and not remaining and clock() < end:
                    came.wait(0.05)
                while line and len(remaining) < slots:
                    request = line.popleft()
                    remaining[request] = steps[request]
            if not remaining:
                continue
            begin = clock()
            step(len(remaining))
            now = clock()
            log.append((len(remaining), now - begin))
            for request in [*remaining]:
                remaining[request] -= 1
                if not remaining[request]:
                    del remaining[request]
                    response[request] = now - opening - arrivals[request]
                    unserved -= 1

    worker = threading.Thread(target=work)
    worker.start()
    for number, due in enumerate(arrivals):
        early = due - (clock() - opening)
        if early > 0:
            sleep(early)
        with came:
            line.append(number)
            came.notify()
    worker.join()
    batches, seconds = np.array(log, dtype=np.float64).reshape(-1, 2).T
    return LoadTest(response, batches.astype(np.int64), seconds)


def measure_here(tests: int = 2) -> OwnResult:
    """Time the step, forecast, and only then load the server; three to eight seconds.

    After a load test that was cut off none follows.
    """
    with threadpoolctl.threadpool_limits(1):
        step = matrix_step()
        line = time_steps(step)
        requests = plan(line)
        said = forecast(requests, line)
        load_tests: list[LoadTest] = []
        while len(load_tests) < whole("tests", tests, low=1):
            load_tests.append(load_test(requests, step))
            if np.isnan(load_tests[-1].response).any():
                break
    return OwnResult(line, requests, said, tuple(load_tests))


def _line(sizes: Floats, seconds: Floats) -> tuple[float, float]:
    """Return the line with the least relative errors, as a constant where it would fall."""
    design = np.column_stack([1 / seconds, sizes / seconds])
    fixed, each = np.linalg.lstsq(design, np.ones(sizes.size), rcond=None)[0]
    if each < 0 or fixed < 0:
        return float(seconds.mean()), 0.0
    return float(fixed), float(each)


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
    quantities = [
        ("mean", result.said.mean, [float(test.response.mean()) for test in result.tests]),
        ("95th percentile", result.said.tail, [tail(test) for test in result.tests]),
    ]
    return [
        (name, *map(_milliseconds, said), *[*map(_milliseconds, measured), "not run"][:2])
        for name, said, measured in quantities
    ]


def afterwards(result: OwnResult) -> Forecast:
    """Return what the simulator would have said with steps as long as they were in the tests.

    No forecast, as it uses the tests: what still differs is not the step's.
    """
    slow = float(np.mean([slowdown(test, result.line) for test in result.tests]))
    line = StepLine(result.line.fixed * slow, result.line.each * slow)
    return forecast(result.requests, StepLine(*(np.median(part, keepdims=True) for part in line)))


def conclusion(result: OwnResult) -> str:
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


def _compared(name: str, said: tuple[float, float], measured: Sequence[float]) -> str:
    where = f"{name}, forecast {_span(said, 1e3)} ms, measured {_span(measured, 1e3)} ms"
    if max(measured) < said[0] or min(measured) > said[1]:
        off = 100 * (float(np.mean(measured)) / float(np.mean(said)) - 1)
        return f"{where}, {abs(off):.0f} % {'above' if off > 0 else 'below'}"
    if said[0] <= min(measured) and max(measured) <= said[1]:
        return f"{where}, inside"
    return f"{where}: they overlap, can't tell more"


def _milliseconds(seconds: float) -> str:
    return "cut off" if np.isnan(seconds) else f"{1e3 * seconds:.3g}"


def _span(values: Sequence[float], scale: float = 1.0) -> str:
    low, high = (f"{scale * end:.3g}" for end in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"
