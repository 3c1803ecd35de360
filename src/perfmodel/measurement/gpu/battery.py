"""What one child process of the GPU's suite measures: memory, arithmetic, launches, the link."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from perfmodel.measurement.errors import Unavailable
from perfmodel.measurement.gpu import bandwidth, launches, products, registers
from perfmodel.measurement.gpu.device import Device, find
from perfmodel.measurement.gpu.timing import Watch
from perfmodel.measurement.readings import Reading, Readings, guarded, rate
from perfmodel.measurement.runs import Runs

SIZES = {"fp64": 2048, "fp32": 4096, "tf32": 8192, "fp16": 8192, "bf16": 8192}
"""Rows of the square matrices whose product is timed: large enough to fill the GPU, and no larger
than the slowest of them can multiply in a second."""
TURNS = 2000
"""Turns of the loop of multiply-adds in a launch: milliseconds, so that starting hides."""
RUNS = 20
"""Of each capacity in each of three processes."""


def everything(library: str | None = None, opened: Callable[..., Device] = find) -> Readings:
    """Return all readings of the GPU; if there is none, only the error that says why."""
    try:
        device = opened(library)
    except Unavailable as missing:
        return [missing]
    watch = Watch(device)
    found: Readings = []
    for part in (_memory, _products, _starts, _links):
        found += guarded(lambda: part(watch))  # noqa: B023
    for precision in registers.PRECISIONS:
        found += guarded(lambda: _peak(watch, precision))  # noqa: B023
    return found


def _memory(watch: Watch) -> Iterator[Reading]:
    yield rate("memory_bandwidth", bandwidth.triad(watch, runs=RUNS))
    yield rate("copy_bandwidth", bandwidth.copy(watch, runs=RUNS))
    cache = watch.device.about().l2_cache
    if cache:
        yield rate("l2_bandwidth", bandwidth.copy(watch, cache // 4, RUNS))


def _products(watch: Watch) -> Iterator[Reading]:
    for precision in watch.device.precisions:
        size = SIZES[precision]
        found = products.product(watch, (size, size, size), precision, RUNS, seconds=5e-3)
        yield rate(f"gemm_{precision}", found)


def _peak(watch: Watch, precision: str) -> Iterator[Reading]:
    def launch() -> int:
        return watch.device.multiply_adds(precision, TURNS)

    work = launch()
    yield rate(f"peak_{precision}", watch.runs("multiply-adds", launch, work, "FLOP", RUNS))


def _starts(watch: Watch) -> Iterator[Reading]:
    yield _event("launch_time", launches.launch_time(watch.device))
    yield _event("launch_and_wait_time", launches.round_trip(watch.device))
    yield _event("null_kernel_time", launches.null_duration(watch))


def _links(watch: Watch) -> Iterator[Reading]:
    for way in bandwidth.WAYS:
        for kind, pinned in (("pinned", True), ("pageable", False)):
            found = bandwidth.transfer(watch, way, pinned, runs=RUNS)
            yield rate(f"{way.lower().replace(' ', '_')}_{kind}", found)


def _event(quantity: str, runs: Runs) -> Reading:
    typical = 1 / runs.median
    return Reading(quantity, "s", runs.shortest, typical, runs.seconds.size, runs.note)
