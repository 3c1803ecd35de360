"""APEX's model and machine, and plans that share eight GPUs: copies, stages and cut layers.

`data` copies of the model; each of `pipeline` stages, one after the other; each stage's layers cut
into `tensor` parts. A part of a layer is a share of its heads and of its feed-forward columns.
"""

from __future__ import annotations

from typing import NamedTuple

from perfmodel import machines
from perfmodel.roofline import Decoder
from perfmodel.validation import whole

LLAMA_70B = Decoder.uniform(80, 8192, 28672, 64, 8, 128_256, head_dim=128)
"""Llama 3 and 3.1 with 70B, from the configuration in the repository of APEX."""
GIB = 2.0**30
GPUS = 8
"""H100s of the server, SXM with 80 GB."""
MEMORY = 80 * GIB
"""Bytes of a GPU as APEX counts them: 80 GiB, a little more than the 80 GB of the data sheet."""
WORKSPACE = 1 * GIB
"""Bytes of a GPU that APEX's simulator reserves besides weights and cache."""
H100 = machines.get("h100-sxm5-80gb")
PEAK = H100.peak("bf16")
"""FLOP/s of a GPU on paper."""
REACHED = H100.value("reached_bf16_matrix")
"""FLOP/s of a GPU that large products reached, measured by others."""
BANDWIDTH = H100.memory_bandwidth
"""Bytes/s of a GPU's memory on paper."""
SHARE = 0.97
"""Share of a GPU's memory that vLLM was let use."""
BATCH = 256
"""Sequences that vLLM runs at most by default."""


class Plan(NamedTuple):
    """How many copies, stages and parts; their product is the number of GPUs."""

    data: int
    pipeline: int
    tensor: int

    @property
    def name(self) -> str:
        """Such as `2 x TP4` or `TP4 x PP2`."""
        stages = f" x PP{self.pipeline}" if self.pipeline > 1 else ""
        return (f"{self.data} x " if self.data > 1 else "") + f"TP{self.tensor}{stages}"


def plans(gpus: int = GPUS, model: Decoder = LLAMA_70B) -> list[Plan]:
    """Return all plans whose parts come out even, the fewest copies first.

    Stages divide the layers, parts the groups of heads and the feed-forward columns.

    >>> [plan.name for plan in plans(2)]
    ['TP2', 'TP1 x PP2', '2 x TP1']
    """
    count = whole("gpus", gpus, 1)
    feasible = []
    for data in _divisors(count):
        for pipeline in _divisors(count // data):
            tensor = count // (data * pipeline)
            parts = model.kv_heads % tensor or model.feed_forward % tensor
            if not (model.layers % pipeline or parts):
                feasible.append(Plan(data, pipeline, tensor))
    return feasible


def weight_bytes(
    plan: Plan, model: Decoder = LLAMA_70B, *, attention_cut: bool = True, tables: bool = False
) -> float:
    """Return the bytes of a GPU's weights, 16 bits each.

    Without `attention_cut` each GPU of a stage has all of attention, and serves requests of its own
    there. APEX leaves tables of words out.

    >>> round(weight_bytes(Plan(1, 1, 2)) / 2**30, 2)
    63.75
    """
    attention = model.attention_parameters / (plan.tensor if attention_cut else 1)
    layer = attention + model.feed_forward_parameters / plan.tensor
    words = 2 * model.vocab_size * model.hidden_size / plan.tensor if tables else 0.0
    return 2 * (model.layers / plan.pipeline * layer + words)


def cache_tokens(
    plan: Plan, model: Decoder = LLAMA_70B, *, memory: float = MEMORY, reserved: float = WORKSPACE
) -> float:
    """Return the tokens whose KV cache fits next to the weights, all copies together.

    Negative if not even the weights fit. `memory` and `reserved` are bytes of a GPU.

    >>> round(cache_tokens(Plan(1, 1, 2)))
    99942
    """
    token = 2 * model.kv_numbers / (plan.tensor * plan.pipeline)
    return plan.data * (memory - reserved - weight_bytes(plan, model)) / token


def fits(plan: Plan, model: Decoder = LLAMA_70B) -> bool:
    """Return whether weights and at least one token's keys and values fit.

    >>> fits(Plan(8, 1, 1)), fits(Plan(4, 1, 2))
    (False, True)
    """
    return cache_tokens(plan, model) >= 1


def _divisors(number: int) -> list[int]:
    return [k for k in range(1, number + 1) if number % k == 0]
