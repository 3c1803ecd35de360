"""Who stands where in a contest, with intervals by the unit that varies, and costs.

Each family also has a *team*: in every draw it is the family's entry with the smallest
cross-validated error inside the training rows. So a family with many entries gains nothing from
luck on the test rows, as it would if its best were picked afterwards.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from perfmodel.prediction.arena.contest import FAMILIES, Answer, Contestant, answers
from perfmodel.prediction.arena.dataset import Dataset
from perfmodel.prediction.arena.intervals import difference_interval, group_interval
from perfmodel.prediction.arena.splits import Split
from perfmodel.prediction.arena.tuning import Tuned
from perfmodel.validation import Floats

if TYPE_CHECKING:
    import pandas as pd

FAMILY_CHOICE = "team"
"""Contestant under whose name a family's choice stands."""
ROWS = "row"
"""What `unit` says where rows were drawn one by one."""
Table = tuple[Floats, Floats]
"""Sums of relative errors and numbers of answers, shape (drawings, units)."""


def standings(
    dataset: Dataset,
    contestants: Sequence[Contestant],
    rounds: Iterable[tuple[int, int, Split]],
    unit: str | None = None,
    progress: bool = False,
) -> pd.DataFrame:
    """Let all contestants meet and return their mean percentage errors, best first.

    Parameters
    ----------
    contestants : sequence of Contestant
        As from `perfmodel.prediction.arena.model_families.family_contestants`: those not `Tuned`
        are in no team.
    rounds : iterable of (int, int, Split)
        Budget, seed and rows.
    unit : str, optional
        The group that varies: `machine`, `workload`. If left out, rows were drawn one by one. A
        split named `unseen X` or `k of a new X` goes by its own group X.
    progress : bool
        Show a bar.

    Returns
    -------
    pandas.DataFrame
        `dataset`, `split`, `test`, `points`, `contestant`, `family`, `seeds`, `unit` (what varies,
        `row` if rows do), `units` (how many), `error` (a share), `low`, `high` (95 %, NaN for
        fewer than ten units), `least`, `most` (mean error of the easiest and hardest unit), `sent`
        (of a team: whom it sent, and how often), `fit_seconds` (processor time of a fit, tuning
        included, median; of a team, of all entries that it chose among), `behind`, `behind_low`,
        `behind_high` (difference to the best entry, of a team to the best team, and its interval
        from `perfmodel.prediction.arena.intervals.difference_interval`), `ties` (whether the
        difference may be 0).
    """
    return standings_of_answers(dataset, answers(dataset, contestants, rounds, progress), unit)


def standings_of_answers(
    dataset: Dataset, given: Iterable[Answer], unit: str | None = None
) -> pd.DataFrame:
    """Return the standings, as from `standings`, of answers that all met the same rounds."""
    import pandas as pd

    spoken: dict[tuple[Any, ...], list[Answer]] = {}
    for answer in given:
        key = (answer.split.name, answer.test, answer.points)
        spoken.setdefault(key, []).append(answer)
    boards = []
    for key, some in spoken.items():
        of = unit_of(dataset, key[0], unit)
        board = _board(dataset, key, some, _codes(dataset, of))
        board.insert(board.columns.get_loc("units"), "unit", of or ROWS)
        boards.append(board)
    return pd.concat(boards, ignore_index=True)


def unit_of(dataset: Dataset, split: str, unit: str | None = None) -> str | None:
    """Return the group that varies in a split: what its name says is unseen or new, else `unit`."""
    named = re.fullmatch(r"(?:unseen|\d+ of a new) (.+)", split)
    return named[1] if named and named[1] in dataset.groups else unit


def _codes(dataset: Dataset, unit: str | None) -> Any:
    if unit is None:
        return np.arange(len(dataset))
    return np.unique(dataset.group(unit).astype(str), return_inverse=True)[1]


def _board(
    dataset: Dataset, key: tuple[Any, ...], spoken: Sequence[Answer], units: Any
) -> pd.DataFrame:
    import pandas as pd

    seeds = sorted({answer.seed for answer in spoken})
    own = dict.fromkeys(answer.contestant.name for answer in spoken)
    sides = {name: [item for item in spoken if item.contestant.name == name] for name in own}
    families = {name: some[0].contestant.family for name, some in sides.items()}
    rows = []
    for name, some in sides.items():
        rows.append((name, families[name], _table(dataset, some, seeds, units), "", some))
    for family in FAMILIES:
        tuned = [
            answer
            for answer in spoken
            if answer.contestant.family == family and isinstance(answer.contestant.estimator, Tuned)
        ]
        sent = _sent(tuned, seeds)
        if sent:
            who = [answer.contestant.name for answer in sent]
            said = ", ".join(f"{name} {who.count(name)}" for name in sorted(set(who)))
            rows.append((FAMILY_CHOICE, family, _table(dataset, sent, seeds, units), said, tuned))
    asked = dict(zip(("split", "test", "points"), key, strict=True))
    board = pd.DataFrame(
        [
            {"dataset": dataset.name, **asked, **_row(name, family, table, sent, some)}
            for name, family, table, sent, some in rows
        ]
    )
    _compare(board, [table for *_, table, _, _ in rows])
    return board.sort_values("error", kind="stable", ignore_index=True)


def _table(dataset: Dataset, some: Sequence[Answer], seeds: Sequence[int], units: Any) -> Table:
    sums = np.zeros((len(seeds), units.max() + 1))
    counts = np.zeros_like(sums)
    for answer in some:
        actual = dataset.target[answer.rows]
        wrong = np.abs(answer.predicted - actual) / actual
        index = (seeds.index(answer.seed), units[answer.rows])
        np.add.at(sums, index, wrong)
        np.add.at(counts, index, 1)
    return sums, counts


def _sent(tuned: Sequence[Answer], seeds: Sequence[int]) -> list[Answer]:
    sent = []
    for seed in seeds:
        entered = [item for item in tuned if item.seed == seed]
        if not entered:
            return []
        # Where no fold could judge, all are NaN: the first entry goes.
        sent.append(min(entered, key=lambda item: np.nan_to_num(item.inner_error, nan=np.inf)))
    return sent


def _row(
    name: str, family: str, table: Table, sent: str, fitted: Sequence[Answer]
) -> dict[str, object]:
    sums, counts = table
    error, low, high = group_interval(sums, counts)
    asked = counts.sum(axis=0)
    # A team's choice costs the tuning of all that it chose among.
    spent: dict[int, float] = {}
    for answer in fitted:
        spent[answer.seed] = spent.get(answer.seed, 0.0) + answer.fit_seconds
    of_units = sums.sum(axis=0)[asked > 0] / asked[asked > 0]
    return {
        "contestant": name,
        "family": family,
        "seeds": len(sums),
        "units": of_units.size,
        "error": error,
        "low": low,
        "high": high,
        "least": of_units.min(),
        "most": of_units.max(),
        "sent": sent,
        "fit_seconds": float(np.median(list(spent.values()))),
    }


def _compare(board: pd.DataFrame, tables: Sequence[Table]) -> None:
    names = ["behind", "behind_low", "behind_high"]
    board[names] = np.nan
    teams = board["contestant"] == FAMILY_CHOICE
    for indices in (board.index[teams], board.index[~teams]):
        if indices.empty:
            continue
        best = board.loc[indices, "error"].idxmin()
        pairs = max(len(indices) * (len(indices) - 1) // 2, 1)
        for index in indices:
            gap = tables[index][0] - tables[best][0]
            board.loc[index, names] = difference_interval(gap, tables[best][1], pairs)
    board["ties"] = ~(board["behind_low"] > 0)
