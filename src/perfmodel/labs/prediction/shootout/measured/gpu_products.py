"""Matrix products of a GPU by a tuned library, in three precisions.

`python -m perfmodel.measurement gpu --record FOLDER` measures them: each product is repeated on the
same operands, and what is timed is the work on the GPU, not the call.

Both models, the features, and the target (the best of 15 runs) were chosen before any run was
recorded. The precisions' peaks come from the data sheet, and the waves of tiles from the V100's
model. NVIDIA's description of its matrix units says that rows which don't begin at multiples of 16
bytes take another path. Prices and constants are fitted to the training rows. Nothing was changed
after the recording.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from perfmodel import machines
from perfmodel.labs.prediction.three_ways.product_time import FittedRoofline, flop, least_bytes
from perfmodel.measurement.provenance import recorded_table
from perfmodel.prediction.arena.contest import Estimator
from perfmodel.prediction.arena.dataset import Dataset
from perfmodel.prediction.arena.estimators import Priced
from perfmodel.validation import Floats, one_of

if TYPE_CHECKING:
    import pandas as pd

FILE = "gpu_products.csv"
GPU = "h100-sxm5-80gb"
"""Of the register of machines."""
WORDS = {"bf16": 2, "tf32": 4, "fp32": 4}
"""Bytes of an element."""
UNITS = {"m": "1", "n": "1", "k": "1", "word": "B", "matrix": "1", "aligned": "1"}
"""`matrix`: whether matrix units multiply in this precision. `aligned`: whether all rows of A
(m x k), B (k x n) and C begin at multiples of 16 bytes."""
LOGGED = ("m", "n", "k", "word")
PLAIN = ("matrix", "aligned")
TILE = 128
"""Rows and columns of C that one thread block computes, as a rule."""
ALIGNMENT = 16
"""Bytes at whose multiples rows begin that matrix units are fed from without a detour."""
work = flop


def dataset() -> Dataset:
    """Return the recorded products; the target is the best of 15 runs.

    Groups: `precision`, `shape`. The noise is the mean relative distance of a median run from the
    best.
    """
    table = recorded_table(__package__, FILE)
    return Dataset(
        name="matrix products, H100",
        features=features(table),
        units=UNITS,
        target=table["best_seconds"].to_numpy(),
        quantity="time of a product, best of 15 runs",
        unit="s",
        provenance="measured by this project; see gpu_products.json",
        licence="CC0-1.0",
        groups={
            "precision": list(table["precision"]),
            "shape": [f"{m} x {n} x {k}" for m, n, k in table[["m", "n", "k"]].to_numpy()],
        },
        noise=float((table["median_seconds"] / table["best_seconds"] - 1).mean()),
    )


def features(table: pd.DataFrame) -> pd.DataFrame:
    """Return the features of products that are known before they run, from sizes and precision.

    >>> import pandas as pd
    >>> features(pd.DataFrame({"m": [64], "n": [64], "k": [60], "precision": ["bf16"]})).to_dict(
    ...     "records")
    [{'m': 64.0, 'n': 64.0, 'k': 60.0, 'word': 2.0, 'matrix': 1.0, 'aligned': 0.0}]
    """
    for precision in set(table["precision"]):
        one_of("precision", precision, WORDS)
    sizes = table[["m", "n", "k"]].astype(float)
    word = table["precision"].map(WORDS).astype(float)
    rows = (sizes["n"] * word % ALIGNMENT == 0) & (sizes["k"] * word % ALIGNMENT == 0)
    matrix = (table["precision"] != "fp32").astype(float)
    return sizes.assign(word=word, matrix=matrix, aligned=rows.astype(float))


def whiteboxes() -> dict[str, Estimator]:
    """Return the two models that were written before the recording."""
    return {
        "waves of tiles, 5 prices": Priced(waves),
        "overhead + roofline, 3 constants": FittedRoofline(True, bf16_operations),
    }


def peaks(features: pd.DataFrame) -> Floats:
    """Return the data sheet's FLOP/s in the precision of each product, shape (n,)."""
    sheet = machines.get(GPU)
    on_matrix = np.where(
        features["word"] == 2,
        sheet.value("peak_bf16_matrix"),
        sheet.value("peak_tf32_matrix"),
    )
    return np.where(features["matrix"] > 0, on_matrix, sheet.value("peak_fp32"))


def bf16_operations(features: pd.DataFrame) -> Floats:
    """Return how many operations in bf16 would take as long at the data sheet's rates."""
    return flop(features) * machines.get(GPU).value("peak_bf16_matrix") / peaks(features)


def waves(features: pd.DataFrame) -> dict[str, Floats]:
    """Count what the GPU does for each product, in seconds at the data sheet's rates.

    `call`: 1. `waves`: rounds in each of which every processor computes one whole tile of C, though
    the last round may be nearly empty. `waves, rows askew`: the same again where matrix units
    multiply and rows don't begin at multiples of 16 bytes. `multiply-adds` and `bytes`: of the
    product.
    """
    sheet, m, n = machines.get(GPU), features["m"].to_numpy(), features["n"].to_numpy()
    processors = sheet.value("compute_units")
    tiles = np.ceil(m / TILE) * np.ceil(n / TILE)
    whole = np.ceil(tiles / processors) * processors * TILE**2
    seconds = whole * 2 * features["k"].to_numpy() / peaks(features)
    askew = (features["matrix"] > 0) & (features["aligned"] == 0)
    return {
        "call": np.ones(m.size),
        "waves": seconds,
        "waves, rows askew": seconds * askew.to_numpy(),
        "multiply-adds": flop(features) / peaks(features),
        "bytes": least_bytes(features) / sheet.value("memory_bandwidth"),
    }
