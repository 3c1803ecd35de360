"""Answer questions on serving with mlsysim: JSON on standard input, JSON on standard output.

Run by `benchmarks/serving_peers.py` with the Python of an environment that holds mlsysim 0.3.0.
mlsysim's serving models know one device. Several count as one of their memory and bandwidth
together, the best that they could do. It has no 4-bit floats, which are asked for as int4.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from mlsysim import Q_, Hardware, ureg
from mlsysim.models.types import TransformerWorkload
from mlsysim.solvers import ContinuousBatchingModel, ServingModel


def answer(asked: dict[str, Any]) -> float:
    """Return the seconds of a token, or tokens/s where `most` requests may run."""
    device = Hardware.Cloud.H100
    memory = device.memory.model_copy(
        update={
            "bandwidth": Q_(asked["bandwidth"], "B/s"),
            "capacity": Q_(asked["memory"], "B"),
        }
    )
    fields = {name: asked[name] for name in asked["shape"]}
    model = TransformerWorkload(
        name=asked["model"],
        architecture="Transformer",
        parameters=asked["parameters"] * ureg.count,
        **fields,
    )
    hardware = device.model_copy(update={"memory": memory})
    precision = {"fp4": "int4"}.get(asked["precision"], asked["precision"])
    if "most" in asked:
        found = ContinuousBatchingModel().solve(
            model=model,
            hardware=hardware,
            max_seq_len=asked["context"],
            max_batch_size=asked["most"],
            precision=precision,
        )
        return float(found.throughput_tokens_per_sec)
    served = ServingModel().solve(
        model=model,
        hardware=hardware,
        seq_len=asked["context"],
        batch_size=asked["running"],
        precision=precision,
    )
    return float(served.itl.to("s").magnitude)


if __name__ == "__main__":
    json.dump([answer(asked) for asked in json.load(sys.stdin)], sys.stdout)
