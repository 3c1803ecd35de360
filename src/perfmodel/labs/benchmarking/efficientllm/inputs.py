"""Figures that the study prints, as far as we have them.

Source: Z. Yuan et al., "EfficientLLM: Efficiency in Large Language Models", arXiv 2505.13840, 2025.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Pretraining(NamedTuple):
    """A model of 1.5 billion parameters after pretraining; less is better in all four."""

    perplexity: float
    memory: float
    """Mean memory used on a device, bytes."""
    latency: float
    """Seconds of an iteration."""
    power: float
    """Mean power of a device, watts."""


class Serving(NamedTuple):
    """A model that answers requests."""

    memory: float
    """Bytes."""
    rate: float
    """Tokens per second."""
    power: float
    """Watts."""


PRETRAINED = {
    "transformer": Pretraining(8.09, 44.82e9, 0.1280, 653.0),
    "Relate": Pretraining(8.29, 43.94e9, 0.1246, 646.0),
    "Mamba": Pretraining(9.48, 30.25e9, 0.1025, 511.0),
    "MoE": Pretraining(7.10, 76.53e9, 0.142, 692.0),
}
"""Tables 4 to 6: with rotary positions (the study's baseline), with other positions (Relate),
without attention (Mamba), with eight experts of which two work on a token (MoE)."""
SERVED = {
    ("Qwen2.5-32B", "bf16"): Serving(71.33e9, 17.54, 279.0),
    ("Qwen2.5-32B", "int4"): Serving(48.30e9, 19.20, 215.0),
    ("DeepSeek-R1 14B", "bf16"): Serving(51.83e9, 24.74, 212.0),
    ("DeepSeek-R1 14B", "int4"): Serving(34.21e9, 26.40, 191.0),
}
"""Table 9; the second is DeepSeek-R1-Distill-Qwen-14B."""
SCORES_14B = 0.4719, 0.4361
"""Mean score of the latter on the study's tasks, in bf16 and in int4 (Table 9)."""
BITS = {"bf16": 16, "int4": 4}
FREEZE_PARAMETERS = np.array([1.24e9, 3.21e9, 8.03e9, 23.6e9])
"""Nominal numbers of parameters of the four models."""
FREEZE_LATENCY = np.array([0.2542, 0.4252, 0.7369, 1.4815])
"""Seconds of an iteration of fine-tuning with most layers frozen (Table 7)."""
