"""How much of what the recorded contest calls clear is left if intervals are a little wider.

Of four families that are equally good, somebody is called clearly behind more often than in the 5
of 100 contests that 95 % intervals would allow: `benchmarks/contest_coverage.py` counts it, and
that a quarter more width brings it to 6 at most.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfmodel.labs.prediction.shootout.evidence import lost, teams
from perfmodel.prediction.own_data.decision_chart import FREE, MODELLED

if TYPE_CHECKING:
    import pandas as pd

WIDER = 1.25
"""By how much intervals of differences are widened."""


def widened(board: pd.DataFrame) -> pd.DataFrame:
    """Return a board on which differences have intervals a quarter wider.

    Parameters
    ----------
    board : pandas.DataFrame
        As from `perfmodel.prediction.arena.standings.standings`.
    """
    low = board["behind"] - WIDER * (board["behind"] - board["behind_low"])
    return board.assign(ties=~(low > 0))


def with_wider_intervals(board: pd.DataFrame) -> str:
    """Return how often who is clearly ahead, and how often if intervals are a quarter wider.

    Parameters
    ----------
    board : pandas.DataFrame
        From `perfmodel.labs.prediction.shootout.leaderboards.recorded`.
    """
    before, after = (_clear(teams(some)) for some in (board, widened(board)))
    questions = teams(board)
    return (
        f"With intervals of differences a quarter wider, the first is clearly ahead of all others "
        f"in {after[0]} of {int(questions['most_points'].sum())} questions with the largest budget "
        f"in place of {before[0]}; of all {len(questions)}, regressions and learners are both "
        f"clearly behind in {after[1]} in place of {before[1]}, whitebox and graybox both in "
        f"{after[2]} in place of {before[2]}."
    )


def _clear(found: pd.DataFrame) -> tuple[int, int, int]:
    alone = found[found["most_points"]]["level"].map(len) == 0
    return (
        int(alone.sum()),
        len(lost(found, MODELLED, FREE)),
        len(lost(found, FREE, MODELLED)),
    )
