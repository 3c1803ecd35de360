"""Scores of learned nets that come with the course, since training them is too slow for the book.

`python -m perfmodel.labs.prediction.shootout.record_nets` makes them again.

>>> sorted(recorded_nets("surrogate hosts")["contestant"].unique())
['attention over seconds']
"""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perfmodel.measurement.provenance import provenance
from perfmodel.validation import one_of

if TYPE_CHECKING:
    import pandas as pd

FILE = "net_scores.csv"


def recorded_nets(dataset: str | None = None) -> pd.DataFrame:
    """Return scores of nets on one data set or all, in the columns of the arena's `compete`.

    Those on surrogate hosts have `mae` and `mse` in points instead of fractions. `attrs` say for
    each data set which machine, versions and date, and the settings of each net.
    """
    with resources.as_file(resources.files(__package__) / FILE) as path:
        scores = _load(path)
    names = sorted(scores["dataset"].unique())
    if dataset is None:
        return scores
    one_of("dataset", dataset, names)
    chosen = scores[scores["dataset"] == dataset].dropna(axis=1, how="all").reset_index(drop=True)
    chosen.attrs = {dataset: scores.attrs[dataset]}
    return chosen


def save(
    scores: pd.DataFrame, settings: dict[str, str], versions: dict[str, str], path: Path
) -> None:
    """Write scores with their origin; those of the same data sets are replaced, others kept.

    The origin goes to the JSON file next to the CSV: the settings of each contestant by name, the
    versions of the training libraries, and the facts that every provenance has.
    """
    import pandas as pd

    names = set(scores["dataset"])
    about: dict[str, Any] = {}
    if path.is_file():
        old = _load(path)
        about = {name: what for name, what in old.attrs.items() if name not in names}
        others = old[~old["dataset"].isin(names)]
        scores = pd.concat([part for part in (others, scores) if len(part)], ignore_index=True)
    origin = provenance().as_dict()
    origin["versions"] |= versions
    about |= {name: {"settings": settings, "provenance": origin} for name in sorted(names)}
    scores.to_csv(path, index=False, float_format="%.5g")
    path.with_suffix(".json").write_text(json.dumps(about, indent=1, ensure_ascii=False), "utf-8")


def _load(path: Path) -> pd.DataFrame:
    import pandas as pd

    scores = pd.read_csv(path)
    scores.attrs = json.loads(path.with_suffix(".json").read_text("utf-8"))
    return scores
