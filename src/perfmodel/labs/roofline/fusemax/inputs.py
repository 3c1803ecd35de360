"""Transformers, chips and energies of FuseMax.

Shapes and chips: Nayak, Wu, Odemuyiwa, Pellauer, Emer and Fletcher, "FuseMax: leveraging extended
Einsums to optimize attention accelerator design", MICRO 2024, arXiv 2406.10491, section VI.
Energies, their accesses times energies of one access: the authors' artifact,
github.com/FPSG-UIUC/micro24-fusemax-artifact, MIT licence. This package has no model of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from perfmodel.validation import Floats

LENGTHS = tuple(1024 * 4**i for i in range(6))
"""The paper's sequence lengths in tokens, 1K to 1M."""


@dataclass(frozen=True)
class Transformer:
    """An encoder's shape."""

    name: str
    width: int
    """Elements of a token's vector, D."""
    head_width: int
    """Elements of a query, key or value in one head, E = F."""
    heads: int
    hidden: int
    """Width of the feed-forward layer, S."""
    batch: int = 64


BERT = Transformer("BERT", 768, 64, 12, 3072)
TRANSFORMER_XL = Transformer("TrXL", 1024, 64, 16, 4096)
T5 = Transformer("T5", 512, 64, 8, 2048)
XLM = Transformer("XLM", 2048, 128, 16, 8192)
MODELS = (BERT, TRANSFORMER_XL, T5, XLM)
"""The paper's four transformers, section VI."""


@dataclass(frozen=True)
class Chip:
    """A spatial accelerator: side x side matrix units and side vector units."""

    side: int = 256
    clock: float = 940e6
    """Cycles a second; every unit does one operation a cycle."""
    bandwidth: float = 400 * 2**30
    """Bytes a second to and from DRAM."""
    buffer: int = 16 * 2**20
    """Bytes on the chip."""
    word: int = 2
    """Bytes of an element."""


FUSEMAX_CHIP = Chip()
FLAT_CHIP = Chip(buffer=32 * 2**20)
"""FLAT's chip, section VI: twice the buffer, otherwise the same."""

ATTENTION_ENERGY: dict[str, Floats] = {
    "unfused": np.array(
        [
            [2.60541, 41.3966, 661.186, 10574.3, 169201, 2785490],
            [3.47388, 55.1955, 881.581, 14099.1, 232161, 3713990],
            [1.73694, 27.5977, 440.791, 7049.55, 112801, 1856990],
            [5.99326, 95.1237, 1518.91, 24290.2, 395327, 6322950],
        ]
    ),
    "FLAT": np.array(
        [
            [2.48534, 39.7677, 636.117, 10484.9, 167123, 2752660],
            [3.31379, 53.0236, 848.156, 13979.9, 229390, 3670210],
            [1.6569, 26.5118, 424.078, 6989.95, 111415, 1835100],
            [5.76642, 92.4395, 1472.09, 23935.2, 389686, 6234920],
        ]
    ),
    "FuseMax": np.array(
        [
            [1.95065, 30.8975, 493.109, 7885.54, 126588, 2028810],
            [2.60086, 41.1967, 657.479, 10514.1, 169071, 2705080],
            [1.30043, 20.5983, 328.739, 5257.03, 84535.6, 1352540],
            [5.07162, 80.3124, 1281.66, 20499.7, 329688, 5274890],
        ]
    ),
}
"""Joules of attention, a row a model of `MODELS` and a column a length of `LENGTHS`, from the
artifact (attn-unfused.csv, attn-flat.csv, attn-binding.csv)."""

LINEAR_ENERGY: dict[str, Floats] = {
    "FLAT": np.array(
        [
            [8.4053, 33.6176, 134.467, 537.864, 2151.45, 8605.81],
            [14.8963, 59.579, 238.309, 953.232, 3812.92, 15251.7],
            [3.75891, 15.034, 60.1346, 240.537, 962.146, 3848.58],
            [59.5269, 238.099, 952.388, 3809.54, 15238.2, 60952.6],
        ]
    ),
    "FuseMax": np.array(
        [
            [8.22436, 32.8948, 131.577, 526.304, 2105.21, 8420.85],
            [14.5836, 58.3296, 233.314, 933.25, 3733, 14932],
            [3.67403, 14.6949, 58.7786, 235.113, 940.452, 3761.81],
            [58.4377, 233.745, 934.972, 3739.88, 14959.5, 59838.1],
        ]
    ),
}
"""Joules of the linear layers on each chip, from the artifact (end2end-*.csv), as above."""
