"""Half-precision matrix products on an NVIDIA V100, as profiled for APEX, in the arena.

Lin et al., arXiv 2411.17651; the table is the authors' (data set apex, MIT licence) and is fetched.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from perfmodel import data
from perfmodel.labs.prediction.three_ways.contestants import SIZES
from perfmodel.labs.prediction.three_ways.product_time import flop, least_bytes
from perfmodel.prediction.arena.dataset import Dataset
from perfmodel.validation import Floats, positive

if TYPE_CHECKING:
    import pandas as pd

TILE = 128
"""Rows and columns of C that one thread block computes, as a rule."""
PROCESSORS = 80
"""Streaming multiprocessors of a V100."""
PAIR = "n and k"
"""Group of products by the same matrix B: the profile has them for many m."""


def table(folder: str | Path | None = None) -> pd.DataFrame:
    """Return the profile: `m`, `n`, `k`, `word` (bytes) and `seconds`, 92,191 rows."""
    products = _table(data.fetch("apex", "v100_gemm.csv", folder))
    return products.copy()


@cache
def _table(path: Path) -> Any:
    import pandas as pd

    raw = pd.read_csv(path)
    chosen = raw[[*SIZES]].astype(float)
    chosen["word"] = 2.0
    chosen["seconds"] = positive("time", raw["time(us)"].to_numpy()) * 1e-6
    return chosen.drop_duplicates(list(SIZES), ignore_index=True)


def dataset(folder: str | Path | None = None, rows: int = 5000, seed: int = 0) -> Dataset:
    """Return some rows of the profile, drawn at random, as a data set of the arena."""
    chosen = table(folder).sample(rows, random_state=seed, ignore_index=True)
    published = data.DATASETS["apex"]
    return Dataset(
        name="matrix products, V100",
        features=chosen[[*SIZES, "word"]],
        units={"m": "1", "n": "1", "k": "1", "word": "B"},
        target=chosen["seconds"].to_numpy(),
        quantity="time of a product",
        unit="s",
        provenance=published.provenance,
        licence=published.licence,
        groups={PAIR: [f"{n:g} x {k:g}" for n, k in chosen[["n", "k"]].to_numpy()]},
    )


def waves(features: pd.DataFrame) -> dict[str, Floats]:
    """Count what a GPU does for each product: the counts of its four prices, shape (n,) each.

    `call`: 1. `wave steps`: terms of the sum times rounds, in each of which every processor
    computes one tile of C; the last round may be nearly empty. `multiply-adds` and `bytes`: of the
    product.
    """
    m, n, k = (features[name].to_numpy(dtype=float) for name in SIZES)
    tiles = np.ceil(m / TILE) * np.ceil(n / TILE)
    return {
        "call": np.ones(m.size),
        "wave steps": np.ceil(tiles / PROCESSORS) * k,
        "multiply-adds": flop(features) / 2,
        "bytes": least_bytes(features),
    }
