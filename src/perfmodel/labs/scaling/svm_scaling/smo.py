"""Training a support vector machine by sequential minimal optimisation (SMO), first order.

The trainer of GPU and many-core SVM codes: each step takes the two samples that violate optimality
most, solves for their two multipliers alone, and updates all gradients with two rows of the kernel
matrix. Those two rows are nearly all of the work; `step_cost` models it.

The dual: maximise sum a_i - 1/2 sum_ij a_i a_j y_i y_j K(x_i, x_j) with 0 <= a_i <= C and
sum a_i y_i = 0. Source of the step: S. S. Keerthi et al., "Improvements to Platt's SMO algorithm
for SVM classifier design", Neural Computation 13(3), 2001.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from perfmodel.live.drawing import Cells, Fill, Scene, Shape, Text
from perfmodel.live.drawing.chart import legend
from perfmodel.validation import Floats, finite, non_negative, one_of, positive, whole

AT_BOUND = 1e-9
"""A multiplier this near to 0 or C counts as there; with 0 rounding makes some runs cycle."""
BLOCK_BYTES = 2**19
"""Part of the table that is worked on at a time: half a MiB fits most second-level caches."""
_FLATTEST = 1e-12


@dataclass(frozen=True)
class KernelFunction:
    """Similarity of two samples x and z, with constants gamma g, offset c and degree p.

    Linear x.z, polynomial (g x.z + c)^p, rbf exp(-g |x - z|^2), sigmoid tanh(g x.z + c).

    >>> print(KernelFunction("polynomial", gamma=1, offset=1, degree=2).matrix([[1, 2]], [[3, 0]]))
    [[16.]]
    """

    kind: Literal["linear", "polynomial", "rbf", "sigmoid"] = "rbf"
    gamma: float = 1.0
    offset: float = 0.0
    degree: int = 3

    def __post_init__(self) -> None:
        one_of("kind", self.kind, _SHAPES)
        positive("gamma", self.gamma)
        finite("offset", self.offset)
        whole("degree", self.degree, 1)

    def matrix(self, left: ArrayLike, right: ArrayLike) -> Floats:
        """Return K of each row of one table with each row of another, n x m."""
        rows, others = _table("left", left), _table("right", right)
        if rows.shape[1] != others.shape[1]:
            raise ValueError(
                f"right must have the {rows.shape[1]} features of left, got {others.shape[1]}"
            )
        return self.of_products(rows @ others.T, _squares(rows), _squares(others))

    def of_products(self, products: Floats, left_squares: Floats, right_squares: Floats) -> Floats:
        """Return K from the products x.z and, for rbf, the squared norms of the two sides.

        The shape is n x m, for norms of n and m rows.
        """
        shape = _SHAPES[self.kind]
        return np.asarray(shape(self, products, left_squares, right_squares))


_SHAPES: dict[str, Callable[[KernelFunction, Floats, Floats, Floats], Floats]] = {
    "linear": lambda kernel, dot, left, right: dot,
    "polynomial": lambda kernel, dot, left, right: (
        (kernel.gamma * dot + kernel.offset) ** kernel.degree
    ),
    "rbf": lambda kernel, dot, left, right: np.exp(
        -kernel.gamma * np.maximum(left[:, None] + right - 2 * dot, 0)
    ),
    "sigmoid": lambda kernel, dot, left, right: np.tanh(kernel.gamma * dot + kernel.offset),
}


class Trained(NamedTuple):
    """A trained machine, or where training stopped."""

    multipliers: Floats
    """a, one a sample."""
    gradient: Floats
    """f_i = sum_j a_j y_j K_ij - y_i."""
    bias: float
    """b of the decision sum_j a_j y_j K(x_j, x) - b."""
    iterations: int
    converged: bool

    @property
    def support_vectors(self) -> NDArray[np.intp]:
        """Indices of the samples whose multiplier is above 0."""
        return np.flatnonzero(self.multipliers > AT_BOUND)

    def objective(self, labels: ArrayLike) -> float:
        """Return the dual objective, sum a - 1/2 sum_i a_i y_i (f_i + y_i)."""
        y = finite("labels", labels)
        a = self.multipliers
        return float(a.sum() - (a * y) @ (self.gradient + y) / 2)


class LabelledTable(NamedTuple):
    """Samples (n x d) and their labels, -1 or 1."""

    features: Floats
    labels: Floats


def noisy_halves(
    samples: int, features: int = 20, noise: float = 0.3, seed: int = 0
) -> LabelledTable:
    """Return standard normal samples, labelled by a random plane through the origin, with noise.

    The `noise` is the standard deviation on the distance from the plane.

    >>> noisy_halves(5).labels
    array([ 1.,  1., -1., -1., -1.])
    """
    rng = np.random.default_rng(whole("seed", seed))
    n, d = whole("samples", samples, 1), whole("features", features, 1)
    table, normal = rng.standard_normal((n, d)), rng.standard_normal(d)
    deviation = float(non_negative("noise", noise)) * np.linalg.norm(normal)
    return LabelledTable(table, np.sign(table @ normal + deviation * rng.standard_normal(n)))


def train_svm(
    features: ArrayLike,
    labels: ArrayLike,
    kernel: KernelFunction,
    cost: float = 1.0,
    tolerance: float = 1e-3,
    fused: bool = True,
    max_iterations: int = 100_000,
    at_bound: float = AT_BOUND,
) -> Trained:
    """Return the support vector machine that SMO finds for two classes.

    `features` are n x d, `labels` -1 or 1, both present. C is `cost`; training stops when the
    largest violation is at most twice the `tolerance`, or with `converged` False after
    `max_iterations`. If `fused`, both kernel rows of a step are worked out in one pass over the
    samples. A multiplier within `at_bound` of a bound counts as there.

    >>> samples, labels = [[0.0], [1.0], [2.0], [3.0]], [-1, -1, 1, 1]
    >>> machine = train_svm(samples, labels, KernelFunction("linear"), cost=10)
    >>> print(machine.support_vectors, round(machine.bias, 3))
    [1 2] 3.0
    """
    table, y = _table("features", features), _labels(labels, features)
    limit, gap = float(positive("cost", cost)), 2 * float(positive("tolerance", tolerance))
    near, squares = float(non_negative("at_bound", at_bound)), _squares(table)
    a, f = np.zeros(y.size), -y
    for step in range(whole("max_iterations", max_iterations, 1)):
        high, low = _worst_pair(a, f, y, limit, near)
        if f[low] <= f[high] + gap:
            return Trained(a, f, float(f[high] + f[low]) / 2, step, True)
        rows = _rows(table, squares, kernel, high, low, fused)
        d_high, d_low = _step(a, f, y, limit, high, low, rows)
        a[[high, low]] = np.clip(a[[high, low]] + (d_high, d_low), 0, limit)
        f += d_high * y[high] * rows[0] + d_low * y[low] * rows[1]
    return Trained(a, f, float(f[high] + f[low]) / 2, max_iterations, False)


def products(table: Floats, others: Floats, block_bytes: int | None = BLOCK_BYTES) -> Floats:
    """Return x.z of each row z of `others` (m x d) with each row x of `table` (n x d), m x n.

    The table is read once, in blocks of about `block_bytes` that stay in a core's cache while every
    row of `others` passes over them (fused); with None it is read once for each row.

    >>> print(products(np.eye(3), np.array([[1.0, 2.0, 3.0]])))
    [[1. 2. 3.]]
    """
    n = len(table)
    rows = n if block_bytes is None else max(1, block_bytes // table[0].nbytes)
    dots = np.empty((len(others), n))
    for start in range(0, n, rows):
        block = slice(start, start + rows)
        for k, other in enumerate(others):
            dots[k, block] = table[block] @ other
    return dots


def _worst_pair(
    a: Floats, f: Floats, y: Floats, limit: float, near: float
) -> tuple[np.intp, np.intp]:
    below, above = a < limit - near, a > near
    can_rise = np.where(y > 0, below, above)
    can_fall = np.where(y > 0, above, below)
    return np.argmin(np.where(can_rise, f, np.inf)), np.argmax(np.where(can_fall, f, -np.inf))


def _rows(
    table: Floats, squares: Floats, kernel: KernelFunction, high: np.intp, low: np.intp, fused: bool
) -> Floats:
    pair = [high, low]
    dots = products(table, table[pair], BLOCK_BYTES if fused else None)
    return kernel.of_products(dots.T, squares, squares[pair]).T


def _step(
    a: Floats, f: Floats, y: Floats, limit: float, high: np.intp, low: np.intp, rows: Floats
) -> tuple[float, float]:
    curvature = max(rows[0, high] + rows[1, low] - 2 * rows[0, low], _FLATTEST)
    sign = y[high] * y[low]
    total = a[low] + sign * a[high]
    ends = (total - limit, total) if sign > 0 else (total, total + limit)
    wanted = a[low] + y[low] * (f[high] - f[low]) / curvature
    change = float(np.clip(wanted, max(0.0, ends[0]), min(limit, ends[1])) - a[low])
    return -float(sign) * change, change


def _squares(table: Floats) -> Floats:
    return np.asarray(np.einsum("ij,ij->i", table, table))


def _table(name: str, value: ArrayLike) -> Floats:
    table = finite(name, value)
    if table.ndim != 2 or table.size == 0:
        raise ValueError(f"{name} must be a table, samples x features, got shape {table.shape}")
    return table


def _labels(labels: ArrayLike, features: ArrayLike) -> Floats:
    y, count = finite("labels", labels), len(np.asarray(features))
    if y.shape != (count,):
        raise ValueError(f"labels must be one for each of {count} samples, got shape {y.shape}")
    if set(np.unique(y)) != {-1.0, 1.0}:
        raise ValueError(f"labels must be -1 and 1, both present, got {np.unique(y).tolist()}")
    return y


BLOCKS, DEEP, WIDE = 6, 2, 8
"""Blocks of the table, samples a block, and features."""
STEPS = 2 * BLOCKS
"""Products of a block with a sample."""
HELD = 2
"""Blocks that the cache holds."""
_SIZE = 15.0


def table_passes(passes: int, step: int) -> Scene:
    """Draw which blocks of the table have been read, and how far the two rows are.

    Two passes are a row after the other, one is both rows of a block before the next block; of the
    12 products of a block with one of the two samples `step` are done.

    >>> table_passes(1, 12).values["blocks read"], table_passes(2, 12).values["blocks read"]
    (6.0, 12.0)
    """
    fused, done = whole("passes", passes, 1) == 1, whole("step", step, 1)
    order = [(i // 2, i % 2) if fused else (i % BLOCKS, i // BLOCKS) for i in range(STEPS)]
    in_cache: list[int] = []
    reads = [0]
    for block, _ in order:
        reads.append(reads[-1] + (block not in in_cache))
        in_cache = [*(b for b in in_cache if b != block), block][-HELD:]
        if len(reads) == done + 1:
            cached = set(in_cache)
    now = order[done - 1][0]
    shapes: list[Shape] = [_drawn_table(cached, now)]
    for row, name in enumerate("hl"):
        ready = {block for block, which in order[:done] if which == row}
        cells: dict[tuple[int, int], tuple[int, Fill]] = {
            (i, 0): (3, "hatch") for i in _samples(ready)
        }
        shapes.append(Cells(160 + 40 * row, 40, BLOCKS * DEEP, 1, _SIZE, cells))
        shapes.append(Text(f"row {name}", 168 + 40 * row, 26))
    shapes += [Text("table", 76, 26), Text(f"{reads[done]} blocks read", 242, 150, anchor="start")]
    shapes += legend(
        242, 54, [("used now", 2, "solid"), ("in the cache", 1, "light"), ("done", 3, "hatch")]
    )
    way = "One pass by blocks" if fused else "A pass for each row"
    says = (
        f"{way} has read {reads[done]} blocks from memory after step {done}, and {reads[-1]} at "
        "the end."
    )
    values = {"blocks read": float(reads[done]), "blocks in the end": float(reads[-1])}
    return Scene(236, shapes, says, values)


def _drawn_table(cached: set[int], now: int) -> Shape:
    filled: dict[tuple[int, int], tuple[int, Fill]] = {}
    for block in sorted(cached):
        look: tuple[int, Fill] = (2, "solid") if block == now else (1, "light")
        filled |= {(i, j): look for i in _samples({block}) for j in range(WIDE)}
    return Cells(16, 40, BLOCKS * DEEP, WIDE, _SIZE, filled)


def _samples(blocks: set[int]) -> list[int]:
    return [DEEP * block + i for block in sorted(blocks) for i in range(DEEP)]
