"""Columns of a reader's table: which are settings, which only number the rows."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

ROW_NUMBER = (
    r"|unnamed(: *\d+)?|index|level_0|id|no\.?|nr\.?|#|(row|run)s?([ _]?(id|no|nr|number|index))?"
)
"""Names of columns that number the rows where they take each whole number once."""


def in_one_order(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows sorted by all columns, so that the order of a file decides nothing."""
    return table.sort_values(list(table.columns), key=_comparable, ignore_index=True)


def _comparable(values: pd.Series) -> pd.Series:
    return values if values.dtype.kind in "iufb" else values.astype(str)


def is_swept(values: pd.Series) -> bool:
    """Return whether these are whole numbers at equal distances or ratios: chosen, not measured."""
    if not (values == values.round()).all():
        return False
    levels = np.unique(values.to_numpy(dtype=float))
    if levels.size < 3:
        return True
    gaps = np.diff(levels)
    even = np.allclose(gaps, gaps[0], rtol=1e-9)
    return bool(
        even or (levels[0] > 0 and np.allclose(levels[1:] / levels[:-1], levels[1] / levels[0]))
    )


def useful_columns(
    features: pd.DataFrame, named: Collection[str], notes: list[str]
) -> pd.DataFrame:
    """Return the columns that say something about a run, and write a note on each other one."""
    for column in list(features.columns):
        values = features[column]
        if column in named:
            continue
        counts = values.dtype.kind in "iu" and (np.diff(np.sort(values)) == 1).all()
        if (values == values.iloc[0]).all():
            notes.append(f"Column {column!r} is {values.iloc[0]!r} in every row: left out.")
        elif counts and re.fullmatch(ROW_NUMBER, column, re.IGNORECASE):
            notes.append(
                f"Column {column!r} only counts the rows: left out. If it is a setting of the "
                f"runs, give it another name."
            )
        else:
            if counts:
                notes.append(
                    f"Column {column!r} takes each whole number from {values.min()} to "
                    f"{values.max()} once: taken as a setting of the runs. If it only counts the "
                    f"rows, leave it out (drop)."
                )
            continue
        features = features.drop(columns=column)
    return features
