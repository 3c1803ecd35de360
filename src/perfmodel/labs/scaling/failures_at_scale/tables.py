"""The tables in this folder: interruptions by cause, lives of boards by age, jobs of clusters."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
import pandas as pd

from perfmodel.shipped_data import shipped_table
from perfmodel.validation import Floats, one_of

BATCHES = ("old", "new")


class Cause(NamedTuple):
    """A row of Llama 3's table of interruptions."""

    component: str
    category: str
    times: int
    printed: str
    """Per cent of all, as printed."""


def causes() -> list[Cause]:
    """Return Llama 3's unexpected interruptions by cause, most frequent first.

    >>> len(causes()), causes()[0]
    (18, Cause(component='Faulty GPU', category='GPU', times=148, printed='30.1 %'))
    """
    rows = _table("llama3_table5.csv").itertuples(index=False)
    return [Cause(r.component, r.category, int(r.count), f"{r.printed_percent} %") for r in rows]


def interruptions(*categories: str) -> int:
    """Return how many interruptions have one of these categories; all where none is named.

    >>> interruptions(), interruptions("GPU")
    (419, 268)
    """
    return sum(cause.times for cause in causes() if not categories or cause.category in categories)


class Lives(NamedTuple):
    """Boards of one batch by age, arrays of shape (classes,)."""

    start: Floats
    """Ages at which the classes begin, years."""
    end: Floats
    exposure: Floats
    """Years that all boards together lived at that age."""
    failures: Floats


def board_lives(batch: str, until: float = 100.0) -> Lives:
    """Return Titan's boards of a batch, old or new, up to an age in years.

    >>> lives = board_lives("new")
    >>> int(lives.failures.sum()), round(float(lives.exposure.sum()))
    (62, 25127)
    """
    table = _table("titan_age_hazard.csv")
    rows = table[(table["batch"] == one_of("batch", batch, BATCHES))]
    rows = rows[rows["age_to_years"] <= until]
    if rows.empty:
        raise ValueError(f"until must be 0.5 or more, got {until!r}")
    names = ("age_from_years", "age_to_years", "exposure_gpu_years", "failures")
    return Lives(*(rows[name].to_numpy(float) for name in names))


def yearly_rates(batch: str) -> Floats:
    """Return the failures of a year of age over the years lived, for each year of age.

    >>> yearly_rates("old").round(4)
    array([0.0009, 0.0082, 0.1196, 0.1343, 0.1251, 0.1518])
    """
    lives = board_lives(batch)
    table = pd.DataFrame({"year": lives.start // 1, "f": lives.failures, "e": lives.exposure})
    sums = table.groupby("year").sum()
    return np.asarray((sums["f"] / sums["e"]).to_numpy(), np.float64)


class Cluster(NamedTuple):
    """Jobs of a cluster in the Acme table."""

    jobs: int
    gpu_jobs: int
    failed_jobs: float
    """Share of the GPU jobs that failed, as printed."""
    failed_time: float
    """Share of the GPU time that failed jobs used, from the seconds."""


def cluster(name: str) -> Cluster:
    """Return one of the table's clusters that has all columns, such as Seren or Kalos.

    >>> cluster("Kalos").gpu_jobs
    19907
    """
    table = _table("acme_cluster_summary.csv").set_index("id")
    row = table.loc[one_of("name", name, ("Seren", "Kalos", "Philly", "Helios"))]
    parts = [float(row[f"{end}_gpu_time"]) for end in ("complete", "cancel", "fail")]
    return Cluster(
        int(row["job_num"]),
        int(row["gpu_job_num"]),
        float(row["fail_rate_gpu"]),
        parts[2] / sum(parts),
    )


@cache
def _table(name: str) -> pd.DataFrame:
    return shipped_table(__package__, name)
