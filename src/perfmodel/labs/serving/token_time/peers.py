"""TensorRT-LLM's published throughputs, and what mlsysim says about the same runs.

`throughput.csv`: tokens/s of the tables "Llama 3.3 70B", "Llama 3.1 405B" and "Llama 3.1 8B", their
columns H200 and H100, in `docs/source/performance/perf-overview.md` of github.com/NVIDIA/
TensorRT-LLM (Apache-2.0) at commit 00f37686aa85. All requests are sent at once to an engine with
8-bit weights and caches. The other files are answers of mlsysim 0.3.0 and aiconfigurator 0.12.0
(PyPI), recorded by `benchmarks/serving_peers.py`: seconds of a token for each public point, `nan`
where the tool has none, and mlsysim's tokens/s for each of the cells.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import numpy as np

from perfmodel.labs.serving.token_time.holdouts import HeldOut
from perfmodel.machines import get
from perfmodel.roofline.transformer import Decoder
from perfmodel.serving.calibration.plans import Device, serving_plans
from perfmodel.serving.calibration.shipped import calibration, points
from perfmodel.validation import Floats

_FOLDER = Path(__file__).parent
TIMES = {name: _FOLDER / f"{name}_times.csv" for name in ("mlsysim", "aiconfigurator")}
RATES = _FOLDER / "mlsysim_throughput.csv"
MOST = 4096
"""Requests at once that TensorRT-LLM's benchmark allows at most."""
_SHARE, _WORKSPACE = 0.9, 3e9
"""Share of the memory that is used, and bytes of it for neither weights nor caches: the command's
assumptions."""
_SHAPES = {
    "8B": Decoder.uniform(32, 4096, 14_336, 32, 8, 128_256, head_dim=128),
    "70B": Decoder.uniform(80, 8192, 28_672, 64, 8, 128_256, head_dim=128),
    "405B": Decoder.uniform(126, 16_384, 53_248, 128, 8, 128_256, head_dim=128),
}


@dataclass(frozen=True)
class Cell:
    """One published throughput."""

    model: str
    card: str
    devices: int
    prompt: int
    output: int
    measured: float
    """Generated tokens/s of all devices."""

    @property
    def name(self) -> str:
        """What is run where, in a line."""
        count = f"{self.devices} x " if self.devices > 1 else ""
        card = self.card.split("-")[0].upper()
        return f"Llama {self.model}, {count}{card}, {self.prompt}/{self.output} tokens"

    @cached_property
    def plan(self) -> tuple[float, float]:
        """Requests at once, as many as fit with their whole lengths reserved, and tokens/s."""
        shape, machine = _SHAPES[self.model], get(self.card)
        weights = shape.parameters + shape.word_tables
        device = Device(
            machine.memory_bandwidth,
            machine.peak("fp8"),
            _SHARE * machine.memory_capacity - _WORKSPACE,
            weights,
            lambda _: np.array(shape.streamed_parameters + shape.vocab_size * shape.hidden_size),
            calibration(self.card, "trtllm")[0],
        )
        plans = serving_plans(
            shape, [device], prompt=self.prompt, output=self.output, counts=[self.devices],
            concurrency=np.arange(1, MOST + 1), kv_bytes=1,
        )  # fmt: skip
        fullest = plans.concurrency.argmax()
        running = float(plans.concurrency[fullest])
        return running, running / float(plans.seconds[fullest])

    @property
    def computed(self) -> float:
        """Tokens/s by equation (1)."""
        return self.plan[1]


@cache
def cells() -> list[Cell]:
    """Return the published throughputs, none of which was fitted."""
    return [
        Cell(
            row["model"], row["card"], int(row["devices"]), int(row["prompt"]),
            int(row["output"]), float(row["tokens_per_s"]),
        )
        for row in _rows(_FOLDER / "throughput.csv")
    ]  # fmt: skip


@cache
def cell_ratios() -> dict[str, Floats]:
    """Return computed over published throughput of all cells, here and by mlsysim."""
    published = np.array([cell.measured for cell in cells()])
    here = np.array([cell.computed for cell in cells()])
    theirs = np.array([float(row["tokens_per_s"]) for row in _rows(RATES)])
    return {"equation (1)": here / published, "mlsysim 0.3.0": theirs / published}


@cache
def ratios_there(peer: str) -> Floats:
    """Return computed over measured time per token by a peer, for all public points."""
    seconds = np.array([float(row["seconds"]) for row in _rows(TIMES[peer])])
    return np.asarray(seconds / points().time_per_token)


def errors_beside(left: HeldOut) -> tuple[int, dict[str, float]]:
    """Return how many of these held-out runs both peers answer, and the median errors on them."""
    ratios = {peer: ratios_there(peer)[left.runs] for peer in TIMES}
    known = np.isfinite(list(ratios.values())).all(axis=0)
    each = {"equation (1)": 1 / left.ratio, **ratios}
    errors = {name: float(np.median(np.abs(one[known] - 1))) for name, one in each.items()}
    return int(known.sum()), errors


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
