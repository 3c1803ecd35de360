"""Measured times of NCCL's collectives, from the tables of this lab."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from perfmodel.labs.communication.collectives.inputs import FILES, GPUS
from perfmodel.validation import Floats


@dataclass(frozen=True, eq=False)
class CollectiveTimes:
    """Times of one collective on one kind of GPU, in one machine."""

    gpu: str
    collective: str
    ranks: NDArray[np.int64]
    """GPUs that took part, shape (n,)."""
    sizes: Floats
    """Bytes of the vector, shape (n,)."""
    times: Floats
    """Seconds, shape (n,)."""

    @property
    def counts(self) -> list[int]:
        """Numbers of GPUs there are."""
        return [int(count) for count in np.unique(self.ranks)]

    @property
    def resolution(self) -> float:
        """Seconds to whose multiples the times are rounded: a microsecond or a hundredth of it."""
        microseconds = 1e6 * self.times
        return 1e-6 if np.abs(microseconds - np.round(microseconds)).max() < 1e-6 else 1e-8

    def of(self, ranks: int) -> tuple[Floats, Floats]:
        """Return sizes, ascending, and times of one number of GPUs."""
        rows = self.ranks == ranks
        if not rows.any():
            raise ValueError(f"ranks must be one of {self.counts}, got {ranks!r}")
        order = np.argsort(self.sizes[rows])
        return self.sizes[rows][order], self.times[rows][order]


PAIRS = tuple(
    (gpu, collective)
    for gpu in GPUS
    for collective in FILES
    if gpu == "V100" or collective != "reduce-scatter"
)
"""GPUs and collectives of which there is a table."""


@cache
def collective_times(gpu: str, collective: str) -> CollectiveTimes:
    """Return the times of a collective on the GPUs of one machine, in half precision.

    >>> sizes, times = collective_times("H100", "all-reduce").of(8)
    >>> int(sizes[-1]) >> 20, round(1e6 * times[-1])
    (128, 597)
    """
    import pandas as pd

    if (gpu, collective) not in PAIRS:
        raise ValueError(f"gpu and collective must be one of {PAIRS}, got {(gpu, collective)}")
    name = f"{GPUS[gpu]}_{FILES[collective]}.csv"
    with (resources.files(__package__) / "nccl" / name).open() as file:
        rows = pd.read_csv(file)
    used = rows[(rows["dtype"] == "half") & (rows["num_nodes"] == 1) & (rows["size(kb)"] > 0)]
    return CollectiveTimes(
        gpu,
        collective,
        used["num_gpus_per_node"].to_numpy(np.int64),
        1024.0 * used["size(kb)"].to_numpy(float),
        1e-6 * used["time(us)"].to_numpy(float),
    )
