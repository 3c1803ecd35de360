"""Measured throughputs of training with states on SSDs, and the predicted ones."""

from collections.abc import Callable

from perfmodel.labs.offloading.fuyou.inputs import (
    BY_BATCH,
    BY_DRIVES,
    GPT_13B,
    GPT_175B,
    LARGE_BY_BATCH,
)
from perfmodel.labs.offloading.fuyou.step_models import NORM, fitted, without
from perfmodel.ledger import Claim, Sheet, same_method

BOUND = 0.15
"""As in other labs: a prediction by fitted constants may be off by 15 %."""
_MISS = (
    "The model lets all times grow with the number of parameters, nearly fourteenfold. At this "
    "batch SSDs and c are the limit. To give the measured rate, c would have to grow only about "
    "tenfold; nothing published says which part of it grows less. At a batch of 16, where the GPU "
    "is busy for longer, the prediction is close."
)


def predicted(batch: int, drives: int) -> float:
    """Return the FLOP/s of 13B, predicted from steps with all other numbers of SSDs.

    >>> round(predicted(32, 2) / 1e12, 1)
    62.9
    """
    return float(without(NORM, drives).rate(batch, drives))


def predicted_large(batch: int) -> float:
    """Return the FLOP/s of 175B with twelve SSDs, predicted from the steps of 13B.

    Work and bytes both grow with the number of parameters, so that the time does.

    >>> round(predicted_large(16) / 1e12)
    85
    """
    growth = GPT_175B.parameters / GPT_13B.parameters
    seconds = float(fitted(NORM).seconds(batch, 12)) * growth
    return batch * GPT_175B.work / seconds


def _row(name: str, rate: float, where: str, compute: Callable[[], float], miss: str = "") -> Claim:
    return same_method(name, f"{rate} TFLOP/s", where, compute, within=BOUND, miss=miss)


def _small(batch: int, drives: int, rate: float, where: str) -> Claim:
    return _row(
        f"13B, batch {batch}, {drives} SSD{'s' * (drives > 1)}, from other numbers of SSDs",
        rate,
        where,
        lambda: predicted(batch, drives),
    )


SHEET = Sheet(
    "C. Liao and others, 'Adding NVMe SSDs to Enable and Accelerate 100B Model Fine-tuning on a "
    "Single GPU', arXiv:2403.06504, 2024; throughputs from evaluation_data.md in the artifact of "
    "its later version, LoHan (ICDE 2025)",
    [
        *(
            _small(batch, drives, rate, "Figure 10(b)")
            for batch, rates in BY_DRIVES.items()
            for drives, rate in rates.items()
        ),
        *(_small(batch, 12, rate, "Figure 7(a)") for batch, rate in BY_BATCH.items()),
        *(
            _row(
                f"175B, batch {batch}, 12 SSDs, from 13B",
                rate,
                "Figure 7(b)",
                lambda batch=batch: predicted_large(batch),  # type: ignore[misc]
                _MISS if batch == 8 else "",
            )
            for batch, rate in LARGE_BY_BATCH.items()
        ),
    ],
    unheld="Comparisons with other systems (3.47 times ZeRO-Infinity, 2.32 times the best "
    "baseline) would need a model of those systems. Two and four GPUs share links and SSDs in a "
    "way that we couldn't read, so their throughputs are left out. So is the largest model for "
    "each size of memory. The released code doesn't say how the authors turn seconds into FLOP/s. "
    "The predictions don't depend on it, but the lab's seconds do. No phase is published alone.",
)
