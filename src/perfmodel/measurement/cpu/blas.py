"""Rate of matrix products by shape and precision: what a tuned library reaches, not a peak.

NumPy hands C = A B to a BLAS library. How near it comes to the processor's peak depends on the
shape, the precision, the number of threads and the library's kernels for this core type, so every
figure names them. A product of m x k by k x n counts 2 m n k operations.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import threadpoolctl

from perfmodel.measurement.provenance import UNKNOWN, provenance
from perfmodel.measurement.runs import Runs, short_runs
from perfmodel.validation import at_least, one_of, positive, whole

if TYPE_CHECKING:
    import pandas as pd

DTYPES = {"fp32": np.float32, "fp64": np.float64}

Shape = tuple[int, int, int]
"""m, n, k."""


@dataclass(frozen=True)
class Library:
    """The library behind NumPy's products."""

    name: str
    """`openblas`, `mkl`, `blis`, `accelerate` ...; `unknown` where it can't be seen."""
    version: str
    core_type: str
    """What its kernels were chosen for, for example `SkylakeX`."""
    threads: int | None
    """Threads that it may use now; None where it does not say."""
    source: str
    """`threadpoolctl`, or `numpy` where only the name NumPy was built with is known."""


def library() -> Library:
    """Return the BLAS library that NumPy uses now.

    >>> library().name != ""
    True
    """
    loaded = [item for item in threadpoolctl.threadpool_info() if item["user_api"] == "blas"]
    # SciPy loads a copy of its own; NumPy's has NumPy's folder in its path.
    loaded.sort(key=lambda item: "numpy" not in str(item.get("filepath", "")))
    if loaded:
        first = loaded[0]
        return Library(
            str(first["internal_api"]),
            str(first.get("version") or UNKNOWN),
            str(first.get("architecture") or UNKNOWN),
            int(first["num_threads"]),
            "threadpoolctl",
        )
    built: Any = np.show_config(mode="dicts")
    about = built.get("Build Dependencies", {}).get("blas", {})
    return Library(
        about.get("name", UNKNOWN), about.get("version", UNKNOWN), UNKNOWN, None, "numpy"
    )


def flops(m: int, n: int, k: int) -> int:
    """Return the operations of a product of m x k by k x n: a multiply and an add each.

    >>> flops(2, 3, 4)
    48
    """
    return 2 * m * n * k


def least_bytes(m: int, n: int, k: int, precision: str) -> int:
    """Return the bytes that a product must at least move: A (m x k) and B (k x n) read, C written.

    `precision` is fp32 or fp64.

    >>> least_bytes(2, 3, 4, "fp64")
    208
    """
    return (m * k + k * n + m * n) * np.dtype(DTYPES[_precision(precision)]).itemsize


def measure_gemm(
    shape: Shape, precision: str = "fp64", threads: int = 1, runs: int = 15, seconds: float = 2e-3
) -> Runs:
    """Measure C = A B for one `shape` m, n, k in fp32 or fp64 `precision`: `Runs` in FLOP.

    Small products are repeated in each of the `runs`, to last about `seconds` seconds, and pay for
    the call from Python too, a microsecond or so. The `threads` of the library are not pinned one
    by one: measure in a child process that is tied to as many cores (`child.run`).
    """
    m, n, k = (whole(name, size, 1) for name, size in zip("mnk", shape, strict=True))
    dtype = DTYPES[_precision(precision)]
    random = np.random.default_rng(1)
    a, b = (random.random(size).astype(dtype) for size in ((m, k), (k, n)))
    c = np.zeros((m, n), dtype)

    def run(times: int) -> None:
        for _ in range(times):
            np.matmul(a, b, out=c)

    with threadpoolctl.threadpool_limits(whole("threads", threads, 1), user_api="blas"):
        repeats, lengths = short_runs(run, seconds, runs)
    name = f"{precision}, {m} x {n} x {k}"
    note = "rate of a library, not a peak"
    return Runs(name, float(flops(m, n, k)) * repeats, "FLOP", lengths, threads, False, note)


