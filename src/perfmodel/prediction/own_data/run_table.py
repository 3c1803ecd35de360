"""A reader's table of runs, checked and made ready: what is wrong is named, with what to do."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from perfmodel.prediction.arena.dataset import Dataset, LeakError, repeat_noise
from perfmodel.prediction.own_data.columns import in_one_order, is_swept, useful_columns
from perfmodel.prediction.own_data.target_leakage import leaking_columns, refuse_computed

if TYPE_CHECKING:
    import pandas as pd

MIN_RUNS = 20
MAX_CATEGORIES = 12
"""Different texts of a column that is still a category and not an id."""


@dataclass(frozen=True, eq=False)
class RunTable:
    """A table of runs, ready for a contest."""

    dataset: Dataset
    logged: list[str]
    """Columns above 0, seen as logarithms."""
    plain: list[str]
    """Columns seen as they are, categories among them."""
    group: str | None
    group_columns: list[str]
    """The columns of `plain` that identify a group; a new group wouldn't have their values."""
    notes: list[str]
    """What was done to the table, a sentence each."""


def read_table(source: Any) -> tuple[pd.DataFrame, str, dict[str, str]]:
    """Return a frame's or CSV file's table, its name, and units from headers like `bytes [B]`."""
    import pandas as pd

    if isinstance(source, pd.DataFrame):
        table, name = source.copy(), "runs"
        table.columns = [str(column) for column in table.columns]
        header = list(table.columns)
    else:
        path = Path(source)
        if not path.is_file():
            raise ValueError(f"there is no file {path}")
        try:
            with path.open(encoding="utf-8-sig", newline="") as file:
                header = next(csv.reader(file), [])
            table, name = pd.read_csv(path, encoding="utf-8-sig"), path.stem
        except (UnicodeDecodeError, pd.errors.ParserError, pd.errors.EmptyDataError) as error:
            raise ValueError(f"{path} is no CSV table in UTF-8: {error}") from None
        if len(header) == 1 and re.search("[;\\t]", header[0]):
            mark = "semicolons" if ";" in header[0] else "tabs"
            raise ValueError(
                f"{path} has one column, {header[0]!r}: write it with commas between the columns "
                f"instead of {mark}, and points in numbers"
            )
        if len(header) != len(table.columns):
            raise ValueError(f"{path} has {len(header)} headers above {table.shape[1]} columns")
    units, names = {}, []
    for column in header:
        matched = re.fullmatch(r"\s*(.*?)\s*(?:\[([^\]]*)\])?\s*", column)
        label, unit = (matched[1], matched[2]) if matched else (column, None)
        names.append(label or "unnamed")
        if unit:
            units[label] = unit
    twice = [label for label in dict.fromkeys(names) if names.count(label) > 1]
    if twice:
        raise ValueError(f"two columns are called {twice[0]!r}: give each a name of its own")
    table.columns = names
    return table, name, units


def read_runs(
    source: Any,
    target: str,
    group: str | None = None,
    units: Mapping[str, str] | None = None,
    drop: Sequence[str] = (),
    known: Sequence[str] = (),
    settings: Sequence[str] = (),
) -> RunTable:
    """Return runs that a contest can be held on, in an order that isn't the table's.

    Arguments are as for `perfmodel.prediction.own_contest`; `settings` are further columns to keep.
    """
    table, name, from_headers = read_table(source)
    given = {**from_headers, **(units or {})}
    for what, columns in (
        ("target", [target]),
        ("group", [] if group is None else [group]),
        ("units", list(units or {})),
        ("drop", drop),
        ("known", known),
    ):
        for column in columns:
            require(what, column, table.columns)
    notes: list[str] = []
    table = table.drop(columns=[*drop])
    _whole(table, target)
    table, noise = _without_repeats(in_one_order(table), target, notes)
    if len(table) < MIN_RUNS:
        raise ValueError(
            f"{name} has {len(table)} different runs; a contest needs {MIN_RUNS}: measure more"
        )
    if group is not None and table[group].nunique() < 2:
        raise ValueError(
            f"group {group!r} is {table[group].iloc[0]!r} in every row: no group can be left out. "
            f"Measure a second one, or leave the group away"
        )
    named = {*known, *(units or {}), *([] if group is None else [group]), *settings}
    features = useful_columns(table.drop(columns=target), named, notes)
    if features.columns.difference([group] if group else []).empty:
        raise ValueError(f"{name} has no column left to predict {target!r} from")
    numbers = list(features.select_dtypes("number").columns)
    # What was set before a run can't have been computed from its result.
    set_before = [column for column in numbers if column in settings or is_swept(features[column])]
    known = [*known, *(column for column in set_before if column not in known)]
    refuse_computed(features[numbers], table[target].to_numpy(dtype=float), target, known)
    notes += leaking_columns(features[numbers], table[target].to_numpy(dtype=float), known)
    encoded, plain, group_columns = _encoded(features, group, notes)
    logged = [column for column in numbers if (features[column] > 0).all()]
    plain += [column for column in numbers if column not in logged]
    try:
        dataset = Dataset(
            name,
            encoded,
            {column: given.get(column, "1") for column in encoded},
            table[target],
            target,
            given.get(target, "1"),
            f"the reader's table {name}",
            "the reader's",
            groups={} if group is None else {group: list(table[group])},
            noise=noise,
            known=(*known, *(column for column in encoded if column not in numbers)),
        )
    except LeakError as error:
        raise LeakError(f"{error} (--known on the command line, --drop to leave it out)") from None
    return RunTable(dataset, logged, plain, group, group_columns, notes)


