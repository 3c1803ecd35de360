"""What came out of the contest, in sentences written from its board."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from perfmodel import live
from perfmodel.labs.forecasting.contest import digit_runs, record
from perfmodel.labs.forecasting.contest.forecast import CONFIDENCE
from perfmodel.labs.forecasting.contest.rounds import FINISHED
from perfmodel.labs.forecasting.contest.standings import STATED, best_of, rounds_of
from perfmodel.live.display import Display

if TYPE_CHECKING:
    import pandas as pd

Round = tuple[str, float, Mapping[str, Any]]
SIDES = {"curves": "learning curves", "models": "larger models"}


def says_winners(board: pd.DataFrame | None = None) -> Display:
    """Say who has the smallest error how often, on curves and on larger models."""
    told = []
    for test, title in SIDES.items():
        rounds = _of(board, test)
        if not rounds:
            continue
        first = Counter(best_of(entries)[0] for _, _, entries in rounds).most_common()
        level = sum(len(best_of(entries)) > 1 for _, _, entries in rounds)
        wins = _listed(f"the **{name}** in {count}" for name, count in first)
        told.append(
            f"Of {len(rounds)} rounds on {title} the smallest error is that of {wins}; "
            f"in {level} of them the best can't be told from the next."
        )
    return live.says(" ".join(told))


def says_losses(board: pd.DataFrame | None = None) -> Display:
    """Say how often the law loses beyond chance: to the best, to the last value, or by silence."""
    able, silent, behind, worse = _lost(board)
    told = [f"The law has an answer in {len(able)} of {len(able) + len(silent)} rounds."]
    if silent:
        told.append("In the others it has too few points, or too few sizes, for its parameters.")
    if behind:
        most = max(behind, key=_times)
        told.append(
            f"In **{len(behind)}** it is behind the best beyond chance, furthest for "
            f"{_named([most])}, where its error is {_times(most):.0f} times that of the "
            f"{best_of(most[2])[0]} (from unrounded errors)."
        )
    told.append(
        f"In **{len(worse)}** even the last value does better."
        if worse
        else "Nowhere does the last value beat it beyond chance."
    )
    return live.says(" ".join(told))


def names_losses(board: pd.DataFrame | None = None) -> Display:
    """List the rounds that `says_losses` counts, folded."""
    _, silent, behind, worse = _lost(board)
    kinds = {"No answer": silent, "Behind the best": behind, "Behind the last value": worse}
    told = [f"{kind}: {_named(rounds)}." for kind, rounds in kinds.items() if rounds]
    body = "".join(f"<p>{escape(line)}</p>" for line in told)
    title = "The rounds in which the law loses, by name"
    html = f'<details class="live"><summary>{title}</summary>{body}</details>'
    return Display(html, " ".join([f"{title}.", *told]))


def says_coverage(board: pd.DataFrame | None = None) -> Display:
    """Say in how many rounds each contestant's stated intervals may cover the 95 % promised."""
    told = []
    for test, title in SIDES.items():
        rounds = _of(board, test)
        if not rounds:
            continue
        parts = []
        for who in STATED:
            rows = [e[who] for _, _, e in rounds if not np.isnan(e[who].coverage)]
            kept = sum(row.coverage_high >= CONFIDENCE for row in rows)
            middle = 100 * float(np.median([row.coverage for row in rows]))
            fraction = f"(median coverage {middle:.0f} %)"
            parts.append(f"{kept} of {len(rows)} for the **{who}** {fraction}")
        told.append(
            f"On {title} intervals stated at 95 % keep their promise, as far as the test can "
            f"tell, in {_listed(parts)}."
        )
    return live.says(" ".join(told))


def says_information() -> Display:
    """Say what each contestant may see: true of every round, whatever comes out."""
    return live.says(
        f"On learning curves regression and learner see {FINISHED} finished curves of the family, "
        "with their settings, and the start of the curve in question; the last value takes its "
        "interval from the same curves; the law sees the start of one curve and nothing else, "
        "except that `law, calibrated` takes its interval, not its forecast, from the law's "
        f"errors on the {FINISHED}. On larger models all see the same cheap runs; the regression "
        "there is a plane through the logarithms of parameters and tokens, and the last value the "
        "median loss of the dearest tenth of the cheap runs."
    )


def says_recorded() -> Display:
    """Say when, on which machine and by which command what is shown was made."""
    about, nets = record.origin(), digit_runs.runs_origin()
    return live.says(
        f"Recorded on {about['date'][:10]} in {about['seconds']} s on {about['host']['cores']} "
        f"cores ({about['host']['processor']}) by `{about['command']}`; our own nets were trained "
        f"on {nets['date'][:10]} by `{digit_runs.COMMAND}`. Nothing here is computed while the "
        "page is built, except where it says so."
    )


def _lost(board: pd.DataFrame | None) -> tuple[list[Round], ...]:
    """Return the rounds in which the law answers, doesn't, is behind the best, the last value."""
    rounds = rounds_of(board)
    able = _where(rounds, lambda entries: not np.isnan(entries["law"].error))
    behind = _where(able, lambda entries: entries["law"].behind_low > 0)
    worse = _where(able, lambda entries: entries["law"].ratio_low > 1)
    return able, [one for one in rounds if one not in able], behind, worse


def _of(board: pd.DataFrame | None, test: str) -> list[Round]:
    return _where(rounds_of(board), lambda entries: entries["last value"].test == test)


def _where(rounds: Iterable[Round], chosen: Callable[[Mapping[str, Any]], bool]) -> list[Round]:
    return [one for one in rounds if chosen(one[2])]


def _times(one: Round) -> float:
    entries = one[2]
    return float(entries["law"].error / entries[best_of(entries)[0]].error)


def _named(rounds: Iterable[Round]) -> str:
    budgets: dict[str, list[str]] = {}
    for name, budget, _ in rounds:
        budgets.setdefault(name, []).append(f"{100 * budget:.0f}")
    return "; ".join(f"{name} at {_listed(result)} %" for name, result in budgets.items())


def _listed(parts: Iterable[str]) -> str:
    *most, last = parts
    return f"{', '.join(most)} and {last}" if most else last
