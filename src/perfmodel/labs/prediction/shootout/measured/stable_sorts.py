"""Stable sorts of keys by NumPy: a merge sort that makes use of the order it finds.

`numpy.sort(keys, kind="stable")` on 4 and 8 bytes is Timsort: ascending runs are found, short ones
are lengthened to 32 to 64 keys by insertion, and runs are merged in pairs (T. Peters, listsort.txt
in CPython; NumPy, npysort/timsort.cpp, which merges without galloping inside a merge).

Both models, the features and the measurement were chosen before any run was recorded, from NumPy's
source and from knowledge of processors. (A branch that can't be predicted costs a restart. Data
that don't fit into the core's cache are fetched again at every level of merging.) The prices are
fitted to the training rows. Nothing was changed after the recording.

Seen afterwards, and left as it is: a sample sorts the same keys over and over, so that a processor
foresees the comparisons of a few thousand keys from the time before. Both models count them as if
the keys were new, and are wrong about short sorts against long ones.

The runs are keys in orders of five kinds, described and sorted.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from perfmodel.labs.prediction.shootout.measured import sessions
from perfmodel.labs.prediction.shootout.measured.sessions import CACHE, log_uniform
from perfmodel.prediction.arena.contest import Estimator
from perfmodel.prediction.arena.dataset import Dataset
from perfmodel.prediction.arena.estimators import Priced
from perfmodel.validation import Floats, positive

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
    count = round(log_uniform(random, SMALLEST, LARGEST))
    values = random.integers(-(2**31), 2**31, count)
    return _ARRANGED[order](random, values).astype(kind), order


def describe(values: Any) -> dict[str, float]:
    """Return the features that describe the order of keys, shape (n,).

    >>> found = describe(np.array([3, 1, 2, 2], dtype="int32"))
    >>> found["runs"], found["distinct"], found["displacement"], found["reach"]
    (2, 3, 1.5, 3)
    """
    positions = np.argsort(values, kind="stable")
    distance = np.abs(positions - np.arange(values.size))
    ordered = values[positions]
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
    """Return the known facts about each run beforehand: number, features, order and type."""
    import pandas as pd

    rows = []
    for run in range(count):
        values, order = keys(run)
        about = {"run": run, "order": order, "type": str(values.dtype)}
        rows.append({**about, **describe(values)})
    return pd.DataFrame(rows)


def seconds(runs: Sequence[int]) -> list[float]:
    """Return the seconds of sorting the keys of each run."""
    return [sessions.best_seconds(partial(np.sort, keys(run)[0], kind="stable")) for run in runs]


def _few_values(random: np.random.Generator, values: Any) -> Any:
    return random.choice(values[: round(log_uniform(random, 2, 1000))], values.size)


def _sorted_runs(random: np.random.Generator, values: Any) -> Any:
    runs = min(round(log_uniform(random, 2, 256)), values.size // 2)
    return np.concatenate([np.sort(part) for part in np.array_split(values, runs)])


def _swapped(random: np.random.Generator, values: Any) -> Any:
    values = np.sort(values)
    pairs = max(1, round(values.size * log_uniform(random, 1e-4, 0.1) / 2))
    first, other = random.choice(values.size, (2, pairs), replace=False)
    values[first], values[other] = values[other], values[first]
    return values


def _windows(random: np.random.Generator, values: Any) -> Any:
    values, width = np.sort(values), round(log_uniform(random, 4, 4096))
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


FILE = "stable_sorts.csv"
UNITS = {
    "keys": "1",
    "word": "B",
    "runs": "1",
    "distinct": "1",
    "displacement": "1",
    "reach": "1",
    "floating": "1",
}
"""`runs`: ascending runs in the keys as they come. `distinct`: different values. `displacement`
and `reach`: mean and largest distance of a key from its place once sorted, in keys. `floating`:
1 for floating-point numbers, 0 for integers."""
LOGGED = ("keys", "word", "runs", "distinct", "displacement", "reach")
PLAIN = ("floating",)
LONGEST_MINIMUM = 64
"""Keys below which a run is lengthened by insertion, at most."""


def dataset() -> Dataset:
    """Return the recorded sorts, grouped by `order` of the keys and by `type`."""
    return sessions.dataset(FILE, "stable sorts", UNITS, ("order", "type"), "time of a sort")


def whiteboxes() -> dict[str, Estimator]:
    """Return the two models that were written before the recording."""
    return {
        "natural merge sort, 3 prices": Priced(natural_merge),
        "Timsort counted, 7 prices": Priced(timsort),
    }


def work(features: pd.DataFrame) -> Floats:
    """Return the keys of each sort times the logarithm to base 2 of their number, shape (n,)."""
    keys = positive("keys", features["keys"].to_numpy())
    return np.asarray(keys * np.log2(keys))


def natural_merge(features: pd.DataFrame) -> dict[str, Floats]:
    """Count what a textbook's natural merge sort does: n log2(runs) steps of merging."""
    keys, runs = (positive(name, features[name].to_numpy()) for name in ("keys", "runs"))
    return {"call": np.ones(keys.size), "keys": keys, "merged keys": keys * np.log2(runs)}


