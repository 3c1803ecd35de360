"""FP8 products of DeepGEMM on an H800: what their two rates say, and a roofline fitted to some.

A product of G groups has 2 G m n k operations and moves G (mk + kn + 2mn) bytes: a byte for each
number that goes in, and two for each that comes out.
"""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files
from math import ceil
from typing import NamedTuple

import numpy as np

from perfmodel.machines import get
from perfmodel.serving import RooflineFit, fit_roofline
from perfmodel.validation import Floats, one_of, positive

FEBRUARY, APRIL = "a6d97a1", "989c9e3"
SECTIONS = ("dense", "contig", "masked")
PEAK, BANDWIDTH = 1979e12, 3.35e12  # not from the registry: H800, FP8
"""FP8 FLOP/s without sparsity and bytes/s of an H800, by the data sheet."""
PROCESSORS = 132


class Served(NamedTuple):
    """A server of Llama-2-70B in MLPerf Inference 4.1, closed division, NVIDIA."""

    offline: float
    """Tokens/s, all requests there at once."""
    server: float
    """Tokens/s within 2 s to the first token and 0.2 s for each other token."""
    samples: float
    """Requests/s of the same run."""
    latency: float
    """Mean seconds of a request."""
    per_token: float
    """Mean seconds of a token after the first."""

    @property
    def by_little(self) -> float:
        """Tokens/s: requests in flight, by Little's law, each of which writes one a token time."""
        return self.samples * self.latency / self.per_token


SERVED = {
    "8 x H100": Served(24_524.9, 21_605.8, 74.42, 44.95, 0.1550),
    "8 x H200": Served(31_302.7, 29_228.2, 100.35, 35.85, 0.1233),
    "1 x B200": Served(11_264.4, 10_755.6, 39.25, 35.98, 0.1315),
}
"""From github.com/mlcommons/inference_results_v4.1, closed/NVIDIA/results, mlperf_log_summary.txt;
the B200 is one card, and a preview."""


class Products(NamedTuple):
    """Rows of one table."""

    work: Floats
    """FLOP."""
    moved: Floats
    """Bytes."""
    seconds: Floats
    """From the printed FLOP/s."""
    printed: Floats
    """Bytes/s as printed."""
    shapes: tuple[tuple[int, int, int, int], ...]
    """Groups, m, n and k."""


@cache
def products(commit: str, section: str) -> Products:
    """Return the products of a table in the README of Feb. ('a6d97a1') or April 2025 ('989c9e3').

    >>> products(APRIL, "dense").work.size
    18
    """
    one_of("commit", commit, (FEBRUARY, APRIL))
    one_of("section", section, SECTIONS)
    with (files("perfmodel.labs.prediction.gemm_gpu") / "deepgemm.csv").open() as lines:
        rows = [r for r in csv.DictReader(lines) if r["readme_commit"] == commit]
    rows = [row for row in rows if row["section"] == section]
    shapes = tuple(
        (int(row["groups"]), int(row["m"]), int(row["n"]), int(row["k"])) for row in rows
    )
    groups, m, n, k = np.array(shapes, float).T
    work = 2 * groups * m * n * k
    rate = 1e12 * np.array([float(row["tflops"]) for row in rows])
    printed = 1e9 * np.array([float(row["gbytes_per_s"]) for row in rows])
    return Products(work, groups * (m * k + k * n + 2 * m * n), work / rate, printed, shapes)


def second_column() -> tuple[float, int]:
    """Return how far printed bytes/s are from bytes over the time of printed FLOP/s, and the rows.

    >>> worst, rows = second_column()
    >>> round(100 * worst, 2), rows
    (0.13, 56)
    """
    errors: list[float] = []
    for commit in (FEBRUARY, APRIL):
        for section in SECTIONS:
            table = products(commit, section)
            errors += np.abs(table.moved / table.seconds / table.printed - 1).tolist()
    return max(errors), len(errors)


@cache
def dense_fit() -> RooflineFit:
    """Return the roofline fitted to the 18 dense products of April."""
    table = products(APRIL, "dense")
    return fit_roofline(table.work, table.moved, table.seconds)


def errors(section: str) -> Floats:
    """Return relative errors of that roofline for the products of April, by section."""
    table = products(APRIL, section)
    return np.asarray(dense_fit().seconds(table.work, table.moved) / table.seconds - 1)


def gains() -> Floats:
    """Return by how much the dense rates rose from February to April, as a fraction."""
    before, after = (products(commit, "dense") for commit in (FEBRUARY, APRIL))
    return np.asarray(before.seconds / after.seconds - 1)


def data_sheet_error() -> float:
    """Return the mean error of the time if the dense products of April ran at data-sheet rates.

    >>> round(100 * data_sheet_error())
    35
    """
    table = products(APRIL, "dense")
    seconds = np.maximum(table.work / PEAK, table.moved / BANDWIDTH)
    return float(np.abs(seconds / table.seconds - 1).mean())


