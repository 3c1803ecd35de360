"""Keys in orders of five kinds, described and sorted: the runs of `stable_sorts`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from perfmodel.labs.prediction.shootout.measured import sittings

if TYPE_CHECKING:
    import pandas as pd

TYPES = ("int32", "int64", "float32", "float64")
ORDERS = ("random", "few values", "sorted runs", "swapped", "windows")
SMALLEST, LARGEST = 2**7, 2**20


def keys(run: int) -> tuple[Any, str]:
    """Return the keys of a run and the name of their order; the number of the run says all.

    Keys of `random` order are uniform over 32 bits. `few values` are drawn from 2 to 1000 of them,
    `sorted runs` are 2 to 256 sorted sequences one after the other, in `swapped` 0.01 to 10 % of
    sorted keys change places in pairs, and in `windows` neighbours are shuffled, 4 to 4096 at a
    time, as records that arrive late. Orders and types take turns; sizes are log-uniform.
    """
    random = np.random.default_rng([2026, run])
    order = ORDERS[run % len(ORDERS)]
    kind = TYPES[run // len(ORDERS) % len(TYPES)]
    count = round(_log_uniform(random, SMALLEST, LARGEST))
    values = random.integers(-(2**31), 2**31, count)
    return _ARRANGED[order](random, values).astype(kind), order


def describe(values: Any) -> dict[str, float]:
    """Return the features that describe the order of keys, shape (n,).

    >>> found = describe(np.array([3, 1, 2, 2], dtype="int32"))
    >>> found["runs"], found["distinct"], found["displacement"], found["reach"]
    (2, 3, 1.5, 3)
    """
    places = np.argsort(values, kind="stable")
    distance = np.abs(places - np.arange(values.size))
    ordered = values[places]
    return {
        "keys": values.size,
        "word": values.dtype.itemsize,
        "runs": 1 + int(np.count_nonzero(values[1:] < values[:-1])),
        "distinct": 1 + int(np.count_nonzero(ordered[1:] != ordered[:-1])),
        "displacement": float(distance.mean()),
        "reach": int(distance.max()),
        "floating": int(values.dtype.kind == "f"),
    }


def plan(count: int) -> pd.DataFrame:
    """Return what is known of each run beforehand: number, features, order and type."""
    import pandas as pd

    rows = []
    for run in range(count):
        values, order = keys(run)
        about = {"run": run, "order": order, "type": str(values.dtype)}
        rows.append({**about, **describe(values)})
    return pd.DataFrame(rows)


def seconds(runs: Sequence[int]) -> list[float]:
    """Return the seconds of sorting the keys of each run."""
    return [sittings.best_seconds(partial(np.sort, keys(run)[0], kind="stable")) for run in runs]


def _few_values(random: np.random.Generator, values: Any) -> Any:
    return random.choice(values[: round(_log_uniform(random, 2, 1000))], values.size)


def _sorted_runs(random: np.random.Generator, values: Any) -> Any:
    runs = min(round(_log_uniform(random, 2, 256)), values.size // 2)
    return np.concatenate([np.sort(part) for part in np.array_split(values, runs)])


def _swapped(random: np.random.Generator, values: Any) -> Any:
    values = np.sort(values)
    pairs = max(1, round(values.size * _log_uniform(random, 1e-4, 0.1) / 2))
    one, other = random.choice(values.size, (2, pairs), replace=False)
    values[one], values[other] = values[other], values[one]
    return values


def _windows(random: np.random.Generator, values: Any) -> Any:
    values, width = np.sort(values), round(_log_uniform(random, 4, 4096))
    for first in range(0, values.size, width):
        random.shuffle(values[first : first + width])
    return values


_ARRANGED = {
    "random": lambda _, values: values,
    "few values": _few_values,
    "sorted runs": _sorted_runs,
    "swapped": _swapped,
    "windows": _windows,
}


def _log_uniform(random: np.random.Generator, low: float, high: float) -> float:
    return float(np.exp(random.uniform(np.log(low), np.log(high))))
