"""Twelve kernels in single precision, and how much faster than a given time the roofline allows."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.roofline import Kernel, Roofline, gemm_kernel
from perfmodel.validation import Floats, positive, whole

_PER_ELEMENT = {
    "vector addition": (1, 12),
    "transpose": (0, 8),
    "reduction": (1, 4),
    "dot product": (2, 8),
    "softmax": (5, 8),
    "layer normalization": (8, 8),
    "5-point stencil": (5, 8),
    "convolution, 9 wide": (18, 8),
    "histogram": (1, 4),
    "prefix sum": (1, 8),
    "radix sort, 8 passes": (0, 64),
}
"""Operations and bytes of each element of 4 bytes, all intermediate results kept on the chip."""


def twelve_kernels(elements: int = 2**24, matrix: int = 4096) -> tuple[Kernel, ...]:
    """Return the kernels with their operations and the bytes that they can't avoid.

    >>> twelve_kernels(1000)[0]
    Kernel(name='vector addition', flops=1000.0, bytes=12000.0)
    """
    n, m = float(whole("elements", elements, 1)), whole("matrix", matrix, 1)
    rows = [Kernel(name, f * n, b * n) for name, (f, b) in _PER_ELEMENT.items()]
    product = gemm_kernel(m, m, m, word=4)
    return (*rows, Kernel("matrix product", product.flops, product.bytes))


def bound_time(kernel: Kernel, roof: Roofline) -> float:
    """Return the least seconds that the roofline allows: max(F/P, Q/B).

    >>> bound_time(Kernel("copy", 0, 8e9), Roofline("toy", peak=1e12, bandwidth=1e11))
    0.08
    """
    return max(kernel.flops / roof.peak, kernel.bytes / roof.bandwidth)


def largest_speedup(kernel: Kernel, roof: Roofline, seconds: ArrayLike) -> Floats:
    """Return how many times faster it can become; below 1, a count or a time is wrong.

    >>> roof = Roofline("toy", peak=1e12, bandwidth=1e11)
    >>> float(largest_speedup(Kernel("copy", 0, 8e9), roof, 0.16))
    2.0
    """
    return np.asarray(positive("seconds", seconds) / bound_time(kernel, roof))


def tiled_product_time(tile: ArrayLike, roof: Roofline, matrix: int = 4096) -> Floats:
    """Return the least seconds of a matrix product whose tiles are loaded once each time.

    Each of the 2 m^3 operations on a T x T tile needs 4/T bytes: 8 m^3 / T bytes of traffic in
    single precision, and never less than three matrices.

    >>> roof = Roofline("toy", peak=1e12, bandwidth=1e11)
    >>> bool(tiled_product_time(1, roof) > 30 * tiled_product_time(64, roof))
    True
    """
    least = gemm_kernel(matrix, matrix, matrix, word=4)
    traffic = np.maximum(8.0 * matrix**3 / positive("tile", tile), least.bytes)
    return np.asarray(np.maximum(least.flops / roof.peak, traffic / roof.bandwidth))
