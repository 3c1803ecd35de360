"""Conclusions from the contest, written from its board."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from perfmodel import live
from perfmodel.labs.forecasting.contest import digit_runs, record
from perfmodel.labs.forecasting.contest.rounds import FINISHED
from perfmodel.labs.forecasting.contest.standings import SIDES, best_of, of_test, rounds_of
from perfmodel.live.display import Display

if TYPE_CHECKING:
    import pandas as pd

Round = tuple[str, float, Mapping[str, Any]]


def says_winners(board: pd.DataFrame | None = None) -> Display:
    """Say how often each contestant has the smallest error, on curves and on larger models."""
    told = []
    for test, title in SIDES.items():
        rounds = of_test(board, test)
        if not rounds:
            continue
        (name, count), *others = Counter(best_of(e)[0] for _, _, e in rounds).most_common()
        level = sum(len(best_of(entries)) > 1 for _, _, entries in rounds)
        wins = [f"the **{name}** has the smallest error in {count} of {len(rounds)} rounds"]
        wins += [f"the **{name}** in {count}" for name, count in others]
        told.append(
            f"On {title} {_listed(wins)}. In {level} of the {len(rounds)} rounds another "
            "contestant may be as good."
        )
    return live.says(" ".join(told))


def says_losses(board: pd.DataFrame | None = None) -> Display:
    """Say how often the law is worse than the best or the last value, or gives no answer."""
    able, silent, behind, worse = _lost(board)
    told = [f"The law gives an answer in {len(able)} of {len(able) + len(silent)} rounds."]
    if silent:
        told.append("In the others it has too few points or sizes for its parameters.")
    if behind:
        most = max(behind, key=_times)
        told.append(
            f"In **{len(behind)}** of its rounds it is clearly worse than the best. It does worst "
            f"for {_named([most])}, where its error is {_times(most):.0f} times the error of the "
            f"{best_of(most[2])[0]}."
        )
    told.append(
        f"In **{len(worse)}** of its rounds even the last value is clearly better."
        if worse
        else "The last value never beats it clearly."
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


def says_information() -> Display:
    """Say what each contestant sees, which is true of every round."""
    return live.says(
        f"On learning curves, regression and learner see {FINISHED} finished curves of the family "
        "with their settings, and the start of the new curve. The last value takes its interval "
        "from the same curves. The law sees only the start of the new curve. `law, calibrated` has "
        f"the law's forecast, with an interval from the law's errors on the {FINISHED} curves.\n\n"
        "On larger models all contestants see the same cheap runs. The regression is linear in the "
        "logarithms of parameters and tokens. The last value is the median loss of the most "
        "expensive tenth of the cheap runs."
    )


def says_recorded() -> Display:
    """Say when, on which machine and by which command what is shown was made."""
    about, nets = record.origin(), digit_runs.runs_origin()
    return live.says(
        f"The contest was recorded on {about['date'][:10]} by `{about['command']}`, in "
        f"{about['seconds']} s on {about['host']['processor']}. Our own nets were trained on "
        f"{nets['date'][:10]} by `{digit_runs.COMMAND}`. The page shows the recorded results, "
        "except where it says otherwise."
    )


def _lost(board: pd.DataFrame | None) -> tuple[list[Round], ...]:
    """Return the rounds in which the law answers, doesn't, is behind the best, the last value."""
    rounds = rounds_of(board)
    able = _where(rounds, lambda entries: not np.isnan(entries["law"].error))
    behind = _where(able, lambda entries: entries["law"].behind_low > 0)
    worse = _where(able, lambda entries: entries["law"].ratio_low > 1)
    return able, [one for one in rounds if one not in able], behind, worse


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
