"""Runs measured in several sittings: every run once in each, in an order of the sitting's own.

What a process is lucky with and how the machine drifts then shows as noise between sittings, and
not as an effect of a feature. A table has a row for each run and a column for each sitting.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from perfmodel.labs.prediction.three_ways.product_sweep import last_core
from perfmodel.measurement import child
from perfmodel.measurement.clock import calibrate, time_calls
from perfmodel.measurement.provenance import record_table, recorded_table
from perfmodel.prediction.arena.dataset import Dataset, repeat_noise
from perfmodel.validation import Floats, whole

if TYPE_CHECKING:
    import pandas as pd

CACHE = 2**21
"""Bytes of the core's own cache on the machine of the recordings."""
PREFIX, SPENT = "sitting_", "seconds of sitting_"
CHUNK = 50
"""Runs that one process measures."""
SAMPLES, SAMPLE_SECONDS = 5, 0.002
"""Samples of a call in a sitting, of which the best counts, and how long one lasts at least."""
RULE = (
    f"best of {SAMPLES} samples of {1e3 * SAMPLE_SECONDS:g} ms or more in each sitting, median "
    f"over sittings; a sitting visits the runs in an order of its own, {CHUNK} in a process"
)


def shuffled(
    measure: Callable[[Sequence[int]], Sequence[float]], count: int, sitting: int
) -> Floats:
    """Return the seconds of runs 0 to count - 1 in one sitting, shape (count,) in that order.

    They are measured shuffled by the sitting's number, in fresh processes, on one core. `measure`
    takes numbers of runs and returns their seconds; it is a function of a module.
    """
    order = np.random.default_rng(sitting).permutation(whole("count", count, 1)).tolist()
    seconds = np.empty(count)
    for first in range(0, count, CHUNK):
        chunk = order[first : first + CHUNK]
        seconds[chunk] = child.run(measure, chunk, cores=last_core())
    return seconds


def best_seconds(call: Callable[[], object]) -> float:
    """Return the seconds of a call in the best of a few short samples.

    >>> best_seconds(lambda: sum(range(100))) > 0
    True
    """
    inner = calibrate(call, SAMPLE_SECONDS, time.perf_counter_ns)
    return min(time_calls(call, inner, time.perf_counter_ns) for _ in range(SAMPLES))


def record(
    path: Path,
    plan: pd.DataFrame,
    measure: Callable[[int], Floats],
    numbers: Sequence[int],
    about: dict[str, Any],
) -> None:
    """Measure sessions and add them to the sessions in a table.

    `plan` has the known facts about each run beforehand; another plan in the CSV file is replaced.
    `measure` takes the number of a sitting and returns what was measured of each run, shape (n,).
    `about` has further facts about the run besides its provenance.
    """
    import pandas as pd

    table = plan.reset_index(drop=True)
    if path.exists():
        old = pd.read_csv(path)
        if len(old) == len(table) and list(old["run"]) == list(table["run"]):
            table = table.join(old[sitting_columns(old)])
            about = {**_spent(path), **about}
    for number in numbers:
        began = time.perf_counter()
        table[f"{PREFIX}{number}"] = measure(number)
        about = {**about, f"{SPENT}{number}": round(time.perf_counter() - began, 1)}
        ordered = table[[*plan.columns, *sorted(sitting_columns(table))]]
        record_table(ordered, path, about, float_format="%.6g")


def _spent(path: Path) -> dict[str, Any]:
    origin = json.loads(path.with_suffix(".json").read_text("utf-8"))
    return {name: value for name, value in origin.items() if name.startswith(SPENT)}


def sitting_columns(table: pd.DataFrame) -> list[str]:
    """Return the names of a table's columns that hold a sitting's results."""
    return [str(name) for name in table.columns if str(name).startswith(PREFIX)]


def log_uniform(random: np.random.Generator, low: float, high: float) -> float:
    """Draw a number whose logarithm is uniform."""
    return float(np.exp(random.uniform(np.log(low), np.log(high))))


def dataset(
    file: str,
    name: str,
    units: Mapping[str, str],
    groups: Sequence[str],
    quantity: str,
    over_sittings: str = "median",
) -> Dataset:
    """Return a recording of this folder; the target is the median, or mean, over sittings."""
    table = recorded_table(__package__, file)
    return Dataset(
        name=name,
        features=table[list(units)],
        units=units,
        target=table[sitting_columns(table)].agg(over_sittings, axis=1).to_numpy(),
        quantity=quantity,
        unit="s",
        provenance=f"measured by this project; see {file.replace('.csv', '.json')}",
        licence="CC0-1.0",
        groups={group: list(table[group]) for group in groups},
        noise=noise(table),
    )


def noise(table: pd.DataFrame) -> float:
    """Return the mean relative difference between one sitting and the mean of the others."""
    return repeat_noise(table[sitting_columns(table)].to_numpy())
