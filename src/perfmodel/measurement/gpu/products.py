"""Rate of matrix products on a GPU by shape and precision: what a tuned library reaches.

The operands are random numbers: on zeros a GPU draws less power, and may run faster than it ever
will on data. Each product is repeated on the same operands, which lie in the cache if they fit.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product as pairs
from pathlib import Path
from typing import TYPE_CHECKING

from perfmodel.measurement.cpu.blas import Shape, flops
from perfmodel.measurement.gpu.device import BYTES, Device
from perfmodel.measurement.gpu.timing import Watch
from perfmodel.measurement.runs import Runs
from perfmodel.validation import whole

if TYPE_CHECKING:
    import pandas as pd

MIN_ROWS = 2048
"""Rows of the least square product that may fill a GPU."""
MAX_SECONDS = 0.5
"""Seconds of the longest single product that is tried."""

COLUMNS = (
    "m",
    "n",
    "k",
    "precision",
    "flop",
    "least_bytes",
    "best_seconds",
    "median_seconds",
    "runs",
    "note",
)


def product(
    watch: Watch, shape: Shape, precision: str = "fp32", runs: int = 15, seconds: float = 1e-3
) -> Runs:
    """Measure C = A B of a shape m, n, k in FLOP/s, by runs of about this many seconds.

    >>> from perfmodel.measurement.gpu.simulated import SimulatedGpu
    >>> watch = Watch(SimulatedGpu(products={"fp32": 18e12}))
    >>> round(product(watch, (4096, 4096, 4096), runs=3).best / 1e12, 3)
    18.0
    """
    device = watch.device
    check_precision(device, precision)
    m, n, k = (whole(name, size, 1) for name, size in zip("mnk", shape, strict=True))
    a, b, c = (device.random(size, precision) for size in ((m, k), (k, n), (m, n)))
    return watch.runs(
        f"{precision}, {m} x {n} x {k}",
        lambda: device.product(c, a, b, precision),
        flops(m, n, k),
        "FLOP",
        runs,
        seconds,
        "rate of a library, not a peak",
    )


def largest(watch: Watch, precision: str, runs: int = 15, seconds: float = 5e-3) -> Runs:
    """Measure square products, each of twice the rows of the one before, and return the best.

    A product that fills one GPU is small for another, and exceeds the power limit of a third. So
    the sizes go from 2,048 up to the largest that a quarter of the memory holds and a call computes
    in half a second. The note names the size.

    >>> from perfmodel.measurement.gpu.simulated import SimulatedGpu
    >>> gpu = SimulatedGpu(bandwidth=1e11, l2_bandwidth=1e11, products={"fp32": 300e12})
    >>> found = largest(Watch(gpu), "fp32", runs=2)
    >>> found.name, round(found.best / 1e12)
    ('fp32, 16384 x 16384 x 16384', 273)
    """
    memory = watch.device.about().memory
    size, result = MIN_ROWS, product(watch, (MIN_ROWS,) * 3, precision, runs, seconds)
    best = result
    while True:
        size *= 2
        ahead = flops(size, size, size) / result.best
        if 4 * least_bytes(size, size, size, precision) > memory or ahead > MAX_SECONDS:
            return best
        result = product(watch, (size, size, size), precision, runs, seconds)
        best = max(best, result, key=lambda one: one.best)


def least_bytes(m: int, n: int, k: int, precision: str) -> int:
    """Return the bytes that a product must at least move: A (m x k) and B (k x n) read, C written.

    `precision` is a key of `gpu.device.BYTES`.

    >>> least_bytes(2, 3, 4, "bf16")
    52
    """
    return (m * k + k * n + m * n) * BYTES[precision]


def check_precision(device: Device, precision: str) -> str:
    """Return the precision, refusing one that the device's library has no products in."""
    if precision not in device.precisions:
        known = ", ".join(device.precisions)
        raise ValueError(f"precision must be one of {known} on this device, got {precision!r}")
    return precision


def sweep(
    watch: Watch,
    shapes: Iterable[Shape],
    precisions: Sequence[str],
    path: Path,
    runs: int = 15,
    seconds: float = 1e-3,
    report: Callable[[float], None] = lambda fraction: None,
) -> pd.DataFrame:
    """Measure many products, and write each row to the CSV file `path` as soon as it is known.

    Rows that the file already has are kept and not measured again: a sweep that was cut off goes
    on. There's a row for each shape and precision: `m`, `n`, `k`, `precision`, `flop` and
    `least_bytes` of one product, `best_seconds` and `median_seconds`, `runs`, `note`, and what the
    watch's state says. A file with other columns is refused.
    """
    import pandas as pd

    for precision in precisions:
        check_precision(watch.device, precision)
    cases = [(*shape, precision) for shape, precision in pairs(shapes, precisions)]
    columns = [*COLUMNS, *watch.seen]
    done = set(_rows(path, columns))
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        if file.tell() == 0:
            writer.writerow(columns)
        for index, case in enumerate(cases):
            if case not in done:
                measured = product(watch, case[:3], case[3], runs, seconds)
                writer.writerow([*_row(measured, case), *watch.seen.values()])
                file.flush()
            report((index + 1) / len(cases))
    return pd.read_csv(path)


def _row(measured: Runs, case: tuple[int, int, int, str]) -> list[object]:
    m, n, k, precision = case
    work = flops(m, n, k)
    ends = work / measured.best, work / measured.median
    return [
        *case,
        work,
        least_bytes(m, n, k, precision),
        *ends,
        len(measured.seconds),
        measured.note,
    ]


def _rows(path: Path, columns: list[str]) -> Iterator[tuple[int, int, int, str]]:
    """Yield the shapes and precisions that a file has, after cutting off half a row at its end."""
    if not path.exists():
        return
    text = path.read_text("utf-8")
    head, *lines = text.splitlines(keepends=True) or [""]
    if text and head.strip() != ",".join(columns):
        raise ValueError(
            f"path must be a sweep with columns {', '.join(columns)}, "
            f"got {path} with {head.strip()}"
        )
    if not text.endswith("\n"):
        with path.open("r+b") as file:
            file.truncate(len((text.rpartition("\n")[0] + "\n" * bool(lines)).encode("utf-8")))
    for m, n, k, precision, *_ in csv.reader(line for line in lines if line.endswith("\n")):
        yield int(m), int(n), int(k), precision