def shortest_run(keys: Floats) -> Floats:
    """Return the keys to which Timsort lengthens short runs, shape (n,).

    Halved, rounding up, until it is 64 or less: then the runs make nearly a power of two.

    >>> shortest_run(np.array([50.0, 64.0, 65.0, 1000.0, 1024.0])).tolist()
    [50.0, 64.0, 33.0, 63.0, 64.0]
    """
    halvings = np.maximum(0, np.ceil(np.log2(keys / LONGEST_MINIMUM)))
    return np.asarray(np.ceil(keys / 2**halvings))


def timsort(features: pd.DataFrame, cache: int = CACHE) -> dict[str, Floats]:
    """Count what Timsort does, as far as a few descriptors of the keys' order tell it.

    Lengths of the ascending runs are taken as exponential around their mean. Keys out of place are
    three times the mean displacement over the reach: all of them in a shuffle, of all keys or of a
    window. A merge touches the keys of both runs within the reach of their border. In it each key
    out of place turns the comparison twice, at most every second one is unforeseen, and no more
    than two for each distinct value. `call`: 1. `keys`: copied and looked at once. `insertion
    moves`: keys moved by one position. `merged keys`, over all levels. `unforeseen comparisons`.
    `float comparisons`: all of the former that compare floating-point numbers, which may be NaN.
    `bytes past the cache`: of merged keys, at levels whose runs don't fit the core's own.
    """
    keys, word, runs, distinct, displacement, reach = (
        positive(name, features[name].to_numpy(dtype=float)) for name in LOGGED
    )
    shortest = shortest_run(keys)
    descents = runs / keys
    short = 1 - np.exp(-shortest * descents)
    length = shortest + (1 - short) / descents
    misplaced = np.minimum(1.0, 3 * displacement / reach)
    varied = 1 - 1 / distinct
    inserted = keys * short * varied
    moves = inserted * np.minimum(misplaced / 2, 0.25) * np.minimum(shortest, reach)
    merged, unforeseen, past = (np.zeros(keys.size) for _ in range(3))
    levels = np.log2(np.maximum(1.0, keys / length))
    for level in range(int(np.ceil(levels.max(initial=0.0)))):
        # The last level counts in part where the runs don't make a power of two.
        share = np.clip(levels - level, 0.0, 1.0)
        run = length * 2.0**level
        merges = share * keys / (2 * run)
        touched = np.minimum(2 * run, 2 * reach)
        merged += merges * touched
        turns = np.minimum(touched * np.minimum(2 * misplaced, 0.5), 2 * distinct)
        unforeseen += merges * turns
        past += merges * touched * word * (2 * run * word > cache)
    unforeseen += inserted * np.minimum(1.0, 2 * misplaced)
    compared = keys + moves + merged
    return {
        "call": np.ones(keys.size),
        "keys": keys,
        "insertion moves": moves,
        "merged keys": merged,
        "unforeseen comparisons": unforeseen,
        "float comparisons": compared * features["floating"].to_numpy(dtype=float),
        "bytes past the cache": past,
    }
