"""Sparse matrices times vectors by SciPy, one core, the matrix in compressed rows.

`matrix @ vector` goes through the rows: for each nonzero it reads a value, the number of its column
and that element of the vector, and adds the product to the row's sum.

Both models, the features and the measurement were chosen before any run was recorded, from SciPy's
loop (sparsetools/csr.h) and from knowledge of processors. A sum is a chain of additions that each
wait for the one before. Short rows overlap and long rows don't. The processor predicts the end of a
row if rows are equal and short. An element of the vector that isn't in a cache is fetched as a
whole line. The prices are fitted to the training rows. Nothing was changed after the recording.

The runs are sparse matrices of six structures, described and multiplied.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from operator import matmul
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from perfmodel.labs.prediction.shootout.measured import sessions
from perfmodel.labs.prediction.shootout.measured.sessions import CACHE, log_uniform
from perfmodel.prediction.arena.contest import Estimator
from perfmodel.prediction.arena.dataset import Dataset
from perfmodel.prediction.arena.estimators import Priced
from perfmodel.validation import Floats, non_negative, positive

if TYPE_CHECKING:
    import pandas as pd

STRUCTURES = ("band", "stencil", "blocks", "random", "uneven rows", "popular columns")
ROWS, LENGTHS, MOST = (2**7, 2**19), (2, 128), 2**22
"""Ranges of rows and of nonzeros a row, and the nonzeros of a matrix at most."""
BLOCK = 8
"""Neighbouring columns in each piece of a row of `blocks`."""


def matrix(run: int) -> tuple[Any, str]:
    """Return the matrix of a run and the name of its structure; the number of the run says all.

    A row of `band` has neighbouring columns around the diagonal, one of `stencil` has the diagonal
    and columns at the same few distances from it in every row, `blocks` has pieces of 8 neighbours
    anywhere, and `random` single columns anywhere, of a Poisson number. In `uneven rows` that
    number follows a power law (Pareto, exponent 1.5), in `popular columns` it is Poisson and the
    columns follow Zipf's law. Columns that are drawn twice stay. Structures and words (4 and 8
    bytes) take turns; rows and mean nonzeros of a row are log-uniform.
    """
    random = np.random.default_rng([2027, run])
    structure = STRUCTURES[run % len(STRUCTURES)]
    word = ("float32", "float64")[run // len(STRUCTURES) % 2]
    rows = round(log_uniform(random, *ROWS))
    mean = min(log_uniform(random, *LENGTHS), rows / 4, MOST / rows)
    lengths, columns = _DRAWN[structure](random, rows, max(1.0, mean))
    row = np.repeat(np.arange(rows), lengths)
    positions = np.sort(row * rows + columns % rows)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype("int32")
    values = random.random(positions.size).astype(word)
    shape = (rows, rows)
    return sparse.csr_array((values, (positions % rows).astype("int32"), starts), shape), structure


def describe(product: Any) -> dict[str, float]:
    """Return the features of a matrix in compressed rows, with columns in order within a row.

    A gap or drift below 1, of columns drawn twice or rows with the same start, counts as 1.

    >>> found = describe(sparse.csr_array(np.eye(200) + np.eye(200, k=2)))
    >>> found["nonzeros"], found["gap"], found["drift"], found["hot"]
    (398, 2.0, 1.0, 0.01005...)
    """
    lengths, columns = np.diff(product.indptr), product.indices.astype("int64")
    within = np.ones(columns.size, dtype=bool)
    within[product.indptr[:-1][lengths > 0]] = False
    gaps = np.diff(columns, prepend=0)[within]
    firsts = columns[~within]
    filled = np.sort(np.bincount(columns, minlength=product.shape[1]))[::-1]
    return {
        "rows": product.shape[0],
        "nonzeros": product.nnz,
        "word": product.dtype.itemsize,
        "gap": max(1.0, float(gaps.mean()) if gaps.size else 1.0),
        "drift": max(1.0, float(np.abs(np.diff(firsts)).mean()) if firsts.size > 1 else 1.0),
        "hot": float(filled[: max(1, filled.size // 100)].sum() / product.nnz),
        "unevenness": float(lengths.std() / lengths.mean()),
    }


def plan(count: int) -> pd.DataFrame:
    """Return the known facts about each run beforehand: number, features and structure."""
    import pandas as pd

    rows = []
    for run in range(count):
        product, structure = matrix(run)
        rows.append({"run": run, "structure": structure, **describe(product)})
    return pd.DataFrame(rows)


def seconds(runs: Sequence[int]) -> list[float]:
    """Return the seconds of multiplying the matrix of each run by a vector of its own type.

    The calls of a sample follow each other, so that what fits into a cache stays there.
    """
    measured = []
    for run in runs:
        product, _ = matrix(run)
        vector = np.ones(product.shape[1], dtype=product.dtype)
        measured.append(sessions.best_seconds(partial(matmul, product, vector)))
    return measured


def _alike(rows: int, mean: float) -> Any:
    return np.full(rows, round(mean))


def _band(random: np.random.Generator, rows: int, mean: float) -> tuple[Any, Any]:
    lengths = _alike(rows, mean)
    offsets = np.arange(lengths[0]) - lengths[0] // 2
    return lengths, (np.arange(rows)[:, None] + offsets).ravel()


def _stencil(random: np.random.Generator, rows: int, mean: float) -> tuple[Any, Any]:
    lengths = _alike(rows, mean)
    far = random.choice(rows // 2, lengths[0] - 1, replace=False) + 1
    offsets = np.concatenate([[0], far * random.choice([-1, 1], far.size)])
    return lengths, (np.arange(rows)[:, None] + offsets).ravel()


def _blocks(random: np.random.Generator, rows: int, mean: float) -> tuple[Any, Any]:
    pieces = np.maximum(1, random.poisson(mean / BLOCK, rows))
    begins = random.integers(0, rows, pieces.sum())
    return pieces * BLOCK, (begins[:, None] + np.arange(BLOCK)).ravel()


def _random(random: np.random.Generator, rows: int, mean: float) -> tuple[Any, Any]:
    lengths = random.poisson(mean, rows)
    return lengths, random.integers(0, rows, lengths.sum())


def _uneven_rows(random: np.random.Generator, rows: int, mean: float) -> tuple[Any, Any]:
    # The mean of 1 + Pareto's law with exponent 1.5 is 3; what is cut off lowers it.
    drawn = mean / 3 * (1 + random.pareto(1.5, rows))
    lengths = np.minimum(np.round(drawn), rows // 2).astype(int)
    return lengths, random.integers(0, rows, lengths.sum())


def _popular_columns(random: np.random.Generator, rows: int, mean: float) -> tuple[Any, Any]:
    lengths = random.poisson(mean, rows)
    # Zipf's law with exponent 1: the logarithm of the rank is uniform; ranks lie anywhere.
    rank = np.exp(random.uniform(0, np.log(rows), lengths.sum())).astype(int) - 1
    return lengths, random.permutation(rows)[np.clip(rank, 0, rows - 1)]


_DRAWN = {
    "band": _band,
    "stencil": _stencil,
    "blocks": _blocks,
    "random": _random,
    "uneven rows": _uneven_rows,
    "popular columns": _popular_columns,
}


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
FORESEEN = 64
"""Nonzeros of a row from which its end is not foreseen, and its sum hardly overlaps the next."""


def dataset() -> Dataset:
    """Return the recorded products, grouped by `structure` of the matrix and by `word`."""
    name, groups = "sparse products", ("structure", "word")
    return sessions.dataset(FILE, name, UNITS, groups, "time of a product")


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
    that the cache of the core does not hold, less the hot columns. `bytes past the cache`: of the
    bytes that must be moved.
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
