"""Sparse matrices times vectors by SciPy, one core, the matrix in compressed rows.

`matrix @ vector` goes through the rows: for each nonzero it reads a value, the number of its column
and that element of the vector, and adds the product to the row's sum.

Chosen before any run was recorded: both models, the features and the way a run is measured, from
SciPy's loop (sparsetools/csr.h) and from what is known of processors: a sum is a chain of additions
that each wait for the one before, short rows overlap and long ones don't, the end of a row is
foreseen where rows are alike and short, and an element of the vector that isn't in a cache is
fetched as a whole line. The prices are fitted to the training rows. Nothing was changed after the
recording.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from perfmodel.labs.prediction.shootout.measured import sittings
from perfmodel.measurement.provenance import recorded_table
from perfmodel.prediction.arena.contest import Estimator
from perfmodel.prediction.arena.dataset import Dataset
from perfmodel.prediction.arena.estimators import Priced
from perfmodel.validation import Floats, non_negative, positive

if TYPE_CHECKING:
    import pandas as pd

FILE = "sparse_products.csv"
UNITS = {
    "rows": "1",
    "nonzeros": "1",
    "word": "B",
    "gap": "1",
    "drift": "1",
    "hot": "1",
    "unevenness": "1",
}
"""Of square matrices. `gap`: mean distance between neighbouring nonzeros of a row, in columns.
`drift`: mean distance between the first nonzeros of one row and the next. `hot`: share of the
nonzeros in the fullest hundredth of the columns. `unevenness`: standard deviation of the nonzeros
in a row over their mean."""
LOGGED = ("rows", "nonzeros", "word", "gap", "drift", "hot")
PLAIN = ("unevenness",)
INDEX, LINE = 4, 64
"""Bytes of a column's number and of a line of cache."""
CACHE = 2**21
"""Bytes of the core's own cache on the machine of the recording."""
FORESEEN = 64
"""Nonzeros of a row from which its end is not foreseen, and its sum hardly overlaps the next."""


def dataset() -> Dataset:
    """Return the recorded products; the target is the median over sittings of the best sample.

    Groups: `structure` of the matrix, `word`.
    """
    table = recorded_table(__package__, FILE)
    seconds = table[sittings.sitting_columns(table)].median(axis=1)
    return Dataset(
        name="sparse products",
        features=table[list(UNITS)],
        units=UNITS,
        target=seconds.to_numpy(),
        quantity="time of a product",
        unit="s",
        provenance="measured by this project; see sparse_products.json",
        licence="CC0-1.0",
        groups={name: list(table[name]) for name in ("structure", "word")},
        noise=sittings.noise(table),
    )


def whiteboxes() -> dict[str, Estimator]:
    """Return the two models that were written before the recording."""
    return {
        "least traffic, 2 prices": Priced(least_traffic),
        "loop and gathers, 7 prices": Priced(loop_and_gathers),
    }


def work(features: pd.DataFrame) -> Floats:
    """Return the nonzeros of each matrix, shape (n,)."""
    return positive("nonzeros", features["nonzeros"].to_numpy())


def least_bytes(features: pd.DataFrame) -> Floats:
    """Return the bytes that each product must move, shape (n,).

    Values and column numbers, the places where rows begin, the vector and the result, each once.

    >>> import pandas as pd
    >>> least_bytes(pd.DataFrame({"rows": [10], "nonzeros": [30], "word": [8]})).tolist()
    [560.0]
    """
    rows, nonzeros, word = (
        positive(name, features[name].to_numpy(dtype=float)) for name in LOGGED[:3]
    )
    return np.asarray(nonzeros * (word + INDEX) + rows * (INDEX + 2 * word))


def least_traffic(features: pd.DataFrame) -> dict[str, Floats]:
    """Count what a bandwidth-bound product costs: the roofline of sparse products."""
    moved = least_bytes(features)
    return {"call": np.ones(moved.size), "bytes": moved}


def loop_and_gathers(features: pd.DataFrame, cache: int = CACHE) -> dict[str, Floats]:
    """Count what the loop does and what it must fetch, shape (n,) each.

    `call`: 1. `rows`. `nonzeros`. `chained nonzeros`: in rows too long to overlap. `unforeseen row
    ends`: of rows that differ by a nonzero or more, or are long. `gathers past the cache`: lines of
    the vector that neither the row nor the row before brought, times the fraction of the vector
    that the cache of the core does not hold, less the hot columns. `bytes past the cache`: of what
    must be moved.
    """
    rows, nonzeros, word, gap, drift, hot = (
        positive(name, features[name].to_numpy(dtype=float)) for name in LOGGED
    )
    uneven = non_negative("unevenness", features["unevenness"].to_numpy(dtype=float))
    length = nonzeros / rows
    differing = np.minimum(1.0, uneven * length)
    lines = nonzeros * np.minimum(1.0, gap * word / LINE) * np.minimum(1.0, drift * word / LINE)
    outside = np.maximum(0.0, 1 - cache / (rows * word))
    return {
        "call": np.ones(rows.size),
        "rows": rows,
        "nonzeros": nonzeros,
        "chained nonzeros": nonzeros * length / (length + FORESEEN),
        "unforeseen row ends": rows * np.maximum(differing, length > FORESEEN),
        "gathers past the cache": lines * outside * (1 - np.minimum(1.0, hot)),
        "bytes past the cache": np.maximum(0.0, least_bytes(features) - cache),
    }
