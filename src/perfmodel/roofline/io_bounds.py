"""How little data an algorithm can move: lower bounds for a fast memory of S words.

A program may load and store between a slow memory of any size and a fast one of S words, and
computes only on what is in the fast one. Bounds hold for every order of the operations, so they say
when to stop looking for a better blocking.

Hong and Kung, "I/O complexity: the red-blue pebble game", STOC 1981, found the orders of growth:
n^3 / sqrt(S) for the matrix product and n log n / log S for the Fourier transform. Constants, which
decide what a bound is worth, came later; each function says whose it uses.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import Floats, at_least, positive


def gemm_bound(m: ArrayLike, n: ArrayLike, k: ArrayLike, fast: ArrayLike) -> Floats:
    """Return words that C += A B must move at least, C included.

    Parameters
    ----------
    m, n, k : array_like
        A is m x k, B is k x n; 1 or more.
    fast : array_like
        Words of fast memory S, 3 or more.

    Returns
    -------
    ndarray
        The larger of 2 m n k / sqrt(S) - 2 S + m n and m k + k n + 2 m n.

    Notes
    -----
    For the ordinary algorithm (no Strassen), every product being added to its element of C at once.
    The leading term is that of Smith, Lowery, Langou and van de Geijn, "A tight I/O lower bound for
    matrix multiplication", arXiv 1702.02017 (2017); it is tight. Why: cut the run where 2 S words
    have been read. A piece works on at most 3 S words, say a of A, b of B and c of C, and does at
    most sqrt(a b c) multiplications (Loomis and Whitney), which is S^(3/2) at best. So there are
    at least m n k / S^(3/2) - 1 whole pieces of 2 S reads, and C is written once besides. Olivry,
    Langou, Pouchet, Sadayappan and Rastello, PLDI 2020 (arXiv 1911.06664), derive such bounds with
    their constants automatically, for any loops with affine bounds.

    Examples
    --------
    >>> float(gemm_bound(1000, 1000, 1000, 10_000))
    20980000.0
    """
    m, n, k = at_least("m", m, 1), at_least("n", n, 1), at_least("k", k, 1)
    room = at_least("fast", fast, 3)
    reused = 2 * m * n * k / np.sqrt(room) - 2 * room + m * n
    return np.asarray(np.maximum(reused, m * k + k * n + 2 * m * n))


def best_block(fast: int) -> int:
    """Return the side b of the largest square of C that fits with a column of A and a row of B.

    b^2 + 2 b <= S, which is `fast` words. With it a product moves 2 m n k / b + 2 m n words, which
    is the bound's leading term with b instead of sqrt(S).

    >>> best_block(10_000)
    99
    """
    return int(np.sqrt(float(at_least("fast", fast, 3)) + 1)) - 1


def three_block(fast: int) -> int:
    """Return the side of the largest square block of which three fit, the textbook's choice.

    In `fast` words; it moves sqrt(3), about 1.7, times as much as `best_block`.

    >>> three_block(10_000)
    57
    """
    return int(np.sqrt(float(at_least("fast", fast, 3)) / 3))


def fft_bound(points: ArrayLike, fast: ArrayLike) -> Floats:
    """Return words that a Fourier transform of `points` points must move at least.

    Parameters
    ----------
    points : array_like
        n, a power of two.
    fast : array_like
        Words of fast memory S (complex numbers), 2 or more.

    Returns
    -------
    ndarray
        The larger of n log2(n) / (4 log2(2 S)) - S and 2 n, which reads and writes each point once.

    Notes
    -----
    Of Hong and Kung's order, for the butterfly network. Constants as in Savage, "Models of
    Computation" (1998), chapter 11: from 2 S available points at most 4 S log2(2 S) butterfly
    results can be computed, so a run of S transfers gets no further. This is valid but not tight:
    passes that fill the fast memory move 2 n log2(n) / log2(S) words.

    Examples
    --------
    >>> round(float(fft_bound(2**40, 2**3)) / 2**40, 3)
    2.5
    """
    n = at_least("points", points, 2)
    if not (np.exp2(np.rint(np.log2(n))) == n).all():
        raise ValueError(f"points must be powers of two, got {points!r}")
    room = at_least("fast", fast, 2)
    return np.asarray(np.maximum(n * np.log2(n) / (4 * np.log2(2 * room)) - room, 2 * n))


def intensity_bound(flops: ArrayLike, words: ArrayLike, word: float = 8) -> Floats:
    """Return the highest operational intensity that a bound of `words` leaves, in FLOP/byte.

    Of a computation of `flops` operations on words of `word` bytes.

    >>> round(float(intensity_bound(2e9, gemm_bound(1000, 1000, 1000, 10_000))), 2)
    11.92
    """
    return np.asarray(
        at_least("flops", flops, 0) / (at_least("words", words, 1) * positive("word", word))
    )
