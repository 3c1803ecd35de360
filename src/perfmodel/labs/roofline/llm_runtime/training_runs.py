"""What makes training slow or too large? (Zhang et al., arXiv 2311.03687, 2023).

The paper measures training, fine-tuning and serving of Llama 2 under many settings. Its tables
could not be had; a public table of the same kind stands in for them: LLaMA 7B on eight A800 GPUs
by another author. The accounting of `perfmodel.roofline.training` is held against it.

>>> round(explained_bytes(RUNS[5]) / GIB, 2)
14.75
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import statsmodels.api as sm

from perfmodel.ledger import Claim, Trend, half_unit
from perfmodel.roofline.decoder import LLAMA_2_7B, Decoder, decode_bytes
from perfmodel.roofline.training import (
    fewest_gpus,
    training_operations_per_token,
    state_bytes,
    training_tokens_per_second,
)

GIB = 2.0**30
GPUS, SEQUENCE, PEAK = 8, 4096, 312e12
"""The runs' GPUs, tokens a sequence, and peak FLOP/s of an A800 in 16 bits (as of an A100)."""

LLAMA_7B = LLAMA_2_7B
LLAMA_13B = Decoder(40, 5120, 13824, 40, 40, 32_000)
LLAMA_33B = Decoder(60, 6656, 17920, 52, 52, 32_000)
LLAMA_65B = Decoder(80, 8192, 22016, 64, 64, 32_000)
"""LLaMA (Touvron et al., arXiv 2302.13971, 2023); its 7B has the shape of Llama 2's."""


@dataclass(frozen=True)
class Run:
    """One row of the table: settings, bytes allocated between steps, sequences/s."""

    stage: int
    recompute: bool
    offload_optimizer: bool
    offload_weights: bool
    micro_batch: int
    allocated: float
    throughput: float


def _run(stage: int, options: str, micro_batch: int, gib: float, throughput: float) -> Run:
    chosen = ("R" in options, "O" in options, "W" in options)
    return Run(stage, *chosen, micro_batch, gib * GIB, throughput)


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
"""LLaMA 7B, 8 A800 of 80 GB, sequences of 4,096 tokens, 64 a step (public gist by chenyaofo):
ZeRO stage; R recomputation, O optimizer and W weights offloaded; sequences of a micro-batch."""

GPU_HOURS = {
    "LLaMA 7B": (LLAMA_7B, 1.0e12, 77_832, 82_432),
    "LLaMA 13B": (LLAMA_13B, 1.0e12, 148_047, 135_168),
    "LLaMA 33B": (LLAMA_33B, 1.4e12, 510_213, 530_432),
    "LLaMA 65B": (LLAMA_65B, 1.4e12, 1_015_701, 1_022_362),
}
"""Model, training tokens, GPU hours by the open tool llm-analysis at half of the peak, and as
reported by the paper on LLaMA."""


def explained_bytes(run: Run, model: Decoder = LLAMA_7B) -> float:
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


def predicted_throughput(run: Run) -> float:
    """Return sequences/s if computing is all that counts; offloading and stages cost nothing."""
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
    rate = training_tokens_per_second(model, 1, PEAK, utilization, sequence=2048)
    return tokens / rate / 3600


def _claim(
    quantity: str,
    published: float,
    unit: str,
    source: str,
    ours: Callable[[], float],
    *,
    absolute: float = 0.0,
    tolerance: float = 0.0,
    derived: bool = False,
    miss: str = "",
) -> Claim:
    return Claim(
        "llm_runtime",
        quantity,
        "recomputed",
        published,
        unit,
        source,
        ours,
        tolerance=tolerance,
        absolute=absolute,
        derived=derived,
        miss=miss,
    )


_TABLE = "public table by chenyaofo, LLaMA 7B on 8 A800"
_GRADIENTS = (
    "Too much is counted: the run holds less between steps than weights, gradients and optimizer "
    "states come to. Whether gradients are freed or kept in another precision isn't known."
)
_SLOWER = "Only computing is modelled; offloading adds more time than the whole step took before."


