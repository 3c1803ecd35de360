"""Whitebox models of the time of a matrix product C = A B, m x k by k x n, on one core.

A library computes C in tiles that fit into registers. It reads A and B from copies that are laid
out in reading order (Goto and van de Geijn, ACM TOMS 34(3), 2008). Each part of this work has a
count that follows from m, n and k, and a price that is a constant of the machine. The counts are
knowledge; the prices are fitted.

Features are a data frame with the columns `m`, `n`, `k` (1) and `word` (bytes of an element).

>>> import pandas as pd
>>> cube = pd.DataFrame({"m": [64], "n": [64], "k": [64], "word": [8]})
>>> float(flop(cube)[0]), float(least_bytes(cube)[0])
(524288.0, 98304.0)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize
from sklearn.base import BaseEstimator, RegressorMixin

from perfmodel.validation import Floats, positive

if TYPE_CHECKING:
    import pandas as pd


SIZES_AND_WORD = ("m", "n", "k", "word")
WORDS = (4, 8)
OF_WORDS = " of words of "
"""Separates a count's name from the bytes of an element in `by_precision`."""


@dataclass(frozen=True)
class TiledLibrary:
    """The countable habits of a matrix library, and the cache it works in."""

    vector: int
    """Bytes of a vector register."""
    depth: int
    """Terms of each sum that are added up before C is read and written again."""
    direct: int
    """Products of at most this many multiply-adds are computed without copies of A and B."""
    cache: int
    """Bytes of the core's own cache, the last that is not shared."""


DOUBLE = 8
"""Bytes of a double: counts of elements are counts of this many bytes."""
OPENBLAS_AVX512 = TiledLibrary(vector=64, depth=384, direct=100**3, cache=2**20)
"""OpenBLAS 0.3.17 and later on a server processor with AVX-512; the cache is that of the machine
of `product_sweep.recorded`."""


def flop(features: pd.DataFrame) -> Floats:
    """Return the operations of each product, 2 m n k, shape (n,)."""
    m, n, k = _columns(features, "m", "n", "k")
    return np.asarray(2.0 * m * n * k)


def least_bytes(features: pd.DataFrame) -> Floats:
    """Return the bytes that each product must move: A and B read, C written, shape (n,)."""
    m, n, k, word = _columns(features, *SIZES_AND_WORD)
    return np.asarray((m * k + k * n + m * n) * word)


def work(features: pd.DataFrame, library: TiledLibrary = OPENBLAS_AVX512) -> dict[str, Floats]:
    """Count what a library does for each product, shape (n,): the counts of the six prices.

    Elements are counted in doubles, because two elements of four bytes fill the space of one of
    eight bytes. So products of both precisions can share their prices.

    - `call`: 1
    - `multiply-adds`: m n k
    - `partial vectors`: m k if the rows of C end within a vector, because each step of the sum
      then handles one more vector that is not full
    - `copy of A` and `copy of B`: elements; 0 for products that are small enough to go without
    - `updates of C`: elements times the passes over the sum

    >>> import pandas as pd
    >>> odd = pd.DataFrame({"m": [1001], "n": [1000], "k": [400], "word": [8]})
    >>> counted = work(odd)
    >>> float(counted["updates of C"][0]), float(counted["partial vectors"][0])
    (2002000.0, 0.0)
    """
    m, n, k, word = _columns(features, *SIZES_AND_WORD)
    copied, doubles = m * n * k > library.direct, word / DOUBLE
    return {
        "call": np.ones(m.size),
        "multiply-adds": doubles * m * n * k,
        "partial vectors": m * k * (n * word % library.vector > 0),
        "copy of A": doubles * m * k * copied,
        "copy of B": doubles * k * n * copied,
        "updates of C": doubles * m * n * np.ceil(k / library.depth),
    }


def _columns(features: pd.DataFrame, *names: str) -> list[Floats]:
    missing = [name for name in names if name not in features]
    if missing:
        raise ValueError(
            f"features must have the columns {', '.join(names)}, got none named "
            f"{', '.join(missing)}"
        )
    return [positive(name, features[name].to_numpy(dtype=float)) for name in names]


def work_and_cache(
    features: pd.DataFrame, library: TiledLibrary = OPENBLAS_AVX512
) -> dict[str, Floats]:
    """Count the work and, as a seventh count, `bytes past the cache` of A, B and C together.

    Products that fit into the cache don't determine the price of this count.
    """
    past = np.maximum(0.0, least_bytes(features) - library.cache)
    return {**work(features, library), "bytes past the cache": past}


def by_precision(
    features: pd.DataFrame, counts: Callable[[pd.DataFrame], Mapping[str, Floats]] = work
) -> dict[str, Floats]:
    """Count the work separately for words of 4 and of 8 bytes, so each has its own prices.

    `COUNT of words of 4` and `COUNT of words of 8` are 0 for products of the other precision.
    """
    (word,) = _columns(features, "word")
    if not np.isin(word, WORDS).all():
        raise ValueError(f"word must be 4 or 8 (bytes), got {sorted(set(word.tolist()))}")
    counted = counts(features)
    return {
        f"{name}{OF_WORDS}{size}": np.where(word == size, count, 0.0)
        for size in WORDS
        for name, count in counted.items()
    }


@dataclass(eq=False, repr=False)
class FittedRoofline(BaseEstimator, RegressorMixin):  # type: ignore[misc]
    """The larger of two times, for operations and for bytes, plus an optional overhead.

    The fit minimises the sum of absolute logarithms of the error. The overhead is a constant time
    for each call, such as launching a kernel on a GPU. `operations` takes the features and returns
    each product's operations, shape (n,). Operations of a faster precision may count for less.
    """

    overhead: bool = False
    operations: Callable[[pd.DataFrame], Floats] = flop

    def fit(self, X: pd.DataFrame, y: ArrayLike) -> Self:
        """Fit the constants to times in seconds, shape (n,)."""
        seconds, operations, moved = positive("y", y), self.operations(X), least_bytes(X)

        def loss(logs: Any) -> float:
            modelled = _roof(np.exp(logs), operations, moved)
            return float(np.abs(np.log(modelled / seconds)).sum())

        rates = [float(np.median(seconds / operations)), float(np.median(seconds / moved))]
        if self.overhead:
            rates.append(float(seconds.min()))
        factors = ([1, 1, 1], [1, 0.1, 1], [0.5, 0.5, 1])
        starts = [np.log(rates) + np.log(factor[: len(rates)]) for factor in factors]
        fits = [optimize.minimize(loss, start, method="Nelder-Mead") for start in starts]
        self.constants_ = np.exp(min(fits, key=lambda fit: float(fit.fun)).x)
        """Seconds an operation, seconds a byte and, if asked for, seconds a call."""
        return self

    def predict(self, X: pd.DataFrame) -> Floats:
        """Return times in seconds, shape (n,)."""
        return _roof(self.constants_, self.operations(X), least_bytes(X))


def _roof(constants: Any, operations: Floats, moved: Floats) -> Floats:
    overhead = constants[2] if len(constants) > 2 else 0.0
    return np.asarray(overhead + np.maximum(constants[0] * operations, constants[1] * moved))
