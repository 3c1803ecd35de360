"""What the schedule and a better cache make of decoding, by what was cached before them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from perfmodel.labs.offloading.hybrimoe.inputs import DECODE, MODELS, QUARTER
from perfmodel.labs.offloading.hybrimoe.layers import mean_layer_time


class CacheReading(NamedTuple):
    """What the GPU held of Qwen2's experts before the paper's cache was added."""

    hits: float
    """Share of a token's experts that it had."""
    whole_layers: bool = False
    """Whether it had all experts of so many layers, and none of the others."""


class DecodeSpeedups(NamedTuple):
    """How many times as fast a token is decoded when a part is added to the fixed mapping."""

    before: float
    """Seconds of a layer's experts by the fixed mapping, the mean of all layers."""
    schedule: float
    """The list from two ends, hits as before."""
    cache: float
    """The printed hits of MRS, the mapping as before."""
    both: float


READINGS: Mapping[str, CacheReading] = MappingProxyType(
    {
        "a quarter of each layer's, fixed": CacheReading(QUARTER),
        "by LRU, at its printed hits": CacheReading(MODELS["Qwen2"].lru_hits),
        "a quarter of the layers, whole": CacheReading(QUARTER, whole_layers=True),
    }
)
"""Fixed, by LRU, or as in a file of rules that the released code has for Qwen2 and a quarter: the
experts of 7 of 28 layers on the GPU, all others on the CPU."""


def decode_speedups(before: CacheReading, model: str = "Qwen2") -> DecodeSpeedups:
    """Return the speedups if the layers' experts take less time and all else stays as it was.

    >>> [round(s, 2) for s in decode_speedups(CacheReading(0.25))[1:]]
    [1.52, 1.27, 1.53]
    """
    shape = MODELS[model]
    hits, whole_layers = before

    def speedup(after: float) -> float:
        return DECODE / (DECODE - shape.layers * (old - after))

    old = float(mean_layer_time(model, "fixed", hits, whole_layers=whole_layers))
    scheduled = mean_layer_time(model, "two ends", hits, whole_layers=whole_layers)
    cached, both = (mean_layer_time(model, rule, shape.mrs_share) for rule in ("fixed", "two ends"))
    return DecodeSpeedups(old, *(speedup(float(t)) for t in (scheduled, cached, both)))
