"""An NVIDIA GPU through CuPy."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from perfmodel.measurement.errors import Unavailable
from perfmodel.measurement.gpu import registers
from perfmodel.measurement.gpu.device import About, address

_TYPES = {"fp64": np.float64, "fp32": np.float32, "fp16": np.float16}


class CupyDevice:
    """The current CUDA device of CuPy, the module given; see `device.Device` for its methods."""

    precisions = tuple(_TYPES)
    now = staticmethod(time.perf_counter)

    def __init__(self, cupy: Any) -> None:
        self.cupy = cupy
        self._small = self.cupy.zeros(1, np.float32)
        self._triad = self.cupy.ElementwiseKernel("T b, T c", "T a", "a = b + T(3) * c", "triad")
        self._loops: dict[str, registers.Loop] = {}
        self.cupy.random.seed(1)

    def about(self) -> About:
        """Return the GPU's description of itself."""
        properties = self.cupy.cuda.runtime.getDeviceProperties(self.cupy.cuda.Device().id)
        version = self.cupy.cuda.runtime.runtimeGetVersion()
        return About(
            properties["name"].decode(),
            properties["multiProcessorCount"],
            properties["totalGlobalMem"],
            properties["l2CacheSize"] or None,
            f"{properties['major']}.{properties['minor']}",
            f"cupy {self.cupy.__version__}",
            f"{version // 1000}.{version % 1000 // 10}",
            address(*(properties.get(f"pci{part}ID") for part in ("Domain", "Bus", "Device"))),
        )

    def random(self, shape: tuple[int, ...], precision: str) -> Any:
        """Return normal random numbers on the GPU."""
        drawn = np.float64 if precision == "fp64" else np.float32
        return self.cupy.random.standard_normal(shape, dtype=drawn).astype(
            _TYPES[precision], copy=False
        )

    def host(self, count: int, pinned: bool) -> Any:
        """Return ones on the host: zeros that were never written lie nowhere in memory."""
        if not pinned:
            return np.ones(count, np.float32)
        memory = self.cupy.cuda.alloc_pinned_memory(4 * count)
        array = np.frombuffer(memory, np.float32, count)
        array[:] = 1
        return array

    def copy(self, target: Any, source: Any) -> None:
        """Launch a copy."""
        if isinstance(target, np.ndarray):
            source.get(out=target, blocking=False)
        elif isinstance(source, np.ndarray):
            target.set(source, stream=self.cupy.cuda.get_current_stream())
        else:
            self.cupy.copyto(target, source)

    def triad(self, a: Any, b: Any, c: Any) -> None:
        """Launch a = b + 3 c."""
        self._triad(b, c, a)

    def product(self, c: Any, a: Any, b: Any, precision: str) -> None:
        """Launch c = a b."""
        self.cupy.matmul(a, b, out=c)

    def empty_kernel(self) -> None:
        """Launch a kernel that works on one number."""
        self.cupy.negative(self._small, out=self._small)

    def multiply_adds(self, precision: str, turns: int) -> int:
        """Launch multiply-adds in registers."""
        if precision not in self._loops:
            self._loops[precision] = registers.Loop(precision, self.about().multiprocessors)
        return self._loops[precision].launch(turns, self.cupy.cuda.get_current_stream().ptr)

    def record_event(self) -> Any:
        """Launch an event."""
        event = self.cupy.cuda.Event()
        event.record()
        return event

    def query_event(self, mark: Any) -> bool:
        """Return whether the event has been passed."""
        return bool(mark.done)

    def elapsed_time(self, first: Any, last: Any) -> float:
        """Return the seconds between two events."""
        return 1e-3 * float(self.cupy.cuda.get_elapsed_time(first, last))

    def synchronize_event(self, mark: Any = None) -> None:
        """Wait for an event, or for all that was launched."""
        if mark is None:
            self.cupy.cuda.runtime.deviceSynchronize()
        else:
            mark.synchronize()


def open_device() -> CupyDevice:
    """Return the current device; Unavailable if CuPy sees no NVIDIA GPU."""
    import cupy

    try:
        there = cupy.cuda.runtime.getDeviceCount()
        if there:
            return CupyDevice(cupy)
    except (cupy.cuda.runtime.CUDARuntimeError, ImportError, OSError) as error:
        why = f"cupy {cupy.__version__} can't use an NVIDIA GPU ({error})"
        raise Unavailable("a GPU", why, "check `nvidia-smi`") from error
    raise Unavailable("a GPU", f"cupy {cupy.__version__} sees none", "check `nvidia-smi`")
