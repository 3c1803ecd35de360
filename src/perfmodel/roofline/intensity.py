"""Operational intensity from a kernel's description: its operations, and the bytes that must move.

Each function returns a `Kernel`. Bytes are those between the main memory and the last cache, under
stated assumptions on what the cache keeps; `write_allocate` says whether a line that is written is
read first, as CPUs do unless told otherwise. Stencils are in `perfmodel.roofline.layer_conditions`.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from perfmodel.roofline.model import Kernel
from perfmodel.validation import at_least, one_of, positive, whole, within

_StreamName = Literal["copy", "scale", "add", "triad"]

_STREAMS: dict[str, tuple[int, int]] = {
    "copy": (0, 1),
    "scale": (1, 1),
    "add": (1, 2),
    "triad": (2, 2),
}
"""Operations and arrays read for each element written."""


def stream_kernel(
    name: _StreamName = "triad", elements: int = 1, word: float = 8, *, write_allocate: bool = True
) -> Kernel:
    """Return a kernel of the STREAM benchmark (McCalpin, 1995).

    Parameters
    ----------
    name : {"copy", "scale", "add", "triad"}
        a = b; a = s b; a = b + c; a = b + s c.
    elements : int
        Length of the arrays.
    word : float
        Bytes of an element.
    write_allocate : bool
        Whether a line that is written is read first.

    Raises
    ------
    ValueError
        If the name is unknown or a size is out of range.

    Examples
    --------
    >>> stream_kernel("triad", write_allocate=False).intensity == 2 / 24
    True
    """
    one_of("name", name, _STREAMS)
    flops, read = _STREAMS[name]
    n = whole("elements", elements, low=1)
    moved = read + 1 + write_allocate
    return Kernel(name, flops * n, moved * n * float(positive("word", word)))


def gemm_kernel(
    m: int, n: int, k: int, *, block: tuple[int, int] | None = None, word: float = 8
) -> Kernel:
    """Return the dense product C += A B of an m x k and a k x n matrix.

    Parameters
    ----------
    m, n, k : int
        Rows of A and C, columns of B and C, and the length of each inner product.
    block : tuple of int
        Rows and columns of the block of C that stays in cache while A and B stream by; the whole
        of C if not given. (1, 1) is the plain triple loop with nothing kept.
    word : float
        Bytes of an element.

    Returns
    -------
    Kernel
        2 m n k operations. A is read ceil(n / columns) times, B ceil(m / rows) times, C is read
        and written once.

    Examples
    --------
    >>> gemm_kernel(1024, 1024, 1024).intensity
    64.0
    >>> gemm_kernel(1024, 1024, 1024, block=(64, 64)).intensity
    7.529411764705882
    """
    m, n, k = (whole(name, v, low=1) for name, v in (("m", m), ("n", n), ("k", k)))
    rows, columns = (m, n) if block is None else (whole("block", b, low=1) for b in block)
    words = m * k * -(-n // columns) + k * n * -(-m // rows) + 2 * m * n
    return Kernel("GEMM", 2.0 * m * n * k, words * float(positive("word", word)))


def spmv_kernel(
    rows: int,
    nonzeros: int,
    *,
    word: float = 8,
    index: float = 4,
    gather: float | None = None,
    write_allocate: bool = True,
) -> Kernel:
    """Return the product y = A x of a sparse matrix in CSR format with a dense vector.

    Parameters
    ----------
    rows, nonzeros : int
        Of a square matrix.
    word, index : float
        Bytes of a value and of an index.
    gather : float
        Words of x that come from memory for each nonzero: from rows/nonzeros, where x is loaded
        once, to 1, where every access misses. The former if not given.
    write_allocate : bool
        Whether a line of y is read before it is written.

    Notes
    -----
    The traffic model of Kreutzer, Hager, Wellein, Fehske and Bishop, SIAM Journal on Scientific
    Computing 36(5), 2014, whose alpha is `gather`.

    Examples
    --------
    >>> spmv_kernel(10**6, 10**7).intensity < 2 / 12
    True
    """
    r, nz = whole("rows", rows, low=1), whole("nonzeros", nonzeros, low=1)
    alpha = min(1.0, r / nz) if gather is None else float(within("gather", gather, 0, 1))
    value, pointer = float(positive("word", word)), float(positive("index", index))
    moved = nz * (value + pointer + alpha * value) + r * (pointer + value * (1 + write_allocate))
    return Kernel("SpMV", 2.0 * nz, moved)


def fft_kernel(points: int, cache_points: float, word: float = 16) -> Kernel:
    """Return a complex Fourier transform of a power of two of points, larger than the cache.

    Parameters
    ----------
    points : int
        A power of two.
    cache_points : float
        Points that the cache holds, 2 or more.
    word : float
        Bytes of a complex number.

    Returns
    -------
    Kernel
        5 n log2 n operations (the customary count) and, for each group of log2(cache) levels of
        butterflies, one pass that reads and writes all points.

    Raises
    ------
    ValueError
        If `points` is no power of two, or the cache holds fewer than two.

    Examples
    --------
    >>> fft_kernel(2**20, 2**10).bytes / (2**20 * 32)
    2.0
    """
    n = whole("points", points, low=2)
    if n & (n - 1):
        raise ValueError(f"points must be a power of two, got {points!r}")
    room = int(np.log2(min(float(at_least("cache_points", cache_points, 2)), n)))
    levels = n.bit_length() - 1
    passes = -(-levels // room)
    return Kernel("FFT", 5.0 * n * levels, 2.0 * n * passes * float(positive("word", word)))


def attention_kernel(
    length: int,
    width: int,
    *,
    value_width: int | None = None,
    heads: int = 1,
    passes: Literal[1, 2, 3] = 1,
    queries: int | None = None,
    word: float = 2,
) -> Kernel:
    """Return softmax attention over `length` queries and keys, in 1, 2 or 3 passes.

    Parameters
    ----------
    length : int
        Queries, and as many keys.
    width, value_width : int
        Elements of a query or key, and of a value; the same if only one is given.
    heads : int
        Independent attentions: heads times batch.
    passes : {1, 2, 3}
        Passes over a row of scores. Between two passes the scores are written to memory and read
        again; in one pass they never leave the chip.
    queries : int
        Queries on the chip at a time: keys and values are read once for each such group. All of
        them at a time if not given.
    word : float
        Bytes of an element.

    Returns
    -------
    Kernel
        With the operations of the two matrix products, 2 L^2 (E + F) a head; those of softmax are
        left out.

    Raises
    ------
    ValueError
        If a size is not a whole number from 1, or `passes` another number.

    Notes
    -----
    Passes: Nayak et al., "FuseMax", MICRO 2024. Words a head: 2 (passes - 1) L^2 for scores,
    L (E + F) for queries and results, L (E + F) ceil(L / queries) for keys and values.

    Examples
    --------
    >>> attention_kernel(4096, 64, passes=3).intensity < attention_kernel(4096, 64).intensity / 10
    True
    """
    n = whole("length", length, low=1)
    wide = whole("width", width, low=1)
    both = wide + (wide if value_width is None else whole("value_width", value_width, low=1))
    if passes not in (1, 2, 3):
        raise ValueError(f"passes must be 1, 2 or 3, got {passes!r}")
    groups = 1 if queries is None else -(-n // whole("queries", queries, low=1))
    words = 2 * (passes - 1) * n * n + n * both * (1 + groups)
    count = whole("heads", heads, low=1)
    name = f"attention in {passes} pass" + "es" * (passes > 1)
    return Kernel(name, 2.0 * count * n * n * both, count * words * float(positive("word", word)))
