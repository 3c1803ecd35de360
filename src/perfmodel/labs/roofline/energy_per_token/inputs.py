"""Runs of ML.ENERGY, caps of Zeus, power of a fleet, and the sizes of the models.

Sources: see README.md. Weights are those of the published checkpoints, in parameters; layers and
heads are those of their configuration files.
"""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np

from perfmodel.validation import Floats, one_of

CARDS = ("H100", "B200")
CAPPED = ("V100", "A40", "P100", "RTX6000")
CHAT = "lm-arena-chat"
PROMPT = 100.0
"""Tokens of a prompt of the chat: an assumption of ours."""


PARAMETERS = {
    "Llama-3.1-8B-Instruct": 8.03e9,
    "Qwen3-8B": 8.19e9,
    "gemma-3-12b-it": 12.19e9,
    "Qwen3-14B": 14.77e9,
    "gemma-3-27b-it": 27.43e9,
    "Qwen3-32B": 32.76e9,
    "Llama-3.1-70B-Instruct": 70.55e9,
    "Llama-3.3-70B-Instruct": 70.55e9,
}
"""Weights of the eight dense models of the chat with batches of 8, 16 and 32 on both cards."""
WEIGHT_BYTES = 2
LAYERS = {
    "Llama-3.1-8B-Instruct": 32,
    "Qwen3-8B": 36,
    "Qwen3-14B": 40,
    "Qwen3-32B": 64,
    "Llama-3.1-70B-Instruct": 80,
    "Llama-3.3-70B-Instruct": 80,
}
LAYER_CACHE = 2 * 8 * 128 * 2
"""Bytes of keys and values of a token in a layer of these six: 8 heads of 128 numbers."""


class Run(NamedTuple):
    """One measured configuration."""

    model: str
    """Without the maker's name."""
    task: str
    card: str
    cards: int
    precision: str
    limit: int
    """Requests allowed at once."""
    batch: float
    """Requests running on average."""
    output: float
    """Tokens of an answer."""
    power: float
    """Watts of all cards."""
    rate: float
    """Generated tokens/s."""
    energy: float
    """Joules a generated token."""
    latency: float
    """Median seconds between tokens."""


class Cap(NamedTuple):
    """One training run under a power cap, an epoch long."""

    network: str
    batch: int
    optimizer: str
    cap: float
    """Watts."""
    seconds: float
    power: float
    """Watts on average."""

    @property
    def energy(self) -> float:
        """Joules of an epoch."""
        return self.power * self.seconds


def _read(file: str) -> list[dict[str, str]]:
    folder = files("perfmodel.labs.roofline.energy_per_token")
    with (folder / file).open(encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


@cache
def runs() -> tuple[Run, ...]:
    """Return all runs of inference."""
    return tuple(
        Run(
            row["model"].partition("__")[2],
            row["task"],
            row["gpu"],
            int(row["num_gpus"]),
            row["precision"],
            int(row["max_num_seqs"]),
            float(row["avg_batch"]),
            float(row["avg_output_len"]),
            float(row["power_W"]),
            float(row["tokens_per_s"]),
            float(row["J_per_token"]),
            1e-3 * float(row["itl_ms_p50"]),
        )
        for row in _read("inference.csv")
    )


@cache
def caps(card: str) -> tuple[Cap, ...]:
    """Return the runs under a cap on one card.

    >>> sum(len(caps(card)) for card in CAPPED)
    1609
    """
    one_of("card", card, CAPPED)
    return tuple(
        Cap(
            row["network"],
            int(row["batch_size"]),
            f"{row['dataset']}, {row['optimizer']}",
            float(row["power_limit"]),
            float(row["time_per_epoch"]),
            float(row["average_power"]),
        )
        for row in _read(f"caps_{card.lower()}.csv")
    )


@cache
def fleet(cluster: str) -> tuple[Floats, Floats]:
    """Return percent of the samples and the watts of a GPU that they stay below."""
    one_of("cluster", cluster, ("kalos", "seren"))
    rows = [row for row in _read("fleet_power.csv") if row["series"].endswith(cluster)]
    return (
        np.array([float(row["percent"]) for row in rows]),
        np.array([float(row["watts"]) for row in rows]),
    )
