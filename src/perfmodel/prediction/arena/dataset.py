"""A table of measured runs that predictors compete on, with its units, origin and noise.

>>> import pandas as pd
>>> runs = Dataset(
...     "copies", pd.DataFrame({"bytes": [8.0, 16.0, 32.0, 64.0]}), {"bytes": "B"},
...     [1.2, 1.9, 4.3, 7.9], "time", "s", "made up for this example", "CC0-1.0",
... )
>>> len(runs), runs.take([0, 3]).target
(4, array([1.2, 7.9]))
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from perfmodel.validation import Floats, one_of, positive, sample

if TYPE_CHECKING:
    import pandas as pd

Rows = NDArray[np.intp]
"""Positions of rows, from 0."""


class LeakError(ValueError):
    """What is to be predicted can be read off what the predictor is given."""


@dataclass(frozen=True, eq=False)
class Dataset:
    """Runs with features and a positive target.

    Raises `ValueError` if lengths differ, a unit is missing, two features share a name, a feature
    or group has a missing value or a feature an infinite one, `known` or the target is no such
    thing: the target is finite and above 0. Raises `LeakError` if a feature is the target: equal to
    it up to a factor and a shift, or ordered exactly as it is on 20 rows or more, and not named in
    `known`.
    """

    name: str
    features: pd.DataFrame
    """A row for each run."""
    units: Mapping[str, str]
    """Unit of each feature; `1` for a count or ratio, empty for a name."""
    target: Floats
    """What is predicted, shape (n,), each above 0."""
    quantity: str
    unit: str
    provenance: str
    """Who measured what on which machine."""
    licence: str
    groups: Mapping[str, Sequence[object]] = field(default_factory=dict)
    """What else a split may go by, a value for each run: machine, workload."""
    noise: float | None = None
    """Mean relative difference between repeats of a run, by `repeat_noise` or as the maker of the
    data set says; None where runs were not repeated. It estimates the error of a perfect
    predictor, from above."""
    known: tuple[str, ...] = ()
    """Features that determine the target and are meant to."""

    def __post_init__(self) -> None:
        import pandas as pd

        object.__setattr__(self, "features", _table(self.features))
        complete("target", pd.Series(np.ravel(self.target)))
        object.__setattr__(self, "target", positive("target", sample("target", self.target, 2)))
        for what, values in {"features": self.features, **self.groups}.items():
            count = -1 if isinstance(values, str) or not hasattr(values, "__len__") else len(values)
            if count != self.target.size:
                raise ValueError(
                    f"{what} must have a value for each of the {self.target.size} targets, "
                    f"got {repr(values) if count < 0 else count}"
                )
        for column in self.features.columns:
            if column not in self.units:
                raise ValueError(f"units must name the unit of {column!r}, got {dict(self.units)}")
            complete(f"feature {column!r}", self.features[column])
        for name, values in self.groups.items():
            complete(f"group {name!r}", pd.Series(list(values)))
        for column in self.known:
            if column not in self.features.columns:
                have = ", ".join(map(str, self.features.columns))
                raise ValueError(f"known must name features, {have}, got {column!r}")
        for column in self.numeric:
            if column not in self.known and _gives_away(self.features[column], self.target):
                raise LeakError(
                    f"feature {column!r} of {self.name} is the target in another scale: leave it "
                    f"out, or name it in known if that is meant"
                )

    def __len__(self) -> int:
        return self.target.size

    @property
    def numeric(self) -> list[str]:
        """Names of the features that are numbers."""
        return list(self.features.select_dtypes("number").columns)

    def take(self, rows: ArrayLike) -> Dataset:
        """Return the data set of some rows, in their order."""
        chosen = np.asarray(rows, dtype=np.intp)
        return replace(
            self,
            features=self.features.iloc[chosen],
            target=self.target[chosen],
            groups={name: [values[row] for row in chosen] for name, values in self.groups.items()},
            # A few rows may be in one order by chance; the whole was checked.
            known=tuple(self.features.columns),
        )

    def group(self, name: str) -> NDArray[np.object_]:
        """Return the group of each row, by a key of `groups`."""
        one_of("group", name, self.groups)
        return np.array(self.groups[name], dtype=object)


def _table(features: pd.DataFrame) -> pd.DataFrame:
    """Return the features with rows counted from 0."""
    columns = getattr(features, "columns", None)
    if columns is None:
        raise ValueError(
            f"features must be a pandas DataFrame with a column a feature, "
            f"got {type(features).__name__}"
        )
    if not columns.is_unique:
        twice = columns[columns.duplicated()][0]
        raise ValueError(f"features must have a name each, got {twice!r} twice")
    return features.reset_index(drop=True)


def complete(what: str, values: pd.Series[Any]) -> None:
    """Refuse a column with a value that is missing or infinite, and say in which row, from 0."""
    import pandas as pd

    bad = values.isna()
    if pd.api.types.is_numeric_dtype(values):
        bad = bad | values.isin([np.inf, -np.inf])
    if bad.any():
        row, others = int(bad.to_numpy().argmax()), int(bad.sum()) - 1
        more = f" and in {others} more" if others else ""
        raise ValueError(
            f"{what} must have a finite value in every row, got {values.iloc[row]} in row {row}"
            f"{more}"
        )


def _gives_away(feature: pd.Series[float], target: Floats) -> bool:
    values = feature.to_numpy(dtype=float)
    if np.ptp(values) == 0 or values.size < 3:
        return False
    if abs(np.corrcoef(values, target)[0, 1]) > 1 - 1e-12:
        return True
    ordered = abs(float(stats.spearmanr(values, target).statistic)) > 1 - 1e-12
    return values.size >= 20 and ordered


def repeat_noise(repeats: ArrayLike) -> float:
    """Return the mean relative difference of one repeat of a run from the mean of the others.

    The `repeats`, above 0, have the shape (n, r) of n runs, r of 2 or more times. The result is a
    fraction, 0.02 for 2 %. The others' mean has some noise of its own, so that a perfect predictor
    would come out a little lower: by a factor sqrt((r - 1) / r) for equal normal noise.

    Examples
    --------
    >>> round(repeat_noise([[1.0, 1.1], [2.0, 2.0]]), 4)
    0.0477
    """
    results = positive("repeats", repeats)
    if results.ndim != 2 or results.shape[1] < 2:
        raise ValueError(f"repeats must have shape (n, 2 or more), got {results.shape}")
    others = (results.sum(axis=1, keepdims=True) - results) / (results.shape[1] - 1)
    return float(np.mean(np.abs(results - others) / others))
