"""Memory and time of matrix products in two precisions, on the machine that runs this."""

from __future__ import annotations

import mmap
import threading
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from perfmodel.benchmarking import time_average
from perfmodel.measurement import geometric_mean_interval
from perfmodel.measurement.load import usable_cores
from perfmodel.validation import Floats, one_of, positive, whole


@dataclass(frozen=True, eq=False)
class Footprint:
    """One run: memory above that before the run, and the time of each product."""

    times: Floats
    """Seconds of the readings of the memory, shape (n,)."""
    memory: Floats
    """Bytes of resident memory above those before the run, shape (n,)."""
    latencies: Floats
    """Seconds of each product, shape (products,)."""
    utilization: float
    """Core time used over the core time available, 0 to 1 and a little beyond."""

    @property
    def mean_memory(self) -> float:
        """Bytes, the mean over time."""
        return time_average(self.times, self.memory, "held")

    @property
    def latency(self) -> float:
        """Seconds, the median over products."""
        return float(np.median(self.latencies))


def measure_footprint(
    precision: str, size: int = 600, products: int = 8, gap: float = 0.002
) -> Footprint:
    """Multiply square matrices while a thread reads this process's memory.

    The thread sleeps `gap` seconds between two readings. It comes late when the machine is busy,
    which is why the readings carry their times.
    """
    one_of("precision", precision, ("float32", "float64"))
    rows, count = whole("size", size, 1), whole("products", products, 1)
    pause = float(positive("gap", gap))
    _multiply(precision, rows, 1)  # the library's own buffers come first, once
    with _MemoryReader(pause) as reader:
        used = time.process_time()
        latencies = _multiply(precision, rows, count)
        busy = time.process_time() - used
    times, memory = reader.trace()
    return Footprint(times, memory, latencies, busy / float(times[-1]) / usable_cores())


class _MemoryReader:
    """A thread that notes the time and this process's memory until the block ends."""

    def __init__(self, pause: float) -> None:
        import psutil

        self._process, self._pause = psutil.Process(), pause
        self._readings: list[tuple[float, int]] = []
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._read)

    def __enter__(self) -> _MemoryReader:
        self._note()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()
        self._readings.append((time.perf_counter(), self._readings[-1][1]))

    def _read(self) -> None:
        while not self._done.wait(self._pause):
            self._note()

    def _note(self) -> None:
        self._readings.append((time.perf_counter(), self._process.memory_info().rss))

    def trace(self) -> tuple[Floats, Floats]:
        """Return seconds since the first reading, and bytes above it."""
        times, memory = np.array(self._readings, dtype=np.float64).T
        return times - times[0], memory - memory[0]


def _multiply(precision: str, rows: int, count: int) -> Floats:
    first, second, result = (_matrix(precision, rows) for _ in range(3))
    first.fill(1.5)
    second.fill(0.5)
    seconds = []
    for _ in range(count):
        begin = time.perf_counter()
        np.matmul(first, second, out=result)
        seconds.append(time.perf_counter() - begin)
    return np.array(seconds)


def _matrix(precision: str, rows: int) -> NDArray[Any]:
    """Return a matrix in pages of its own, which the system gets back when nothing holds it.

    NumPy's own memory may come from what an earlier run left to the process, and would not show.
    """
    pages = mmap.mmap(-1, rows * rows * np.dtype(precision).itemsize)
    return np.frombuffer(pages, dtype=precision).reshape(rows, rows)


def alternating_footprints(runs: int = 5, size: int = 600) -> list[tuple[Footprint, Footprint]]:
    """Return pairs of runs in float32 and float64, in turns: a disturbance falls on both."""
    pairs = []
    for _ in range(whole("runs", runs, 2)):
        single, double = (measure_footprint(p, size) for p in ("float32", "float64"))
        pairs.append((single, double))
    return pairs


def footprint_ratio(
    pairs: list[tuple[Footprint, Footprint]], quantity: str
) -> tuple[float, float, float]:
    """Return the geometric mean of float64 over float32 of a quantity, with Student's interval."""
    ratios = [getattr(double, quantity) / getattr(single, quantity) for single, double in pairs]
    return geometric_mean_interval(ratios)


def footprint_verdict(memory: tuple[float, float, float], speed: tuple[float, float, float]) -> str:
    """Return a conclusion from the ratios (value, low, high) of mean memory and of time.

    >>> footprint_verdict((2.0, 1.9, 2.1), (2.1, 0.5, 6.0))[:48]
    'float64 takes **2.00 times** the memory of float'
    """
    sentence = (
        f"float64 takes **{memory[0]:.2f} times** the memory of float32 (95 % interval "
        f"{memory[1]:.2f} to {memory[2]:.2f})"
    )
    if speed[1] <= 1 <= speed[2]:
        return (
            f"{sentence}. Which precision is faster is **open**: the ratio of times is "
            f"between {speed[1]:.2f} and {speed[2]:.2f}, which includes 1."
        )
    word = "longer" if speed[0] > 1 else "shorter"
    return (
        f"{sentence}. Its products take **{word}**, {speed[0]:.2f} times as long "
        f"({speed[1]:.2f} to {speed[2]:.2f})."
    )
