"""What the driver of NVIDIA GPUs says: energy, power, clocks, and why it holds the clocks back.

It needs NVIDIA's own bindings, `pip install nvidia-ml-py`. GPUs are numbered as `nvidia-smi` does,
all of the machine, even where a program is shown only some. Bindings and driver may be of different
ages: what either of them lacks is not told, and nothing fails for it.
"""

from __future__ import annotations

from collections.abc import Callable
from ctypes import ArgumentError
from dataclasses import dataclass
from math import nan
from typing import Any

BINDINGS = "nvidia-ml-py"

REASONS = {
    0x1: "idle",
    0x2: "clocks set by a program",
    0x4: "power cap",
    0x8: "hardware slowdown",
    0x10: "in step with other GPUs",
    0x20: "heat, by software",
    0x40: "heat, by hardware",
    0x80: "power brake",
    0x100: "display",
}
"""Bits of the driver's reasons to hold the clocks back (`nvmlClocksEventReason...`)."""


@dataclass(frozen=True)
class NvmlCounter:
    """One GPU's energy counter (Volta and later)."""

    nvml: Any
    handle: Any
    index: int

    @property
    def name(self) -> str:
        """The GPU's place on this machine."""
        return f"NVML GPU {self.index}"

    def read(self) -> float:
        """Return joules since the driver was loaded; OSError if the driver refuses."""
        try:
            return 1e-3 * float(self.nvml.nvmlDeviceGetTotalEnergyConsumption(self.handle))
        except (self.nvml.NVMLError, AttributeError) as error:
            what = f"the energy counter of GPU {self.index}"
            raise OSError(f"NVML refuses {what}: {error}") from error

    def between(self, before: float, after: float) -> float:
        """Return the joules from `before` to `after`; 64 bits of millijoules do not wrap."""
        return after - before


def gpu_counters() -> tuple[NvmlCounter, ...]:
    """Return the energy counters of all GPUs that have one; none without a driver."""
    nvml = opened()
    if nvml is None:
        return ()
    counters = []
    for index in range(nvml.nvmlDeviceGetCount()):
        try:
            gpu = NvmlCounter(nvml, nvml.nvmlDeviceGetHandleByIndex(index), index)
            gpu.read()
        except (OSError, nvml.NVMLError):
            continue
        counters.append(gpu)
    return tuple(counters)


def state(pci: str = "") -> dict[str, float]:
    """Return what the GPU at a PCI address does now; NaN for what the driver won't tell.

    `sm_clock` and `memory_clock` are in Hz, `power` in W (many GPUs tell the mean over the last
    second, for which `energy.measure_energy` reads the counter of joules) with the `power_limit` in
    force, `temperature` in degrees Celsius, and `reasons` has the bits that `reasons` puts into
    words. The address, such as `00000000:1b:00.0`, is needed where libraries and the driver number
    GPUs in different orders; without it it's the driver's first one.
    """
    names = ("sm_clock", "memory_clock", "power", "power_limit", "temperature", "reasons")
    told = dict.fromkeys(names, nan)
    nvml = opened()
    if nvml is None:
        return told
    asked: dict[str, Callable[[Any], Any]] = {
        "sm_clock": lambda gpu: 1e6 * nvml.nvmlDeviceGetClockInfo(gpu, nvml.NVML_CLOCK_SM),
        "memory_clock": lambda gpu: 1e6 * nvml.nvmlDeviceGetClockInfo(gpu, nvml.NVML_CLOCK_MEM),
        "power": lambda gpu: 1e-3 * nvml.nvmlDeviceGetPowerUsage(gpu),
        "power_limit": lambda gpu: 1e-3 * nvml.nvmlDeviceGetEnforcedPowerLimit(gpu),
        "temperature": lambda gpu: nvml.nvmlDeviceGetTemperature(gpu, nvml.NVML_TEMPERATURE_GPU),
        "reasons": lambda gpu: _event_reasons(nvml, gpu),
    }
    try:
        gpu = _handle(nvml, pci)
    except (nvml.NVMLError, AttributeError):
        return told
    for name in names:
        try:
            told[name] = float(asked[name](gpu))
        except (nvml.NVMLError, AttributeError):
            continue
    return told


def _handle(nvml: Any, pci: str) -> Any:
    if not pci:
        return nvml.nvmlDeviceGetHandleByIndex(0)
    try:
        return nvml.nvmlDeviceGetHandleByPciBusId(pci)
    except (ArgumentError, TypeError):
        # Bindings before 11.5 want what C wants.
        return nvml.nvmlDeviceGetHandleByPciBusId(pci.encode("ascii"))


def _event_reasons(nvml: Any, gpu: Any) -> float:
    """Return the bits by whichever of its names bindings and driver both know; NaN by none."""
    for name in ("Event", "Throttle"):
        try:
            asked: Any = getattr(nvml, f"nvmlDeviceGetCurrentClocks{name}Reasons")
            return float(asked(gpu))
        except (nvml.NVMLError, AttributeError):
            continue
    return nan


def reasons(bits: float) -> tuple[str, ...]:
    """Return the words for the bits of `state`'s reasons; none for NaN.

    >>> reasons(0x4 + 0x20)
    ('power cap', 'heat, by software')
    """
    whole = 0 if bits != bits else int(bits)
    return tuple(words for bit, words in REASONS.items() if whole & bit)


def driver() -> str:
    """Return the driver's version; empty without one."""
    nvml = opened()
    if nvml is None:
        return ""
    told = nvml.nvmlSystemGetDriverVersion()
    return told.decode("ascii") if isinstance(told, bytes) else str(told)


def opened() -> Any:
    """Return the bindings' module, ready to be asked; None where it or a driver is missing."""
    try:
        import pynvml
    except ImportError:
        return None
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError:
        return None
    return pynvml
