"""Bandwidth of a GPU's memory, of its cache, and of the link to the host's memory."""

from __future__ import annotations

from perfmodel.measurement.gpu.device import Device
from perfmodel.measurement.gpu.timing import Watch
from perfmodel.measurement.runs import RUNS, Runs
from perfmodel.validation import one_of, whole

LARGE = 1 << 30
"""Bytes of an array that no cache holds."""

DIRECTIONS = ("host to GPU", "GPU to host")


def array_bytes(device: Device) -> int:
    """Return the bytes of an array to measure `device` with: 1 GiB, or an eighth of its memory."""
    return min(LARGE, device.about().memory // 8 // 1024 * 1024)


def copy(watch: Watch, size: int | None = None, runs: int = RUNS) -> Runs:
    """Measure a copy of `size` bytes within the GPU's memory, counting the bytes read and written.

    Small arrays stay in the cache; without a size it's `array_bytes`.

    >>> from perfmodel.measurement.gpu.simulated import SimulatedGpu
    >>> round(copy(Watch(SimulatedGpu(bandwidth=2e12)), runs=3).best / 1e12, 3)
    2.0
    """
    device, count = watch.device, _numbers(watch, size)
    a, b = (device.random((count,), "fp32") for _ in range(2))
    moved = 2 * 4 * count
    return watch.runs("copy", lambda: device.copy(b, a), moved, "bytes", runs, note=_said(moved))


def triad(watch: Watch, size: int | None = None, runs: int = RUNS) -> Runs:
    """Measure a = b + 3 c on arrays of `size` bytes; a GPU writes lines without reading them."""
    device, count = watch.device, _numbers(watch, size)
    a, b, c = (device.random((count,), "fp32") for _ in range(3))
    moved = 3 * 4 * count
    launch = lambda: device.triad(a, b, c)  # noqa: E731
    return watch.runs("triad", launch, moved, "bytes", runs, note=_said(moved))


def transfer(
    watch: Watch,
    direction: str = "host to GPU",
    pinned: bool = True,
    size: int = 64 << 20,
    runs: int = 20,
) -> Runs:
    """Measure the link to the host, in one of `DIRECTIONS`, in bytes that are counted once.

    Pinned memory stays where it is, so the GPU fetches it by itself; from ordinary, pageable memory
    the driver copies it to a pinned buffer first.

    >>> from perfmodel.measurement.gpu.simulated import SimulatedGpu
    >>> round(transfer(Watch(SimulatedGpu(pinned=25e9)), runs=3).best / 1e9, 3)
    25.0
    """
    one_of("direction", direction, DIRECTIONS)
    device, count = watch.device, _numbers(watch, size)
    there, here = device.random((count,), "fp32"), device.host(count, pinned)
    target, source = (there, here) if direction == DIRECTIONS[0] else (here, there)
    kind = "pinned" if pinned else "pageable"
    return watch.runs(
        f"{direction}, {kind}",
        lambda: device.copy(target, source),
        4 * count,
        "bytes",
        runs,
        note=f"{kind} memory, {size >> 20} MiB a transfer",
        covered=pinned,
    )


def _numbers(watch: Watch, size: int | None) -> int:
    return (array_bytes(watch.device) if size is None else whole("size", size, 4)) // 4


def _said(moved: int) -> str:
    return f"{moved >> 10:,} KiB a launch, read and written"
