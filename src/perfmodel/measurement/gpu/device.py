"""What measuring needs of a GPU, and how to find one: by CuPy or PyTorch, whichever is there.

Work for a GPU is *launched*: the call returns at once, and the GPU runs what was launched in order.
A clock around the call times the launch alone. So a device also sets *marks*: events that the GPU
passes in their turn. It reports their distance in time afterwards.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from perfmodel.measurement.errors import Unavailable

Array = Any
"""An array of the device's library, on the GPU or on the host."""

BYTES: Mapping[str, int] = {"fp64": 8, "fp32": 4, "tf32": 4, "fp16": 2, "bf16": 2}
"""Bytes of a number as it lies in memory; tf32 rounds fp32 numbers only inside the matrix units."""


@dataclass(frozen=True)
class About:
    """The description of a GPU and its software, by themselves."""

    name: str
    multiprocessors: int
    memory: int
    """Bytes."""
    l2_cache: int | None
    """Bytes; None where the library does not tell."""
    capability: str
    """Compute capability, for example `9.0`."""
    library: str
    """For example `torch 2.11.0`."""
    cuda: str
    """CUDA version that the library was built for."""
    pci: str = ""
    """Address by which the driver knows it, such as `00000000:1b:00.0`; empty where not told."""


def address(domain: int | None, bus: int | None, device: int | None) -> str:
    """Return the PCI address of `domain`, `bus` and `device` as the driver writes it.

    It is empty if one of them is unknown.

    >>> address(0, 27, 0), address(None, 27, 0)
    ('00000000:1b:00.0', '')
    """
    if domain is None or bus is None or device is None:
        return ""
    return f"{domain:08x}:{bus:02x}:{device:02x}.0"


class Device(Protocol):
    """A GPU through a library. All work goes to one stream, in the order of the calls."""

    @property
    def precisions(self) -> tuple[str, ...]:
        """Precisions whose matrix products it has, keys of `BYTES`."""

    def about(self) -> About:
        """Return the GPU's description of itself."""

    def now(self) -> float:
        """Return the host's clock in seconds."""

    def random(self, shape: tuple[int, ...], precision: str) -> Array:
        """Return an array of normal random numbers of `shape` in `precision` on the GPU."""

    def host(self, count: int, pinned: bool) -> Array:
        """Return an array of `count` fp32 numbers on the host, in pinned memory or not."""

    def copy(self, target: Array, source: Array) -> None:
        """Launch a copy of `source` to `target`, on the GPU or between it and the host."""

    def triad(self, a: Array, b: Array, c: Array) -> None:
        """Launch a = b + 3 c as one kernel."""

    def product(self, c: Array, a: Array, b: Array, precision: str) -> None:
        """Launch c = a b in `precision`."""

    def empty_kernel(self) -> None:
        """Launch the smallest kernel that the library has, by a call like any other of it."""

    def multiply_adds(self, precision: str, turns: int) -> int:
        """Launch multiply-adds in registers on the whole GPU; return how many FLOP they are.

        Each thread makes `turns` of a loop of them in `precision`.
        """

    def record_event(self) -> Any:
        """Launch an event."""

    def query_event(self, mark: Any) -> bool:
        """Return whether the GPU has passed the event `record_event`."""

    def elapsed_time(self, first: Any, last: Any) -> float:
        """Return the seconds from the event `first` to `last`, both passed by the GPU."""

    def synchronize_event(self, mark: Any = None) -> None:
        """Return when the GPU has passed the event `mark`, or done all that was launched."""


LIBRARIES: Mapping[str, str] = {"torch": "with_torch", "cupy": "with_cupy"}
"""Libraries in the order in which they are tried, with the module that uses each. PyTorch first:
it multiplies in more precisions."""


def find_gpu(library: str | None = None) -> Device:
    """Return the first GPU as a `Device`, through a `library`: `torch`, `cupy` or either.

    Raises `Unavailable` if no library is installed or none sees a GPU; says which it was and what
    to do.
    """
    if library is not None and library not in LIBRARIES:
        raise ValueError(f"library must be one of {', '.join(LIBRARIES)}, got {library!r}")
    reasons = []
    for name in [library] if library else LIBRARIES:
        if importlib.util.find_spec(name) is None:
            reasons.append(f"{name} is not installed")
            continue
        module = importlib.import_module(f"perfmodel.measurement.gpu.{LIBRARIES[name]}")
        try:
            device: Device = module.open_device()
        except Unavailable as missing:
            reasons.append(missing.why)
        else:
            return device
    raise Unavailable(
        "a GPU",
        " and ".join(reasons),
        "on a machine with an NVIDIA GPU run `pip install cupy-cuda12x[ctk]` or install PyTorch; "
        "elsewhere take a published one: perfmodel.machines.get('h200-sxm-141gb'), "
        "or practise on perfmodel.measurement.gpu.simulated.SimulatedGpu",
    )
