"""What the roofline says of the six kernels: work, traffic and time, in double precision."""

from __future__ import annotations

from perfmodel.roofline.model import Kernel
from perfmodel.validation import one_of, positive, whole

SIZES = {
    "AXPY": 4_000_000,
    "GEMV": 3000,
    "GEMM": 600,
    "SpMV": 400_000,
    "Jacobi": 120,
    "CG": 400_000,
}
"""n of each kernel as measured in the lab: elements, rows, or points in each direction."""
NONZEROS = 7
"""Entries in a row of the sparse matrices: a point of a grid and its six neighbours."""


def kernel(name: str, n: int, nonzeros: float = NONZEROS) -> Kernel:
    """Return the work and the traffic of a kernel with words of 8 bytes and indices of 4.

    Each array is moved once and what is written isn't read first. AXPY: 2n FLOP, 24n bytes; GEMV of
    n x n: 2n^2, 8n^2 + 16n; GEMM: 2n^3, 32n^2; SpMV with z entries a row: 2zn, (12z + 20)n; a sweep
    of Jacobi over n^3 points: 6n^3, 16n^3; an iteration of CG: (2z + 10)n, (12z + 116)n.

    >>> round(kernel("AXPY", 1000).intensity, 4), kernel("GEMM", 160).intensity
    (0.0833, 10.0)
    """
    size, z = whole("n", n, 1), float(positive("nonzeros", nonzeros))
    amounts = {
        "AXPY": (2 * size, 24 * size),
        "GEMV": (2 * size**2, 8 * size**2 + 16 * size),
        "GEMM": (2 * size**3, 32 * size**2),
        "SpMV": (2 * z * size, (12 * z + 20) * size),
        "Jacobi": (6 * size**3, 16 * size**3),
        "CG": ((2 * z + 10) * size, (12 * z + 116) * size),
    }
    one_of("name", name, amounts)
    flops, moved = amounts[name]
    return Kernel(name, float(flops), float(moved))
