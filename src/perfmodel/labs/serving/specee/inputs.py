"""The paper's numbers, with where they stand in it, and what its released code fixes."""

from __future__ import annotations

from typing import NamedTuple

TASKS = ("MMLU", "CSQA", "SST2", "GSM8K", "SUM", "MT-bench", "Alpaca")
LAYERS = {"7B": 32, "13B": 40, "70B": 80}
EXECUTED = {
    "7B": (23.16, 22.90, 23.55, 23.13, 23.79, 23.22, 21.96),
    "13B": (24.93, 24.59, 25.92, 26.34, 27.80, 26.02, 24.96),
    "70B": (53.25, 52.14, 49.40, 56.51, 57.58, 55.31, 52.88),
}
"""Mean layers that a token runs, of Llama 2 and by the seven `TASKS`: Table 4."""


class Printed(NamedTuple):
    """A speedup in print."""

    model: str
    engine: str
    place: str
    speedup: float


SPEEDUPS = (
    Printed("7B", "Hugging Face", "RTX 4090", 1.43),
    Printed("7B", "vLLM", "RTX 4090", 1.12),
    Printed("7B", "AWQ", "RTX 4090", 1.13),
    Printed("7B", "Hugging Face", "A100", 1.27),
    Printed("7B", "vLLM", "A100", 1.12),
    Printed("7B", "AWQ", "A100", 1.09),
    Printed("13B", "Hugging Face", "", 1.43),
    Printed("13B", "vLLM", "", 1.14),
    Printed("13B", "AWQ", "", 1.12),
    Printed("70B", "Hugging Face", "", 1.23),
    Printed("70B", "vLLM", "", 1.12),
    Printed("70B", "AWQ", "", 1.12),
)
"""Speedups by early exit over the engine it is put into: section 7."""

PREDICTOR_SHARE = 0.0009 / 0.016
"""Seconds of all predictors over those of a token: section 7."""
PREDICTORS, FEATURES, HIDDEN = 32, 12, 512
"""One predictor a layer: 12 features, 512 hidden units, 1 output."""

ON_GPU = 16
"""Layers of 32 on the GPU in the logs."""
FIXED = (16, 17, 18, 20, 22, 25, 27, 29)
"""Layers that the released code checks for every token, counted from 1."""
NEIGHBOURS, WINDOW = (-2, 0, 2), 5
"""And around which exits: those of the last five tokens."""