def rows_needed(intensity: float, n: int = 7168, k: int = 7168) -> int:
    """Return the fewest rows m of an m x k by k x n product with this many FLOP a byte or more.

    2 m n k / (m k + k n + 2 m n) is at most 2 n k / (k + 2 n), for any m.

    >>> [rows_needed(intensity) for intensity in (435, 591)]
    [240, 338]
    """
    above = float(positive("intensity", intensity))
    most = 2 * n * k / (k + 2 * n)
    if above >= most:
        raise ValueError(f"intensity must be below {most:.0f} for these n and k, got {intensity!r}")
    return int(np.ceil(1 / (2 / above - (k + 2 * n) / (n * k))))


def tiles_used(m: int, n: int, side: int = 128) -> tuple[int, float]:
    """Return the square tiles of an m x n output, and the fraction of the last rounds in use.

    A round gives each of the 132 processors one tile. Tiles at the edge are partly empty.

    >>> tiles, used = tiles_used(4096, 2112)
    >>> tiles, round(used, 3)
    (544, 0.8)
    """
    tiles = ceil(m / side) * ceil(n / side)
    used = m * n / side**2
    return tiles, used / (ceil(tiles / PROCESSORS) * PROCESSORS)


Guess = tuple[str, str, str]


def _row(m: int, n: int, k: int) -> tuple[float, float]:
    """Return FLOP/s and FLOP/byte of a dense product of April."""
    table = products(APRIL, "dense")
    at = table.shapes.index((1, m, n, k))
    return float(table.work[at] / table.seconds[at]), float(table.work[at] / table.moved[at])


def guesses() -> list[Guess]:
    """Return rows of a question about FP8 products, a common guess, and the computed answer."""
    table = products(APRIL, "dense")
    m = np.array([shape[1] for shape in table.shapes])
    rate = table.work / table.seconds
    few = rate[m == 64] / PEAK
    longer = table.seconds[m == 128] / table.seconds[m == 64]
    short, long = _row(4096, 32768, 512), _row(4096, 7168, 16384)
    small = _row(4096, 2112, 7168)
    reached = short[0] / 1e12, long[0] / 1e12
    fit = dense_fit()
    ridges = PEAK / BANDWIDTH, fit.peak / fit.bandwidth
    faster = get("h200-sxm-141gb").memory_bandwidth / get("h100-sxm5-80gb").memory_bandwidth
    scales = 4096 * 7168 / 128 * 4 / (4096 * 7168 * 2 + 2 * 4096 * 4096)
    return [
        (
            "64 rows: what fraction of the peak?",
            "half of it, with the best library",
            f"{100 * few.min():.0f} to {100 * few.max():.0f} %: these products wait for memory",
        ),
        (
            "128 rows instead of 64: how much longer?",
            "twice as long",
            f"{100 * (longer.min() - 1):.0f} to {100 * (longer.max() - 1):.0f} % longer",
        ),
        (
            "FP8 doubles the peak, but not the bandwidth. How many rows does a product need to be "
            "bound by arithmetic?",
            "about 100",
            f"{rows_needed(ridges[1])} with n = k = 7,168, by the fitted roofline, and "
            f"{rows_needed(ridges[0])} by the data sheet",
        ),
        (
            "How far off is the roofline of the data sheet?",
            "a few per cent",
            f"{100 * data_sheet_error():.0f} % in time; the fitted one "
            f"{100 * np.abs(errors('dense')).mean():.0f} %",
        ),
        (
            "4,096 rows: does intensity above the ridge reach the peak?",
            "nearly",
            f"2,112 x 7,168 reaches {100 * small[0] / PEAK:.0f} % at {small[1]:,.0f} FLOP/byte. "
            f"Its tiles fill the processors to {100 * tiles_used(4096, 2112)[1]:.0f} %",
        ),
        (
            "4,096 rows: why is k = 512 slower than k = 16,384?",
            "less reuse of inputs",
            f"it writes {2 * 4096 * 32768 / 1e6:.0f} MB and reads "
            f"{(4096 + 32768) * 512 / 1e6:.0f} MB: {reached[0]:,.0f} instead of "
            f"{reached[1]:,.0f} TFLOP/s",
        ),
        (
            "A scale for each 128 numbers: how many more bytes?",
            "several per cent",
            f"{100 * scales:.0f} % for 4,096 x 4,096 x 7,168",
        ),
        (
            "Llama-2-70B on eight H200 instead of eight H100: how many more tokens?",
            f"{faster:.2f} times, as the bandwidth",
            f"{SERVED['8 x H200'].offline / SERVED['8 x H100'].offline:.2f} times (MLPerf 4.1, "
            "offline); the FLOP/s are the same",
        ),
    ]
