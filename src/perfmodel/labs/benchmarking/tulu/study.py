"""The human study: which annotations count, and what each comparison is made of.

The rules are those of the authors' script (allenai/open-instruct, human_eval/compute_metrics.py):
an annotator's later record of an instance replaces the earlier; the first record in time of an
instruction gives the rates, the first two the agreement.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from perfmodel.benchmarking import Preferences
from perfmodel.shipped_data import shipped_table
from perfmodel.validation import Floats, one_of

if TYPE_CHECKING:
    import pandas as pd

OURS = "tulu_65B"
OTHERS = {"ChatGPT": "chatgpt", "Tülu 7B": "tulu_7B", "human data only": "tulu_human_only_65B"}
"""What Tülu 65B was compared with, by the name used here."""
_LEVELS = {
    "a-is-better": 2,
    "a-is-slightly-better": 1,
    "tie": 0,
    "b-is-slightly-better": -1,
    "b-is-better": -2,
}


def annotated() -> pd.DataFrame:
    """Return the annotations that count, in order of time, seen from Tülu 65B.

    Columns: `other` (as in `OTHERS`), `instance_id`, `evaluator`, `timestamp`, `preference` (2 for
    "clearly better" to -2), `accepted`, `accepted_other` (bool), `length`, `length_other`
    (characters), `left` (whether Tülu 65B's answer stood on the left).
    """
    return _counted().copy()


@cache
def _counted() -> Any:
    table = shipped_table(__package__, "human_study.csv")
    table = table.sort_values("timestamp", ascending=False, kind="stable")
    table = table.drop_duplicates(["instance_index", "evaluator"])
    table = table.sort_values("timestamp", kind="stable").reset_index(drop=True)
    left = table["model_a"] == OURS
    names = {model: name for name, model in OTHERS.items()}
    other = table["model_b"].where(left, table["model_a"]).map(names)
    records = table[["instance_id", "evaluator", "timestamp"]].assign(other=other, left=left)
    records["preference"] = (
        table["preference"].map(_LEVELS).where(left, -table["preference"].map(_LEVELS))
    )
    for mine, theirs, ours, others in (
        ("completion_a_is_acceptable", "completion_b_is_acceptable", "accepted", "accepted_other"),
        ("len_a", "len_b", "length", "length_other"),
    ):
        records[ours] = table[mine].where(left, table[theirs])
        records[others] = table[theirs].where(left, table[mine])
    return records.assign(
        accepted=records["accepted"] == "yes", accepted_other=records["accepted_other"] == "yes"
    )


@dataclass(frozen=True)
class Comparison:
    """Tülu 65B against one other system: the first annotation of each instruction."""

    levels: Floats
    """Preferences from 2, Tülu 65B clearly better, to -2; shape (n,)."""
    accepted: Preferences
    """Acceptable: wins where only Tülu 65B's is, losses where only the other's; ties the rest."""
    acceptable: tuple[int, int]
    """Acceptable answers of Tülu 65B and of the other."""
    length: Floats
    length_other: Floats
    """Characters of either answer, shape (n,)."""

    @property
    def preferences(self) -> Preferences:
        """Clear and slight preferences together."""
        signs = np.sign(self.levels)
        return Preferences(*(int((signs == sign).sum()) for sign in (1, 0, -1)))

    @property
    def scores(self) -> Floats:
        """1 for a win, one half for a tie, 0 for a loss, shape (n,)."""
        return (1 + np.sign(self.levels)) / 2

    @property
    def length_ratios(self) -> Floats:
        """Length of Tülu 65B's answer over the other's, one character added to both."""
        return (1 + self.length) / (1 + self.length_other)

    @property
    def longer_preferred(self) -> tuple[int, int]:
        """In how many of the decided pairs the longer answer won, and how many were decided."""
        decided = self.levels != 0
        agree = np.sign(self.levels) == np.sign(self.length - self.length_other)
        return int((agree & decided).sum()), int(decided.sum())


def comparison(other: str) -> Comparison:
    """Return the comparison with a system of `OTHERS`.

    >>> comparison("ChatGPT").preferences
    Preferences(wins=92, ties=110, losses=130)
    """
    one_of("other", other, OTHERS)
    table = _counted()
    first = table[table["other"] == other].drop_duplicates("instance_id")
    accepted, accepted_other = first["accepted"], first["accepted_other"]
    only = int((accepted & ~accepted_other).sum()), int((accepted_other & ~accepted).sum())
    return Comparison(
        first["preference"].to_numpy(float),
        Preferences(only[0], len(first) - sum(only), only[1]),
        (int(accepted.sum()), int(accepted_other.sum())),
        first["length"].to_numpy(float),
        first["length_other"].to_numpy(float),
    )


def rated_twice() -> tuple[list[str], list[str]]:
    """Return both annotators' preferences ("Tülu", "tie" or "other") of pairs rated twice."""
    table = _counted().groupby(["other", "instance_id"]).head(2)
    groups = [g["preference"] for _, g in table.groupby(["other", "instance_id"]) if len(g) == 2]
    names = {1: "Tülu", 0: "tie", -1: "other"}
    first, second = ([names[int(np.sign(g.iloc[i]))] for g in groups] for i in (0, 1))
    return first, second
