"""What makes training slow or too large? (Zhang et al., arXiv 2311.03687, 2023).

The paper measures training, fine-tuning and serving of Llama 2 under many settings. Its tables
could not be had; a public table of the same kind stands in for them: LLaMA 7B on eight A800 GPUs
by another author. The accounting of `perfmodel.roofline.training` is held against it.

>>> round(explained_bytes(RUNS[5]) / 2**30, 2)
14.75
"""

from __future__ import annotations

import numpy as np
import statsmodels.api as sm

from perfmodel.labs.roofline.llm_runtime.inputs import (
    GPUS,
    LLAMA_7B,
    LLAMA_65B,
    PEAK,
    RUNS,
    SEQUENCE,
    TOKENS_PER_GPU,
    TrainingRun,
)
from perfmodel.roofline.training import (
    state_bytes,
    training_operations_per_token,
    training_tokens_per_second,
)
from perfmodel.roofline.transformer import Decoder

HOUR = 3600.0
LLAMA_SEQUENCE = 2048
"""Tokens of a sequence in the training of LLaMA."""


def explained_bytes(run: TrainingRun, model: Decoder = LLAMA_7B) -> float:
    """Return the bytes between steps that the states explain, with the rest that all runs have.

    That rest is what the run with everything offloaded allocates: calibrated on one row.
    """
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
    """Return sequences/s of a `run` if computing is all that counts.

    Offloading and stages cost nothing then; every run reaches the first one's share of the peak.
    """
    share = calibrated_utilization()
    tokens = training_tokens_per_second(LLAMA_7B, GPUS, PEAK, share, recompute=run.recompute)
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
