"""Five kernels after SciMark's, each slow and tuned by one pattern, with what it does to memory.

Hoisting loops into NumPy, slices instead of elements, a better algorithm, updating in place. The
sparse product is the control: it reads its matrix once either way, and no pattern here changes how
many bytes that is.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from perfmodel.benchmarking import count_allocations
from perfmodel.measurement import Comparison, compare
from perfmodel.validation import Floats

Run = Callable[..., Any]


class TunedKernel(NamedTuple):
    """A kernel in two versions that return the same on the same arguments."""

    name: str
    pattern: str
    slow: Run
    tuned: Run
    arguments: tuple[Any, ...]

    def agrees(self) -> bool:
        """Return whether both versions give the same result."""
        return bool(np.allclose(self.slow(*self.arguments), self.tuned(*self.arguments)))

    @property
    def data_bytes(self) -> int:
        """Bytes of the arrays that it is run on."""
        parts = [
            [a.data, a.indices, a.indptr] if sparse.issparse(a) else [np.asarray(a)]
            for a in self.arguments
        ]
        return int(sum(array.nbytes for group in parts for array in group))


def _area_by_loop(x: Floats, y: Floats) -> float:
    inside = 0
    for a, b in zip(x, y, strict=True):
        if a * a + b * b <= 1.0:
            inside += 1
    return 4 * inside / len(x)


def _area_by_array(x: Floats, y: Floats) -> float:
    return float(4 * np.mean(x * x + y * y <= 1.0))


def _relaxed_by_loop(grid: Floats, sweeps: int) -> Floats:
    u = grid.tolist()
    for _ in range(sweeps):
        for colour in (0, 1):
            for i in range(1, len(u) - 1):
                for j in range(1 + (i + colour) % 2, len(u) - 1, 2):
                    around = u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]
                    u[i][j] += 1.25 * (around / 4 - u[i][j])
    return np.array(u)


def _relaxed_by_slices(grid: Floats, sweeps: int) -> Floats:
    u = grid.copy()
    rows, columns = np.indices(u.shape)[:, 1:-1, 1:-1]
    masks = [(rows + columns) % 2 == 1 - colour for colour in (0, 1)]
    for _ in range(sweeps):
        for mask in masks:
            inner = u[1:-1, 1:-1]
            around = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
            inner[mask] += 1.25 * (around / 4 - inner)[mask]
    return u


def _transform_by_sum(signal: Floats) -> np.ndarray:
    turns = np.outer(np.arange(signal.size), np.arange(signal.size)) / signal.size
    return np.asarray(np.exp(-2j * np.pi * turns) @ signal)


def _transform_by_halves(signal: Floats) -> np.ndarray:
    return np.asarray(np.fft.fft(signal))


def _eliminated_with_copies(matrix: Floats) -> Floats:
    a = matrix.copy()
    for k in range(len(a) - 1):
        for i in range(k + 1, len(a)):
            factor = a[i, k] / a[k, k]
            a[i, k + 1 :] = a[i, k + 1 :] - factor * a[k, k + 1 :]
            a[i, k] = factor
    return a


def _eliminated_in_place(matrix: Floats) -> Floats:
    a = matrix.copy()
    for k in range(len(a) - 1):
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
    return a


def _product_then_sum(matrix: sparse.csr_array, x: Floats, shift: Floats) -> Floats:
    return np.asarray(matrix @ x + shift)


def _product_summed_in_place(matrix: sparse.csr_array, x: Floats, shift: Floats) -> Floats:
    y = matrix @ x
    y += shift
    return np.asarray(y)


def kernels(seed: int = 1) -> tuple[TunedKernel, ...]:
    """Return the five kernels with their workloads.

    >>> [kernel.name for kernel in kernels()]
    ['Monte Carlo', 'SOR', 'Fourier', 'LU', 'sparse product']
    """
    rng = np.random.default_rng(seed)
    x, y = rng.uniform(size=(2, 1000))
    size = 100_000
    indices = rng.integers(size, size=(2, 10 * size))
    matrix = sparse.csr_array((rng.uniform(size=10 * size), indices), shape=(size, size))
    dense = rng.uniform(size=(24, 24)) + 24 * np.eye(24)
    return (
        TunedKernel("Monte Carlo", "arrays for a loop", _area_by_loop, _area_by_array, (x, y)),
        TunedKernel(
            "SOR",
            "slices for a loop",
            _relaxed_by_loop,
            _relaxed_by_slices,
            (rng.uniform(size=(50, 50)), 5),
        ),
        TunedKernel(
            "Fourier",
            "a better algorithm",
            _transform_by_sum,
            _transform_by_halves,
            (rng.normal(size=64),),
        ),
        TunedKernel(
            "LU", "whole rows at once", _eliminated_with_copies, _eliminated_in_place, (dense,)
        ),
        TunedKernel(
            "sparse product",
            "update in place",
            _product_then_sum,
            _product_summed_in_place,
            (matrix, rng.uniform(size=size), rng.uniform(size=size)),
        ),
    )


class KernelTrial(NamedTuple):
    """A kernel's two versions compared."""

    name: str
    pattern: str
    comparison: Comparison
    """Of the tuned version against the slow one."""
    memory: float
    """Data and peak of new memory in bytes, before over after: above 1 is better."""

    @property
    def gain(self) -> float:
        """How many times as fast the tuned version is."""
        return 1 / self.comparison.ratio

    @property
    def gain_interval(self) -> tuple[float, float]:
        """95 % interval of `gain`."""
        low, high = self.comparison.interval
        return 1 / high, 1 / low

    @property
    def seconds(self) -> float:
        """Median time of the slow version."""
        return float(np.median(self.comparison.times[:, 0]))


def timed_kernel(kernel: TunedKernel, seconds: float = 0.4) -> KernelTrial:
    """Time versions in interleaved blocks of `seconds` and compare the memory they need."""
    slow, tuned = (partial(run, *kernel.arguments) for run in (kernel.slow, kernel.tuned))
    comparison = compare(slow, tuned, max_seconds=seconds, detect=0.05, names=("slow", "tuned"))
    peaks = [count_allocations(run).peak_bytes for run in (slow, tuned)]
    before, after = (kernel.data_bytes + peak for peak in peaks)
    return KernelTrial(kernel.name, kernel.pattern, comparison, before / after)
