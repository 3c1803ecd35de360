"""Loops that multiply two square matrices block by block, compiled for each choice of settings.

Six factors of three levels make 3^6 = 729 programs that compute the same product. Two are sizes
of blocks, read when the program runs; four change the program: how many rows of the result one
pass of the inner loops works on, which loop is inside which, in which order the matrices lie in
memory, and what the compiler may do to the arithmetic. Numba compiles what it is first called with.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from perfmodel.validation import Floats, whole


class ProductSettings(NamedTuple):
    """One way to run the blocked product: a level of each factor.

    >>> ProductSettings(48, 240, 4, "ijk", "rows-columns", "exact").rows
    4
    """

    columns: int
    """Columns of a block of the second matrix."""
    depth: int
    """Rows of a block of the second matrix: terms of each sum done in one visit."""
    rows: int
    """Rows of the result that the inner loops work on at once; must divide the size."""
    order: str
    """The loops over row i, column j and term k, outermost first: ijk, ikj or kij."""
    storage: str
    """How the first and the second matrix lie in memory: by rows or by columns."""
    arithmetic: str
    """`exact`: as written. `contract`: a multiplication and an addition may become one operation.
    `fast`: sums may be reordered as well."""


PRODUCT_LEVELS: Mapping[str, tuple[Any, ...]] = MappingProxyType(
    {
        "columns": (8, 48, 240),
        "depth": (8, 48, 240),
        "rows": (1, 2, 4),
        "order": ("ijk", "ikj", "kij"),
        "storage": ("rows-rows", "rows-columns", "columns-rows"),
        "arithmetic": ("exact", "contract", "fast"),
    }
)
"""The three levels of each factor, in the order of `ProductSettings`."""
_FLAGS: Mapping[str, Any] = {"exact": False, "contract": {"contract"}, "fast": True}
Loops = Callable[[Floats, Floats, Floats, int, int], None]


def product_source(order: str, rows: int) -> str:
    """Return the Python text of the loops, for a look at what is compiled.

    Parameters
    ----------
    order : {'ijk', 'ikj', 'kij'}
        Loops inside a block, outermost first.
    rows : int
        Rows at once, 1 or more. Rows left over at the end are not computed: `rows` must divide
        the size for the result to be right.

    Returns
    -------
    str
        A function `loops(a, b, c, columns, depth)` that adds the product of a and b to c.

    Examples
    --------
    >>> print(product_source("ikj", 1))
    def loops(a, b, c, columns, depth):
        n = a.shape[0]
        for k0 in range(0, n, depth):
            for j0 in range(0, n, columns):
                for i in range(0, n - 0, 1):
                    for k in range(k0, min(k0 + depth, n)):
                        s0 = a[i + 0, k]
                        for j in range(j0, min(j0 + columns, n)):
                            t = b[k, j]
                            c[i + 0, j] += s0 * t
    """
    _known("order", order)
    each = range(whole("rows", rows, 1))
    loop = {
        "i": f"for i in range(0, n - {rows - 1}, {rows}):",
        "j": "for j in range(j0, min(j0 + columns, n)):",
        "k": "for k in range(k0, min(k0 + depth, n)):",
    }
    outer, middle, inner = (loop[letter] for letter in order)
    if order == "ijk":
        before = [f"s{r} = c[i + {r}, j]" for r in each]
        inside = [f"s{r} += a[i + {r}, k] * t" for r in each]
        after = [f"c[i + {r}, j] = s{r}" for r in each]
    else:
        before = [f"s{r} = a[i + {r}, k]" for r in each]
        inside = [f"c[i + {r}, j] += s{r} * t" for r in each]
        after = []
    lines = [(3, outer), (4, middle), *((5, line) for line in [*before, inner])]
    lines += [(6, line) for line in ["t = b[k, j]", *inside]] + [(5, line) for line in after]
    head = [
        (0, "def loops(a, b, c, columns, depth):"),
        (1, "n = a.shape[0]"),
        (1, "for k0 in range(0, n, depth):"),
        (2, "for j0 in range(0, n, columns):"),
    ]
    return "\n".join("    " * depth + line for depth, line in head + lines)


@cache
def product_loops(order: str, rows: int, arithmetic: str) -> Loops:
    """Return compiled `loops(a, b, c, columns, depth)`, which add the product of a and b to c.

    `order` and `rows` are as in `product_source`; by its `arithmetic` (exact, contract or fast) the
    compiler may change sums. Numba compiles at the first call with each storage, in 0.2 s.

    Examples
    --------
    >>> c = np.zeros((2, 2))
    >>> product_loops("ijk", 2, "exact")(np.eye(2), np.full((2, 2), 3.0), c, 2, 1)
    >>> c.tolist()
    [[3.0, 3.0], [3.0, 3.0]]
    """
    from numba import njit

    _known("arithmetic", arithmetic)
    names: dict[str, Any] = {}
    exec(product_source(order, rows), names)
    compiled: Loops = njit(names["loops"], fastmath=_FLAGS[arithmetic], error_model="numpy")
    return compiled


def stored(first: Floats, second: Floats, storage: str) -> tuple[Floats, Floats]:
    """Return both matrices laid out as `storage` says, by rows or by columns.

    >>> [matrix.flags.f_contiguous for matrix in stored(np.ones((2, 3)), np.ones((3, 2)),
    ...                                                 "rows-columns")]
    [False, True]
    """
    _known("storage", storage)
    a, b = (order[0].replace("r", "C").replace("c", "F") for order in storage.split("-"))
    return np.asarray(first, order=a), np.asarray(second, order=b)  # type: ignore[call-overload]


def _known(factor: str, level: str) -> None:
    allowed = PRODUCT_LEVELS[factor]
    if level not in allowed:
        raise ValueError(f"{factor} must be one of {', '.join(allowed)}, got {level!r}")
