"""What makes training slow or too large? (Zhang et al., arXiv 2311.03687, 2023).

The paper measures training, fine-tuning and serving of Llama 2 under many settings. We couldn't get
its tables. A public table by another author replaces them: LLaMA 7B on eight A800 GPUs. The
accounting of `perfmodel.roofline.training` is compared with it.

>>> round(explained_bytes(RUNS[5]) / 2**30, 2)
14.75

The module also has runs and GPU hours of training that others measured or estimated.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import statsmodels.api as sm

from perfmodel import machines
from perfmodel.live.drawing import Box, Fill, Line, Scene, Shape, Text
from perfmodel.roofline.decoder import LLAMA_2_7B
from perfmodel.roofline.training import (
    ADAM_STATES,
    ZERO_STAGES,
    state_bytes,
    training_operations_per_token,
    training_tokens_per_second,
)
from perfmodel.roofline.transformer import Decoder
from perfmodel.validation import whole

MOST = 8
"""GPUs that the sheet has room for."""
_KINDS: dict[str, tuple[int, Fill]] = {
    "weights": (1, "solid"),
    "gradients": (2, "hatch"),
    "optimizer": (3, "light"),
}
_TOP, _BASE, _LEFT, _RIGHT = 56.0, 232.0, 40.0, 356.0


def memory_bars(parameters: float, stage: int, gpus: int) -> Scene:
    """Draw the bytes of states a parameter on each GPU, by ZeRO stage 0 to 3.

    >>> memory_bars(7e9, 3, 8).values["bytes a parameter on each GPU"]
    2.0
    """
    whole("gpus", gpus, low=1, high=MOST)
    per_gpu = state_bytes(parameters, gpus=gpus, stage=stage)
    shapes = _legend()
    for size in (0, 4, 8, 12, 16):
        shapes.append(Line([(_LEFT, _up(size)), (_RIGHT, _up(size))], style="thin"))
        shapes.append(Text(f"{size} B", _LEFT - 6, _up(size), anchor="end"))
    for index in range(gpus):
        shapes += _bar(index, stage, gpus)
    per_parameter = per_gpu / parameters
    says = (
        f"Each of {gpus} GPUs holds {per_parameter:.3g} bytes a parameter. This is "
        f"{per_gpu / 1e9:.3g} GB; all states take {state_bytes(parameters) / 1e9:.3g} GB."
    )
    values = {"bytes a parameter on each GPU": per_parameter, "on each GPU (GB)": per_gpu / 1e9}
    return Scene(266, shapes, says, values)


def _up(size: float) -> float:
    return _BASE - (_BASE - _TOP) * size / sum(ADAM_STATES.values())


def _legend() -> list[Shape]:
    shapes: list[Shape] = []
    for x, (kind, (colour, fill)) in zip((40.0, 140.0, 250.0), _KINDS.items(), strict=True):
        shapes.append(Box(x, 12, 14, 14, "", colour, fill))
        shapes.append(Text(kind, x + 20, 19, anchor="start"))
    return shapes


def _bar(place: int, stage: int, gpus: int) -> list[Shape]:
    slot = (_RIGHT - _LEFT) / MOST
    x, height = _LEFT + (place + 0.15) * slot, 0.0
    shapes: list[Shape] = []
    for kind, size in ADAM_STATES.items():
        own = size / gpus if kind in ZERO_STAGES[stage] else size
        colour, fill = _KINDS[kind]
        top = _up(height + own)
        shapes.append(Box(x, top, 0.7 * slot, _up(height) - top, "", colour, fill))
        height += own
    return [*shapes, Text(f"{place + 1}", x + 0.35 * slot, _BASE + 17)]


GIB = 2.0**30
GPUS, SEQUENCE = 8, 4096
"""GPUs of the runs, and tokens of a sequence."""
PEAK = machines.get("a100-sxm4-80gb").peak("bf16")
"""FLOP/s of an A100 in 16 bits; an A800 has the same, and slower links."""

LLAMA_7B = LLAMA_2_7B
LLAMA_13B = Decoder.uniform(40, 5120, 13824, 40, 40, 32_000, head_dim=128)
LLAMA_33B = Decoder.uniform(60, 6656, 17920, 52, 52, 32_000, head_dim=128)
LLAMA_65B = Decoder.uniform(80, 8192, 22016, 64, 64, 32_000, head_dim=128)
"""LLaMA (Touvron et al., arXiv 2302.13971, 2023); its 7B has the shape of Llama 2's."""


@dataclass(frozen=True)
class TrainingRun:
    """One row of the table: settings, bytes allocated between steps, sequences/s."""

    stage: int
    recompute: bool
    offload_optimizer: bool
    offload_weights: bool
    micro_batch: int
    allocated: float
    throughput: float


