"""The machine and the model of the paper, and what is ours."""

from perfmodel.labs.communication.zaya_amd.mixture import MixtureShape

GPUS = 8
"""Of a node; Anthony et al. 2025."""
RAIL = 50e9
"""Bytes/s of a GPU's network card, 400 Gb/s; Anthony et al. 2025."""
LINK = 50e9
"""Bytes/s of a link between two GPUs of a node: an example of ours; no measured one was found."""
LATENCY = 10e-6
"""Seconds before a message moves: an assumption of ours."""
ZAYA = MixtureShape(
    layers=40,
    hidden=2048,
    query_heads=8,
    value_heads=2,
    head=128,
    experts=16,
    used=1,
    width=2048,
    router=256,
    kernel=2,
)
"""ZAYA1-8B, by its public configuration: huggingface.co/Zyphra/ZAYA1-8B, transformers' `zaya`."""
