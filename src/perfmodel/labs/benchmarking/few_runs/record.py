"""Time all 729 settings of the blocked product and keep the table.

`python -m perfmodel.labs.benchmarking.few_runs.record` takes minutes on one core; as an argument,
the number of rounds. The table is meant to be recorded once: what the labs say is computed from it.
"""

from __future__ import annotations

import sys
from pathlib import Path

from perfmodel.benchmarking import blocked_product
from perfmodel.benchmarking.blocked_product.timings import (
    RECORDED,
    SIZE,
    ProductTimes,
    product_settings,
    time_products,
)
from perfmodel.measurement.provenance import record_table

ROUNDS = 25
SECONDS = ("best_seconds", "median_seconds", "best_odd_seconds", "best_even_seconds")


def write(times: ProductTimes, folder: Path, rounds: int) -> None:
    """Write the times as CSV, and beside it what made them as JSON."""
    import pandas as pd

    settings, *seconds = times
    table = pd.DataFrame(settings).assign(**dict(zip(SECONDS, seconds, strict=True)))
    about = {"size": SIZE, "rounds": rounds, "cores_in_use": 1}
    record_table(table, folder / f"{RECORDED}.csv", about, float_format="%.5g")


def main(rounds: int = ROUNDS) -> None:
    """Measure and write into the folder of the blocked product."""
    folder = Path(str(blocked_product.__file__)).parent
    write(time_products(product_settings(), rounds=rounds), folder, rounds)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
