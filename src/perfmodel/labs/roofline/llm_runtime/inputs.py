"""Runs and GPU hours of training that others measured or worked out, with their sources."""

from __future__ import annotations

from dataclasses import dataclass

from perfmodel import machines
from perfmodel.roofline.decoder import LLAMA_2_7B
from perfmodel.roofline.transformer import Decoder

GIB = 2.0**30
GPUS, SEQUENCE = 8, 4096
"""GPUs of the runs, and tokens of a sequence."""
PEAK = machines.get("a100-sxm4-80gb").peak("bf16")
"""FLOP/s of an A100 in 16 bits; an A800 has the same, and slower links."""

LLAMA_7B = LLAMA_2_7B
LLAMA_13B = Decoder.uniform(40, 5120, 13824, 40, 40, 32_000, head_width=128)
LLAMA_33B = Decoder.uniform(60, 6656, 17920, 52, 52, 32_000, head_width=128)
LLAMA_65B = Decoder.uniform(80, 8192, 22016, 64, 64, 32_000, head_width=128)
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
