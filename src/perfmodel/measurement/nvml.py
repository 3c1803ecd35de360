"""Energy counters of NVIDIA GPUs, through the driver's library NVML, where there is one."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

LIBRARY = "libnvidia-ml.so.1"


@dataclass(frozen=True)
class Gpu:
    """One GPU's energy counter (Volta and later)."""

    library: ctypes.CDLL
    handle: ctypes.c_void_p
    index: int

    @property
    def name(self) -> str:
        """The GPU's place on this machine."""
        return f"NVML GPU {self.index}"

    def read(self) -> float:
        """Return joules since the driver was loaded.

        Raises
        ------
        OSError
            If the driver refuses.
        """
        millijoules = ctypes.c_ulonglong()
        status = self.library.nvmlDeviceGetTotalEnergyConsumption(
            self.handle, ctypes.byref(millijoules)
        )
        if status:
            raise OSError(f"NVML refuses the energy counter of GPU {self.index}: status {status}")
        return 1e-3 * millijoules.value

    def between(self, before: float, after: float) -> float:
        """Return the joules between two readings; 64 bits of millijoules do not wrap."""
        return after - before


def gpu_counters(library: str = LIBRARY) -> tuple[Gpu, ...]:
    """Return the energy counters of all GPUs that have one; none without a driver.

    >>> gpu_counters("no-such-library.so")
    ()
    """
    try:
        nvml = ctypes.CDLL(library)
    except OSError:
        return ()
    count = ctypes.c_uint()
    if nvml.nvmlInit_v2() or nvml.nvmlDeviceGetCount_v2(ctypes.byref(count)):
        return ()
    found = []
    for index in range(count.value):
        handle = ctypes.c_void_p()
        if nvml.nvmlDeviceGetHandleByIndex_v2(index, ctypes.byref(handle)):
            continue
        gpu = Gpu(nvml, handle, index)
        try:
            gpu.read()
        except OSError:
            continue
        found.append(gpu)
    return tuple(found)