def require(what: str, column: str, columns: Any) -> None:
    """Refuse a name that no column has, and say which are near."""
    if column in list(columns):
        return
    near = get_close_matches(column, list(columns), 3, 0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else f"it has {', '.join(columns)}"
    raise ValueError(f"{what}: there is no column {column!r}; {hint}")


def _whole(table: pd.DataFrame, target: str) -> None:
    import pandas as pd

    for column in table.columns:
        values = table[column]
        bad = values.isna()
        if values.dtype.kind in "fc":
            bad = bad | ~np.isfinite(values)
        if bad.any():
            row = int(bad.to_numpy().argmax())
            raise ValueError(
                f"column {column!r} has no value in {int(bad.sum())} row(s), the first on line "
                f"{row + 2} of the file: fill or delete these rows, or leave the column out (drop)"
            )
    values = table[target]
    if values.dtype.kind not in "iuf":
        row = int(pd.to_numeric(values, errors="coerce").isna().to_numpy().argmax())
        raise ValueError(
            f"target {target!r} must be numbers, got {values.iloc[row]!r} on line {row + 2} of the "
            f"file"
        )
    low = (values <= 0).to_numpy()
    if low.any():
        row = int(low.argmax())
        raise ValueError(
            f"target {target!r} must be above 0, got {values.iloc[row]} on line {row + 2} of the "
            f"file: errors are relative to it"
        )


def _without_repeats(
    table: pd.DataFrame, target: str, notes: list[str]
) -> tuple[pd.DataFrame, float | None]:
    copies = int(table.duplicated().sum())
    if copies:
        notes.append(f"{copies} row(s) repeat another in every column: copies, counted once.")
        table = table.drop_duplicates()
    keys = [column for column in table.columns if column != target]
    if not keys:
        return table, None
    by_run = table.groupby(keys, sort=False)[target]
    sizes = by_run.size()
    several = sizes[sizes > 1]
    if several.empty:
        return table.reset_index(drop=True), None
    floors = []
    lists = [list(values) for _, values in by_run if len(values) > 1]
    for count in sorted({len(values) for values in lists}):
        same = [values for values in lists if len(values) == count]
        floors.append((repeat_noise(same), len(same)))
    noise = float(np.average([floor for floor, _ in floors], weights=[n for _, n in floors]))
    notes.append(
        f"{several.size} run(s) were measured more than once. Each became one run with the mean of "
        f"its results, so no repeat is in training and test; they differ by {100 * noise:.1f} %, "
        "the noise floor."
    )
    return by_run.mean().reset_index(), noise


def _encoded(
    features: pd.DataFrame, group: str | None, notes: list[str]
) -> tuple[pd.DataFrame, list[str], list[str]]:
    import pandas as pd

    parts: list[Any] = []
    plain: list[str] = []
    of_group: list[str] = []
    for column in features.columns:
        values = features[column]
        if values.dtype.kind in "iuf":
            parts.append(values)
            continue
        kinds = values.nunique()
        if kinds > MAX_CATEGORIES and column != group:
            raise ValueError(
                f"column {column!r} has {kinds} different texts in {len(values)} rows, an id and "
                f"not a category: leave it out (drop), or name it as the group"
            )
        if column == group:
            # Not seen by any learner: it keeps apart equal runs of two groups.
            parts.append(values.astype(str))
        if kinds > MAX_CATEGORIES:
            continue
        flags = pd.get_dummies(values.astype(str), prefix=column, prefix_sep=" is ", dtype=float)
        parts.append(flags)
        (of_group if column == group else plain).extend(flags.columns)
        if column != group:
            notes.append(f"Column {column!r} became {kinds} flags, one a category.")
    return pd.concat(parts, axis=1), [*plain, *of_group], of_group