def _memory_claims() -> list[Claim]:
    rows = {5: "", 6: "", 0: _GRADIENTS, 2: "The rest of another run is added in full here."}
    return [
        _claim(
            f"GiB between steps, row {i + 1}: stage {RUNS[i].stage}"
            + (", optimizer offloaded" if RUNS[i].offload_optimizer else ""),
            round(RUNS[i].allocated / GIB, 1),
            "GiB",
            _TABLE,
            lambda r=RUNS[i]: explained_bytes(r) / GIB,  # type: ignore[misc]
            absolute=0.05,
            miss=miss,
        )
        for i, miss in rows.items()
    ]


def _throughput_claims() -> list[Claim]:
    rows = {
        1: "",
        4: "",
        5: "A recomputed pass is taken to run at the first row's share of the peak; it ran better.",
        2: _SLOWER,
        6: _SLOWER,
    }
    return [
        _claim(
            f"sequences/s of row {i + 1}, from row 1 and the count of operations, within 10 %",
            RUNS[i].throughput,
            "1/s",
            _TABLE,
            lambda r=RUNS[i]: predicted_throughput(r),  # type: ignore[misc]
            tolerance=0.10,
            miss=miss,
        )
        for i, miss in rows.items()
    ]


def _recomputing() -> Trend:
    slower = RUNS[0].throughput / RUNS[1].throughput
    return Trend(1 < slower <= 4 / 3, f"rows 1 and 2: {slower:.3f} times as long, bound 1.333")


def _derived(quantity: str, printed: str, unit: str, ours: Callable[[], float]) -> Claim:
    return _claim(
        quantity,
        float(printed),
        unit,
        "worked out from the accounting",
        ours,
        absolute=half_unit(printed),
        derived=True,
    )


def claims() -> list[Claim]:
    """Return what the accounting explains of other people's measurements, and what it doesn't."""
    return [
        *_memory_claims(),
        *_throughput_claims(),
        Claim(
            "llm_runtime",
            "time of a step with recomputation over without",
            "trend",
            "recomputation trades time for memory: a third more operations at most",
            "",
            _TABLE,
            _recomputing,
        ),
        *_hour_claims(),
        *_worked_claims(),
    ]


def _hour_claims() -> list[Claim]:
    return [
        _claim(
            f"GPU hours of {name} at half of the peak",
            published,
            "h",
            "llm-analysis, an open tool of the same kind",
            partial(gpu_hours, model, tokens),
            tolerance=0.005,
        )
        for name, (model, tokens, published, _) in GPU_HOURS.items()
    ]


def _worked_claims() -> list[Claim]:
    size = LLAMA_7B.parameters
    return [
        _derived("GB of states, Llama 2 7B", "107.8", "GB", lambda: state_bytes(size) / 1e9),
        _derived(
            "GB of states on each of 8 GPUs, stage 3",
            "13.5",
            "GB",
            lambda: state_bytes(size, gpus=8, stage=3) / 1e9,
        ),
        _derived(
            "tokens/s, Llama 2 7B on 8 A800 at half of the peak",
            "3.087e4",
            "1/s",
            lambda: training_tokens_per_second(LLAMA_7B, GPUS, PEAK, 0.5),
        ),
        _derived(
            "fewest GPUs with 20 GB for the states of 68.977 billion parameters",
            "56",
            "1",
            lambda: fewest_gpus(68.977e9, 20e9),
        ),
        _derived(
            "GB of keys and values, Llama 2 7B, 8 sequences of 4,096",
            "17.18",
            "GB",
            lambda: float(decode_bytes(LLAMA_7B, 2, 8 * 4096) - decode_bytes(LLAMA_7B, 2)) / 1e9,
        ),
        _derived(
            "logarithm of the factor on throughput of offloading the optimizer, least squares",
            "-0.8",
            "1",
            lambda: math.log(main_effects()["offload_optimizer"][0]),
        ),
    ]