def _run(stage: int, options: str, micro_batch: int, gib: float, throughput: float) -> TrainingRun:
    chosen = ("R" in options, "O" in options, "W" in options)
    return TrainingRun(stage, *chosen, micro_batch, gib * GIB, throughput)


RUNS = (
    _run(2, "", 1, 19.4, 5.33),
    _run(2, "R", 1, 19.4, 4.19),
    _run(2, "RO", 1, 13.4, 1.81),
    _run(2, "R", 4, 27.2, 4.69),
    _run(3, "", 2, 14.8, 4.95),
    _run(3, "R", 2, 14.8, 4.45),
    _run(3, "RO", 2, 3.8, 2.05),
    _run(3, "ROW", 4, 2.2, 2.06),
    _run(3, "R", 8, 17.7, 4.73),
)
"""LLaMA 7B, 8 A800 of 80 GB, sequences of 4,096 tokens, 64 a step (gist.github.com/chenyaofo,
d4cd6a20ab4b95cb3a49491747e2139a): ZeRO stage; R recomputation, O optimizer and W weights offloaded;
sequences of a micro-batch. Its two rows with other settings are left out."""

TRAININGS = {
    "LLaMA 7B": (LLAMA_7B, 1.0e12),
    "LLaMA 13B": (LLAMA_13B, 1.0e12),
    "LLaMA 33B": (LLAMA_33B, 1.4e12),
    "LLaMA 65B": (LLAMA_65B, 1.4e12),
}
"""Model and training tokens (LLaMA)."""
TOOL_HOURS = {
    "LLaMA 7B": "77,832 h",
    "LLaMA 13B": "148,047 h",
    "LLaMA 33B": "510,213 h",
    "LLaMA 65B": "1,015,701 h",
}
"""GPU hours by the open tool llm-analysis, which takes half of the peak as given."""
REPORTED_HOURS = {
    "LLaMA 7B": "82,432 h",
    "LLaMA 13B": "135,168 h",
    "LLaMA 33B": "530,432 h",
    "LLaMA 65B": "1,022,362 h",
}
"""GPU hours as LLaMA's authors report them (Table 15)."""
TOKENS_PER_GPU = 380.0
"""Tokens/s of each GPU that the same authors report for 65 billion parameters."""


HOUR = 3600.0
LLAMA_SEQUENCE = 2048
"""Tokens of a sequence in the training of LLaMA."""


def explained_bytes(run: TrainingRun, model: Decoder = LLAMA_7B) -> float:
    """Return the bytes that states explain, plus what the run with all offloaded allocates."""
    rest = next(r.allocated for r in RUNS if r.offload_weights)
    return rest + state_bytes(
        model.parameters,
        gpus=GPUS,
        stage=run.stage,
        offload_optimizer=run.offload_optimizer,
        offload_weights=run.offload_weights,
    )


def calibrated_utilization() -> float:
    """Return the share of the peak in the first run, the only one that is fitted to."""
    return RUNS[0].throughput * SEQUENCE * training_operations_per_token(LLAMA_7B) / (GPUS * PEAK)


def predicted_throughput(run: TrainingRun) -> float:
    """Return sequences/s of a `run` if computing, at the first one's share of the peak, is all."""
    fraction = calibrated_utilization()
    tokens = training_tokens_per_second(LLAMA_7B, GPUS, PEAK, fraction, recompute=run.recompute)
    return tokens / SEQUENCE


def main_effects() -> dict[str, tuple[float, float, float]]:
    """Return the factor on throughput of two settings, with the ends of its 95 % interval.

    Least squares on the logarithms of the nine runs, for recomputation and for offloading the
    optimizer.
    """
    columns = [[r.recompute, r.offload_optimizer] for r in RUNS]
    design = sm.add_constant(np.array(columns, dtype=float))
    fitted = sm.OLS(np.log([r.throughput for r in RUNS]), design).fit()
    rows = np.exp(np.column_stack([fitted.params, fitted.conf_int()])[1:])
    names = ("recompute", "offload_optimizer")
    return {name: tuple(row.tolist()) for name, row in zip(names, rows, strict=True)}


def gpu_hours(model: Decoder, tokens: float, utilization: float = 0.5) -> float:
    """Return the GPU hours of training on A100s, attention over 2,048 tokens counted."""
    rate = training_tokens_per_second(model, 1, PEAK, utilization, sequence=LLAMA_SEQUENCE)
    return tokens / rate / HOUR


def llama_utilization() -> float:
    """Return the share of the peak in LLaMA's training of 65 billion parameters, from its speed.

    >>> round(llama_utilization(), 3)
    0.497
    """
    return TOKENS_PER_GPU * training_operations_per_token(LLAMA_65B, LLAMA_SEQUENCE) / PEAK
