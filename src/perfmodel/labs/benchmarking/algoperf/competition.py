"""The first AlgoPerf competition: seconds to target, and the rules that make one score of them.

Sources: G. E. Dahl et al., "Benchmarking neural network training algorithms", 2023
(arXiv:2306.07179), section 4; the scoring code and the logs of the competition, as the README
beside this file names them.

>>> external = competition("external")
>>> external.ranking(external.scores(POINTS))[:2]
['shampoo_submission', 'schedule_free_adamw']
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from perfmodel.benchmarking.profiles import performance_ratios, profile_area
from perfmodel.validation import Floats, positive

Ruleset = Literal["external", "self_tuning"]

R_MAX = 4.0
"""A workload counts nothing for who takes more than this many times the least time."""
POINTS = 100
"""Factors at which the scoring code evaluates the profile."""
BASE_OF = {
    "criteo1tb_embed_init": "criteo1tb",
    "fastmri_tanh": "fastmri",
    "imagenet_resnet_large_bn_init": "imagenet_resnet",
    "librispeech_conformer_layernorm": "librispeech_conformer",
    "ogbg_model_size": "ogbg",
    "wmt_glu_tanh": "wmt",
}
"""The base workload of each held-out one."""


@dataclass(frozen=True, eq=False)
class Competition:
    """Seconds to target of all submissions to one ruleset."""

    submissions: tuple[str, ...]
    workloads: tuple[str, ...]
    """The base workloads, then their held-out variants in the order of `BASE_OF`."""
    seconds: Floats
    """Shape (submissions, workloads); infinite where the target was not reached, or no run is."""

    @property
    def base(self) -> tuple[str, ...]:
        """The workloads that are scored."""
        return tuple(name for name in self.workloads if name not in BASE_OF)

    @property
    def counted(self) -> Floats:
        """Seconds on the base workloads that count after the rules on held-out ones."""
        return counted_seconds(self.seconds, self._variant_of())

    @property
    def ratios(self) -> Floats:
        """Counted seconds over the least counted on the same base workload."""
        return performance_ratios(self.counted)

    def scores(self, points: int | None = None, r_max: float = R_MAX) -> Floats:
        """Return the benchmark scores; `points` None is the exact area, 100 what was published."""
        return profile_area(self.ratios, r_max, points)

    def ranking(self, scores: ArrayLike) -> list[str]:
        """Return the submissions by falling score."""
        return [self.submissions[i] for i in np.argsort(-np.asarray(scores), kind="stable")]

    def rescored(self, seconds: Floats) -> Floats:
        """Return the exact scores of other submissions on the same workloads.

        `seconds` has the shape (s, workloads).
        """
        return profile_area(performance_ratios(counted_seconds(seconds, self._variant_of())))

    def without(self, *names: str) -> Competition:
        """Return the competition as if submissions or workloads had never been in it.

        A base workload leaves with its held-out variant. ValueError if a name is that of neither.
        """
        for name in names:
            if name not in (*self.submissions, *self.base):
                raise ValueError(f"names must be submissions or base workloads, got {name!r}")
        rows = [i for i, name in enumerate(self.submissions) if name not in names]
        columns = [j for j, w in enumerate(self.workloads) if BASE_OF.get(w, w) not in names]
        return Competition(
            tuple(self.submissions[i] for i in rows),
            tuple(self.workloads[j] for j in columns),
            self.seconds[np.ix_(rows, columns)],
        )

    def without_held_out(self) -> Competition:
        """Return the competition on its base workloads alone."""
        return Competition(self.submissions, self.base, self.seconds[:, : len(self.base)])

    def _variant_of(self) -> dict[int, int]:
        place = {name: i for i, name in enumerate(self.workloads)}
        return {place[w]: place[BASE_OF[w]] for w in self.workloads if w in BASE_OF}


def counted_seconds(seconds: ArrayLike, variant_of: dict[int, int], limit: float = R_MAX) -> Floats:
    """Return the times on base workloads that still count after the rules on held-out variants.

    `seconds` has the shape (s, n), infinite where a target was not reached; `variant_of` leads from
    the column of each variant to its base. Returned are the columns of the base workloads in order.

    >>> print(counted_seconds([[10.0, 5.0], [8.0, 30.0], [9.0, 6.0]], {1: 0}))
    [[10.]
     [inf]
     [ 9.]]
    """
    table, most = np.array(seconds, dtype=np.float64), float(positive("limit", limit))
    for variant, base in variant_of.items():
        table[np.isinf(table[:, base]), variant] = np.inf
    table[table > most * table.min(axis=0)] = np.inf
    for variant, base in variant_of.items():
        table[np.isinf(table[:, variant]), base] = np.inf
    return np.delete(table, list(variant_of), axis=1)


@cache
def competition(ruleset: Ruleset) -> Competition:
    """Return the competition of one ruleset, read from the table beside this file.

    With five tuning trials a study (external), or none; submissions by falling published score.
    """
    with (files(__package__) / f"{ruleset}.csv").open() as file:
        table = pd.read_csv(file, index_col="submission").fillna(np.inf)
    base = [name for name in table.columns if name not in BASE_OF]
    table = table[[*base, *BASE_OF]]
    found = Competition(tuple(table.index), tuple(table.columns), table.to_numpy(dtype=np.float64))
    order = found.ranking(found.scores(POINTS))
    return Competition(tuple(order), found.workloads, table.loc[order].to_numpy(dtype=np.float64))