def shapes(count: int, low: int = 16, high: int = 2048, seed: int = 1) -> list[Shape]:
    """Return different shapes m, n, k in random order: square, multiples of 16, odd, flat and thin.

    Sizes from `low` to `high` are uniform in their logarithm. By the random order a drift of the
    machine shows as noise and not as an effect of the shape.

    >>> shapes(3) == shapes(3), len(set(shapes(800)))
    (True, 800)
    """
    whole("count", count, 1)
    at_least("high", high, 2 * whole("low", low, 1))
    random = np.random.default_rng(seed)
    drawn: dict[Shape, None] = {}
    # Few shapes fit into a narrow range, and then the same ones are drawn again and again.
    for _ in range(20 * count + 1000):
        m, n, k = np.exp(random.uniform(np.log(low), np.log(high), 3)).round().astype(int)
        kind = random.integers(4)
        if kind == 0:
            n = k = m
        elif kind == 1:
            m, n, k = (max(low, round(size / 16) * 16) for size in (m, n, k))
        elif kind == 2:
            m = k
        drawn[(min(int(m), high), min(int(n), high), min(int(k), high))] = None
        if len(drawn) == count:
            return [list(drawn)[index] for index in random.permutation(count)]
    raise ValueError(f"count must be fewer: there are about {len(drawn)} shapes, got {count}")


def sweep(
    wanted: Iterable[Shape],
    precisions: Sequence[str] = ("fp32", "fp64"),
    threads: Sequence[int] = (1,),
    runs: int = 15,
    seconds: float = 2e-3,
    progress: bool = False,
) -> pd.DataFrame:
    """Measure many products; a row for each shape, precision (fp32, fp64) and number of threads.

    Columns are `m`, `n`, `k`, `precision`, `threads`, `flop`, `least_bytes`, `best_seconds` and
    `median_seconds` of one product, and `runs`. The library and the machine are in
    `attrs["library"]` and `attrs["provenance"]`.
    """
    import pandas as pd
    from rich.progress import track

    cases = [(s, p, t) for s in wanted for p in precisions for t in threads]
    rows = []
    for shape, precision, count in track(cases, "products", disable=not progress):
        product = measure_gemm(shape, precision, count, runs, seconds)
        work = flops(*shape)
        rows.append(
            {
                **dict(zip("mnk", shape, strict=True)),
                "precision": precision,
                "threads": count,
                "flop": work,
                "least_bytes": least_bytes(*shape, precision),
                "best_seconds": work / product.best,
                "median_seconds": work / product.median,
                "runs": len(product.seconds),
            }
        )
    frame = pd.DataFrame(rows)
    frame.attrs = {"library": asdict(library()), "provenance": provenance().as_dict()}
    return frame


def save(frame: pd.DataFrame, path: Path) -> tuple[Path, Path]:
    """Write a sweep as a CSV file at `path`, and its origin as a JSON file next to it."""
    if not {"library", "provenance"} <= set(frame.attrs):
        raise ValueError(
            "frame must carry library and provenance in its attrs, as sweep returns it"
        )
    table, about = path.with_suffix(".csv"), path.with_suffix(".json")
    frame.to_csv(table, index=False)
    about.write_text(json.dumps(frame.attrs, indent=1, ensure_ascii=False), "utf-8")
    return table, about


def load(path: Path) -> pd.DataFrame:
    """Read a sweep that `save` wrote at `path`; the file of its origin must be there too."""
    import pandas as pd

    frame = pd.read_csv(path.with_suffix(".csv"))
    frame.attrs = json.loads(path.with_suffix(".json").read_text("utf-8"))
    positive("best_seconds", frame["best_seconds"].to_numpy())
    return frame


def _precision(name: str) -> str:
    one_of("precision", name, DTYPES)
    return name
