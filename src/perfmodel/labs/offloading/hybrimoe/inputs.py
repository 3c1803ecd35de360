"""What the released code and the paper's tables say about HybriMoE, and the shapes of its models.

Source: S. Zhong and others, "HybriMoE: hybrid CPU-GPU scheduling and cache management for efficient
MoE inference", arXiv:2504.05897, 2025; code at github.com/PKU-SEC-Lab/HybriMoE, Apache-2.0, whose
constants are in milliseconds. Shapes are those of the models' published configurations.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

START_UP = 0.79e-3
"""Seconds that the CPU takes in addition for the first expert of a layer; code."""
DEVICE = 0.5e-3
"""Seconds of the GPU for an expert, whatever its load; code."""
FETCH = 0.41791e-3
"""Seconds of the link for an expert, the same for all models; code."""
RECENT = 0.5
"""Weight of the newest scores in the cache's running score; code."""


@dataclass(frozen=True)
class ExpertModel:
    """A model with experts, and what was measured of it."""

    layers: int
    """Layers with experts."""
    experts: int
    """Experts of a layer."""
    active: int
    """Of which a token uses this many."""
    per_token: float
    """Seconds of the CPU for a token of an expert; code."""
    lru_hits: float
    """Share of experts found in a cache of a quarter of them, by LRU; the paper's figure."""
    mrs_hits: str
    """The same by the paper's score, as printed."""

    @property
    def mrs_share(self) -> float:
        """The printed hits of the paper's score as a share."""
        return float(self.mrs_hits.split()[0]) / 100


MODELS: Mapping[str, ExpertModel] = MappingProxyType(
    {
        "Mixtral": ExpertModel(32, 8, 2, 0.2e-3, 0.302, "36.2 %"),
        "DeepSeek": ExpertModel(26, 64, 6, 1.0e-3, 0.477, "52.7 %"),
        "Qwen2": ExpertModel(28, 64, 8, 0.8e-3, 0.450, "52.8 %"),
    }
)
"""Mixtral-8x7B, DeepSeek-V2-Lite and Qwen2-57B-A14B."""

QUARTER = 0.25
"""Share of the experts that the GPU holds in the ablation, of Qwen2."""
LRU_THREE_QUARTERS, MRS_THREE_QUARTERS = "80.6 %", "83.3 %"
"""Hits as printed with three quarters of Mixtral's experts cached."""
DECODE = 0.21
"""Seconds of decoding in the ablation before anything is added. That it is one token is assumed."""
PRINTED_SPEEDUPS: Mapping[str, float] = MappingProxyType(
    {"schedule": 1.46, "cache": 1.38, "all": 1.86}
)
"""Of decoding in the ablation; `all` has prefetching too, which is 1.15 by itself."""
