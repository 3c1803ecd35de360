"""What one child process of the GPU's suite measures: memory, arithmetic, launches, the link."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from math import isnan

from perfmodel.measurement import nvml
from perfmodel.measurement.errors import Unavailable
from perfmodel.measurement.gpu import bandwidth, launches, products, registers
from perfmodel.measurement.gpu.device import Device, find_gpu
from perfmodel.measurement.gpu.timing import Watch
from perfmodel.measurement.readings import Reading, Readings, guarded, rate
from perfmodel.measurement.runs import Runs

TURNS = 500
"""Turns of the loop of multiply-adds in a launch: milliseconds, so that starting hides."""
HALF = ("fp16", "bf16")
RUNS = 20
"""Of each capacity in each of three processes."""


def everything(
    library: str | None = None, opened: Callable[..., Device] = find_gpu
) -> tuple[Readings, tuple[str, ...]]:
    """Return all readings of the GPU, and why it held back its clocks while it worked.

    If there is no GPU, the only reading is the error that says why. `library` is as for `find_gpu`,
    and `opened` what finds the device, another one in tests.
    """
    try:
        device = opened(library)
    except Unavailable as missing:
        return [missing], ()
    pci, bits = device.about().pci, 0
    watch = Watch(device, lambda: nvml.state(pci))
    watch.warm_up()
    readings: Readings = []
    for name, part in _parts(watch):
        readings += guarded(lambda: _survived(name, part))  # noqa: B023
        held = watch.seen["reasons"]
        bits |= 0 if isnan(held) else int(held)
    return readings, tuple(why for why in nvml.reasons(bits) if why != "idle")


def _parts(watch: Watch) -> Iterator[tuple[str, Callable[[], Iterator[Reading]]]]:
    """Yield what is measured one by one, so that one that fails takes no other with it."""
    yield "memory", partial(_memory, watch)
    yield "the start of kernels", partial(_starts, watch)
    yield "the link to the host", partial(_links, watch)
    for precision in watch.device.precisions:
        yield f"products in {precision}", partial(_product, watch, precision)
    for precision in registers.PRECISIONS:
        yield f"the peak of {precision}", partial(_peak, watch, precision)


def _survived(name: str, part: Callable[[], Iterator[Reading]]) -> Iterator[Reading]:
    """Yield a part's readings; what the GPU's library raises, such as lack of memory, is said."""
    try:
        yield from part()
    except (RuntimeError, MemoryError) as error:
        if isinstance(error, Unavailable):
            raise
        why = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise Unavailable(name, why, "close what else uses the GPU, and try again") from error


def _memory(watch: Watch) -> Iterator[Reading]:
    yield rate("memory_bandwidth", bandwidth.triad(watch, runs=RUNS))
    yield rate("copy_bandwidth", bandwidth.copy(watch, runs=RUNS))
    cache = watch.device.about().l2_cache
    if cache:
        # Not the cache's own bandwidth: the start of a kernel is a good part of so short a copy.
        yield rate("copy_in_l2_bandwidth", bandwidth.copy(watch, cache // 4, RUNS))


def _product(watch: Watch, precision: str) -> Iterator[Reading]:
    measured = products.largest(watch, precision, RUNS)
    note = f"{measured.note}; the best size: {measured.name}"
    yield rate(f"gemm_{precision}", replace(measured, note=note))


def _peak(watch: Watch, precision: str) -> Iterator[Reading]:
    def launch() -> int:
        return watch.device.multiply_adds(precision, TURNS)

    work = launch()
    measured = watch.runs("multiply-adds", launch, work, "FLOP", RUNS, note="vector units")
    # Matrix units are faster; there is no such loop for them (`suite.as_machine` names their peak).
    yield rate(f"{'vector' if precision in HALF else 'peak'}_{precision}", measured)


def _starts(watch: Watch) -> Iterator[Reading]:
    yield _event("library_launch_time", launches.launch_time(watch.device))
    yield _event("library_launch_and_wait_time", launches.round_trip(watch.device))
    yield _event("null_kernel_time", launches.null_duration(watch))


def _links(watch: Watch) -> Iterator[Reading]:
    for way in bandwidth.DIRECTIONS:
        for kind, pinned in (("pinned", True), ("pageable", False)):
            measured = bandwidth.transfer(watch, way, pinned, runs=RUNS)
            yield rate(f"{way.lower().replace(' ', '_')}_{kind}", measured)


def _event(quantity: str, runs: Runs) -> Reading:
    typical = 1 / runs.median
    return Reading(quantity, "s", runs.shortest, typical, runs.seconds.size, runs.note)
