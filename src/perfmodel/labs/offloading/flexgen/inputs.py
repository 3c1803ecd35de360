"""What the paper and its released code print: shapes, rates, policies, and what was measured.

Sources: Y. Sheng and others, "FlexGen: High-Throughput Generative Inference of Large Language
Models with a Single GPU", ICML 2023, arXiv:2303.06865v2; the code at github.com/FMInference/FlexGen
(Apache-2.0): `experimental/cost_model.py` for the rates, `benchmark/flexgen/bench_suite.py` for the
policies. Both write GB for 2^30 bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from perfmodel.labs.offloading.flexgen.cost import Rates
from perfmodel.labs.offloading.flexgen.policy import Job, OptShape, Policy
from perfmodel.validation import positive

GIB = 2.0**30
GENERATED = 32

SHAPES: Mapping[str, OptShape] = MappingProxyType(
    {
        "6.7B": OptShape(32, 4096, 32),
        "30B": OptShape(48, 7168, 56),
        "175B": OptShape(96, 12288, 96),
    }
)

RATES = Rates(
    to_gpu=12.89 * GIB,
    cache_to_cpu=0.97 * GIB,
    hidden_to_cpu=4.82 * GIB,
    disk_read=0.473 * GIB,
    disk_weights=0.95 * 0.473 * GIB,
    cache_to_disk=0.746 * GIB,
    hidden_to_disk=2.015 * GIB,
    decode_to_disk=2.015 * GIB,
    products_prefill=21.24e12,
    products_decode=4.3e12,
    attention_prefill=9.97e12,
    attention_decode=0.079e12,
    attention_cpu=0.0123e12,
    corrections=(0.0168, 0.0328, 0.0621),
)
"""As released: fitted by gradient descent to runs on a T4, which weren't published."""


def with_disk(rate: float, rates: Rates = RATES) -> Rates:
    """Return `rates` with a disk that is read at `rate` bytes/s, weights in decoding at 95 %.

    >>> round(with_disk(2e9).disk_weights / 1e9, 2)
    1.9
    """
    read = float(positive("rate", rate))
    return replace(rates, disk_read=read, disk_weights=0.95 * read)


CAPACITIES: Mapping[str, float] = MappingProxyType(
    {"GPU": 15 * GIB, "CPU": 200 * GIB, "disk": 1500 * GIB}
)
"""Bytes that the released code starts from by default, each times `SPARED` before it is filled."""
SPARED = 0.8
"""The released code's share of each capacity that a policy may fill."""


@dataclass(frozen=True)
class Run:
    """A measured run: its job and policy, the tokens/s as printed, and in which table."""

    name: str
    job: Job
    policy: Policy
    printed: str
    where: str

    @property
    def measured(self) -> float:
        """Tokens/s."""
        return float(self.printed)


def _run(
    model: str, prompt: int, size: int, count: int, shares: tuple[float, ...], printed: str, at: str
) -> Run:
    name = f"{model}, prompts of {prompt}, {size} x {count} ({', '.join(map(str, shares))})"
    job = Job(SHAPES[model], prompt, GENERATED)
    return Run(name, job, Policy.percent(size, count, *shares), printed, at)


ON_GPU = (100, 0, 100, 0, 100, 0)
ON_DISK = (0, 50, 0, 0, 0, 100)
RUNS: tuple[Run, ...] = (
    _run("6.7B", 512, 2, 1, ON_GPU, "25.26", "Table 2"),
    _run("30B", 512, 48, 3, (20, 80, 0, 100, 0, 100), "7.32", "Tables 2 and 15"),
    _run("30B", 512, 48, 3, (0, 100, 0, 100, 0, 100), "7.26", "Table 23"),
    _run("30B", 1024, 20, 4, (4, 96, 0, 100, 0, 100), "3.50", "Table 16"),
    _run("30B", 256, 160, 2, (10, 90, 0, 100, 0, 100), "16.01", "Table 14"),
    _run("30B", 512, 8, 1, (0, 100, 100, 0, 100, 0), "1.57", "Tables 4 and 23"),
    _run("175B", 512, 32, 8, ON_DISK, "0.69", "Table 2"),
    _run("175B", 256, 64, 8, ON_DISK, "1.36", "Table 14"),
    _run("175B", 1024, 12, 12, ON_DISK, "0.35", "Table 16"),
    _run("175B", 512, 32, 1, ON_DISK, "0.27", "Table 4"),
)

CACHE_READ = 7046.0
"""Seconds of reading the cache in Table 8: 175B, prompts of 512, 32 x 8, without overlap."""
PARTS: Mapping[str, str] = MappingProxyType(
    {
        "prefill, compute": "2220 s",
        "prefill, weights": "768 s",
        "prefill, cache write": "261 s",
        "decode, compute": "1498 s",
        "decode, weights": "3047 s",
        "decode, cache write": "124 s",
    }
)
"""The other parts of Table 8."""
WITHOUT_OVERLAP: Mapping[str, str] = MappingProxyType({"30B": "5.86", "175B": "0.59"})
"""Tokens/s in Table 4 of the runs above with prompts of 512, nothing overlapping."""
DECODE_ONLY: Mapping[str, str] = MappingProxyType({"30B": "11.52", "175B": "0.83"})
"""Tokens/s in Table 3, one GPU, decoding alone."""


@dataclass(frozen=True)
class DiskRun:
    """A row of Table 24: 175B on a disk of `read` bytes/s, with or without the file cache."""

    name: str
    read: float
    cached: bool
    printed: str


DISK_RUNS: tuple[DiskRun, ...] = (
    DiskRun("local SSD", 1.6e9, True, "0.69"),
    DiskRun("persistent disk", 0.5e9, True, "0.30"),
    DiskRun("local SSD, no file cache", 1.6e9, False, "0.49"),
    DiskRun("persistent disk, no file cache", 0.5e9, False, "0.292"),
)
