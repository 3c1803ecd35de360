"""A GPU whose true figures are known: methods are tried on it, and readers without a GPU practise.

Its host launches work into a queue, its stream takes the work out in order, and both have a clock
of their own. Nothing is computed.

>>> gpu = SimulatedGpu(launch_time=4e-6)
>>> began = gpu.now()
>>> gpu.empty_kernel()
>>> round(1e6 * (gpu.now() - began), 3)
4.0
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from math import prod

import numpy as np

from perfmodel.measurement.errors import Unavailable
from perfmodel.measurement.gpu.device import BYTES, About
from perfmodel.validation import non_negative, positive, whole


@dataclass(frozen=True)
class SimulatedArray:
    """A place for an array: how large it is and where it lies."""

    shape: tuple[int, ...]
    precision: str
    where: str
    """`gpu`, `pinned` or `pageable`."""

    @property
    def size(self) -> int:
        """Bytes."""
        return prod(self.shape) * BYTES[self.precision]


@dataclass
class Event:
    """A mark, and when the GPU passes it."""

    at: float


class SimulatedGpu:
    """A GPU and its host, with made-up figures; the defaults are round numbers, no product's.

    See `device.Device` for what each method does.

    Parameters
    ----------
    launch_time : float
        Seconds that the host needs for a launch.
    latency : float
        Seconds from the end of a launch to the kernel's start when the queue is empty.
    least_duration : float
        Seconds of a kernel that does nothing.
    bandwidth : float
        Bytes/s of its memory.
    l2_cache, l2_bandwidth : float
        Bytes of its cache, and bytes/s of data that fit into it.
    peaks : dict
        FLOP/s by precision, of multiply-adds in registers.
    products : dict
        FLOP/s by precision, of a large matrix product.
    pinned, pageable : float
        Bytes/s from or to the host's memory of each kind.
    depth : int
        Launches that fit in the queue; with this many in it the host has to wait.
    spread : float
        Standard deviation of the logarithm of a kernel's time.
    seed : int
    """

    precisions = ("fp64", "fp32", "tf32", "fp16", "bf16")

    def __init__(
        self,
        launch_time: float = 5e-6,
        latency: float = 3e-6,
        least_duration: float = 1.5e-6,
        bandwidth: float = 2e12,
        l2_cache: int = 40 << 20,
        l2_bandwidth: float = 5e12,
        peaks: dict[str, float] | None = None,
        products: dict[str, float] | None = None,
        pinned: float = 25e9,
        pageable: float = 8e9,
        depth: int = 1024,
        log_deviation: float = 0.0,
        seed: int = 1,
    ) -> None:
        self.launch_time = float(positive("launch_time", launch_time))
        self.latency = float(non_negative("latency", latency))
        self.least_duration = float(positive("least_duration", least_duration))
        self.bandwidth = float(positive("bandwidth", bandwidth))
        self.l2_cache = whole("l2_cache", l2_cache)
        self.l2_bandwidth = float(positive("l2_bandwidth", l2_bandwidth))
        self.peaks = peaks or {"fp64": 10e12, "fp32": 20e12, "fp16": 40e12}
        self.products = products or {
            "fp64": 9e12, "fp32": 18e12, "tf32": 100e12, "fp16": 200e12, "bf16": 200e12
        }  # fmt: skip
        self.links = {
            "pinned": float(positive("pinned", pinned)),
            "pageable": float(positive("pageable", pageable)),
        }
        self.depth = whole("depth", depth, 1)
        self.spread = float(non_negative("log_deviation", log_deviation))
        self._random = np.random.default_rng(seed)
        self._host = 0.0
        self._free = 0.0
        self._starts: deque[float] = deque()

    def about(self) -> About:
        """Return what it is: a simulation."""
        return About("simulated GPU", 100, 40 << 30, self.l2_cache, "0.0", "simulation", "none")

    def now(self) -> float:
        """Return the host's time in seconds; reading it takes none."""
        return self._host

    def random(self, shape: tuple[int, ...], precision: str) -> SimulatedArray:
        """Return a place on the GPU."""
        return SimulatedArray(tuple(shape), precision, "gpu")

    def host(self, count: int, pinned: bool) -> SimulatedArray:
        """Return a place on the host."""
        return SimulatedArray((count,), "fp32", "pinned" if pinned else "pageable")

    def copy(self, target: SimulatedArray, source: SimulatedArray) -> None:
        """Launch a copy, at the speed of the slower of the two places."""
        hosts = {target.where, source.where} - {"gpu"}
        if hosts:
            self._launch(max(source.size / self.links[host] for host in hosts))
        else:
            self._launch(self._moving(2 * source.size))

    def triad(self, a: SimulatedArray, b: SimulatedArray, c: SimulatedArray) -> None:
        """Launch a kernel that moves three arrays."""
        self._launch(self._moving(a.size + b.size + c.size))

    def product(
        self, c: SimulatedArray, a: SimulatedArray, b: SimulatedArray, precision: str
    ) -> None:
        """Launch a product: as long as its operations or its bytes take."""
        flop = 2.0 * a.shape[0] * a.shape[1] * b.shape[1]
        moved = self._moving(a.size + b.size + c.size)
        self._launch(max(flop / self.products[precision], moved))

    def empty_kernel(self) -> None:
        """Launch a kernel that does nothing."""
        self._launch(0.0)

    def multiply_adds(self, precision: str, turns: int) -> int:
        """Launch a million multiply-adds a turn."""
        if precision not in self.peaks:
            raise Unavailable(f"the peak of {precision}", "it was given none", "pass `peaks`")
        flop = 2_000_000 * whole("turns", turns, 1)
        self._launch(flop / self.peaks[precision])
        return flop

    def record_event(self) -> Event:
        """Launch an event; unlike a kernel it takes no time on the GPU."""
        self._host += 0.2 * self.launch_time
        return Event(max(self._host, self._free))

    def query_event(self, mark: Event) -> bool:
        """Return whether the GPU is past an event by now."""
        return self._host >= mark.at

    def elapsed_time(self, first: Event, last: Event) -> float:
        """Return the seconds between two events."""
        return last.at - first.at

    def synchronize_event(self, mark: Event | None = None) -> None:
        """Let the host wait for an event, or for all that was launched."""
        self._host = max(self._host, self._free if mark is None else mark.at)

    def _moving(self, size: float) -> float:
        return size / (self.l2_bandwidth if size <= self.l2_cache else self.bandwidth)

    def _launch(self, seconds: float) -> None:
        while self._starts and self._starts[0] <= self._host:
            self._starts.popleft()
        if len(self._starts) >= self.depth:
            self._host = self._starts.popleft()
        self._host += self.launch_time
        start = max(self._host + self.latency, self._free)
        noise = float(np.exp(self.spread * self._random.standard_normal()))
        self._free = start + max(seconds, self.least_duration) * noise
        self._starts.append(start)
