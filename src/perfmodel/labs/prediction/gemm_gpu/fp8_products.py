"""FP8 products of DeepGEMM on an H800: what their two rates say, and a roofline fitted to some.

A product of G groups has 2 G m n k operations and moves G (mk + kn + 2mn) bytes: a byte for each
number that goes in, and two for each that comes out.
"""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np

from perfmodel.serving import RooflineFit, fit_roofline
from perfmodel.validation import Floats, one_of

FEBRUARY, APRIL = "a6d97a1", "989c9e3"
SECTIONS = ("dense", "contig", "masked")


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
