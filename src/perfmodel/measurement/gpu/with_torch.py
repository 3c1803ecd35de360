"""An NVIDIA GPU through PyTorch."""

from __future__ import annotations

import time
from typing import Any

from perfmodel.measurement.errors import Unavailable
from perfmodel.measurement.gpu import registers
from perfmodel.measurement.gpu.device import About, address

_TYPES = {
    "fp64": "float64",
    "fp32": "float32",
    "tf32": "float32",
    "fp16": "float16",
    "bf16": "bfloat16",
}


class TorchDevice:
    """The CUDA device `place` of PyTorch, the module given; see `device.Device` for its methods."""

    now = staticmethod(time.perf_counter)

    def __init__(self, torch: Any, device: str = "cuda") -> None:
        self.torch = torch
        self.place = device
        self._small = self.torch.zeros(1, device=device)
        self._random = self.torch.Generator(device).manual_seed(1)
        self._loops: dict[str, registers.Loop] = {}

    @property
    def precisions(self) -> tuple[str, ...]:
        """Precisions of its products; before Ampere tf32 is not rounded and bf16 is emulated."""
        older = self.torch.cuda.get_device_properties(self.place).major < 8
        return tuple(p for p in _TYPES if not (older and p in ("tf32", "bf16")))

    def about(self) -> About:
        """Return the GPU's description of itself."""
        properties = self.torch.cuda.get_device_properties(self.place)
        return About(
            properties.name,
            properties.multi_processor_count,
            properties.total_memory,
            getattr(properties, "L2_cache_size", None),
            f"{properties.major}.{properties.minor}",
            f"torch {self.torch.__version__}",
            str(self.torch.version.cuda),
            address(
                *(
                    getattr(properties, f"pci_{part}_id", None)
                    for part in ("domain", "bus", "device")
                )
            ),
        )

    def random(self, shape: tuple[int, ...], precision: str) -> Any:
        """Return normal random numbers on the GPU."""
        made = self.torch.empty(
            shape, dtype=getattr(self.torch, _TYPES[precision]), device=self.place
        )
        return made.normal_(generator=self._random)

    def host(self, count: int, pinned: bool) -> Any:
        """Return zeros on the host."""
        return self.torch.zeros(count, dtype=self.torch.float32, pin_memory=pinned)

    def copy(self, target: Any, source: Any) -> None:
        """Launch a copy."""
        target.copy_(source, non_blocking=True)

    def triad(self, a: Any, b: Any, c: Any) -> None:
        """Launch a = b + 3 c."""
        self.torch.add(b, c, alpha=3.0, out=a)

    def product(self, c: Any, a: Any, b: Any, precision: str) -> None:
        """Launch c = a b."""
        self.torch.set_float32_matmul_precision("high" if precision == "tf32" else "highest")
        self.torch.mm(a, b, out=c)

    def empty_kernel(self) -> None:
        """Launch a kernel that works on one number."""
        self.torch.neg(self._small, out=self._small)

    def multiply_adds(self, precision: str, turns: int) -> int:
        """Launch multiply-adds in registers."""
        if precision not in self._loops:
            self._loops[precision] = registers.Loop(precision, self.about().multiprocessors)
        return self._loops[precision].launch(turns, self.torch.cuda.current_stream().cuda_stream)

    def record_event(self) -> Any:
        """Launch an event."""
        event = self.torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    def query_event(self, mark: Any) -> bool:
        """Return whether the event has been passed."""
        return bool(mark.query())

    def elapsed_time(self, first: Any, last: Any) -> float:
        """Return the seconds between two events."""
        return 1e-3 * float(first.elapsed_time(last))

    def synchronize_event(self, mark: Any = None) -> None:
        """Wait for an event, or for all that was launched."""
        if mark is None:
            self.torch.cuda.synchronize()
        else:
            mark.synchronize()


def open_device() -> TorchDevice:
    """Return the current device; Unavailable if PyTorch sees no NVIDIA GPU."""
    import torch

    if torch.version.cuda is None:
        why = f"torch {torch.__version__} was built without CUDA"
        raise Unavailable("a GPU", why, "install PyTorch's build for CUDA")
    if not torch.cuda.is_available():
        why = f"torch {torch.__version__} sees no NVIDIA GPU"
        raise Unavailable("a GPU", why, "check `nvidia-smi`")
    return TorchDevice(torch)
