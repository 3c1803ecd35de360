"""`perfmodel forecast`: where a learning curve or a scaling law leads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click
import numpy as np

from perfmodel.command.answer import Answer, Assumption, Cell, Quantity
from perfmodel.command.options import Assumable, Assumed, answers
from perfmodel.forecasting.fitting import LawFit, fit_law
from perfmodel.forecasting.forms import choose_form
from perfmodel.forecasting.laws import (
    POWER_LAW,
    RISING_POWER_LAW,
    SATURATING_POWER_LAW,
    TWO_VARIABLE_LAW,
    Law,
)
from perfmodel.forecasting.uncertainty import bootstrap_law, forecast_interval
from perfmodel.readers.refusal import UnreadableFileError
from perfmodel.readers.tables import Table, read_table
from perfmodel.validation import Floats

_RESAMPLES = 200
_NEAR = 2.0
"""Held-out error over the best form's up to which a form isn't ruled out."""
_ASSUMED = (Assumable("confidence", "of the interval", 0.95, source="usual"),)


@answers(assume=_ASSUMED)
@click.argument("curve", type=click.Path(path_type=Path))
@click.option(
    "--at",
    "places",
    required=True,
    multiple=True,
    type=float,
    metavar="X",
    help="Where to forecast; once for each variable, in the order of --x.",
)
@click.option("--x", "variables", multiple=True, metavar="COLUMN", help="One variable, or two.")
@click.option("--y", "result", default="", metavar="COLUMN", help="What is forecast, above 0.")
def forecast(
    assumed: Assumed,
    curve: Path,
    places: Sequence[float],
    variables: Sequence[str],
    result: str,
) -> Answer:
    """Where does a learning curve end? CURVE is a table of runs, or of steps of a run.

    \b
      perfmodel forecast curve.csv --x step --y loss --at 100000
      perfmodel forecast runs.csv --x N --x D --y loss --at 4e9 --at 2e11

    Forms are fitted to the smaller runs and judged on the larger ones; the interval is of one more
    run, over all forms that can't be ruled out. Where the runs don't determine it, the answer says
    what to vary.
    """  # noqa: D301
    table = read_table(curve)
    names, target = _columns(table, variables, result)
    if len(places) != len(names):
        raise click.UsageError(
            f"--at must be given once for each of {', '.join(names)}, got {len(places)}"
        )
    x = tuple(table.numbers(name)[0] for name in names)
    y, _ = table.numbers(target)
    for name, values in zip((*names, target), (*x, y), strict=True):
        if (values <= 0).any():
            row = int((values <= 0).argmax())
            cure = "laws of scale need numbers above 0: delete the row"
            what = f"column {name!r} holds {values[row]:g}"
            raise UnreadableFileError(table.path, table.lines[row], what, cure)
    back = np.flatnonzero(np.diff(x[0]) < 0) + 1
    in_order = len(names) == 1 and 0 < back.size <= y.size / 10
    restarts = (
        (
            f"{names[0]} goes back {back.size} time{'s' * (back.size > 1)}, first at line "
            f"{table.lines[int(back[0])]}, as after a restart; steps that were logged twice count "
            "twice.",
        )
        if in_order
        else ()
    )
    if y.size < 2:
        cure = "give 4 runs or more"
        raise UnreadableFileError(table.path, None, "it holds one run, which fits any law", cure)
    answer = _answer(names, target, x, y, places, float(assumed["confidence"]), assumed)
    return replace(answer, traps=(*answer.traps, *restarts))


def _columns(table: Table, variables: Sequence[str], result: str) -> tuple[tuple[str, ...], str]:
    header = table.header
    if not variables and {"N", "D"} <= set(header):
        variables = ("N", "D")
    target = result or next((name for name in header if name.lower() in ("loss", "y")), "")
    rest = [name for name in header if name != target]
    if not variables and target and len(rest) == 1:
        variables = rest
    if not variables or not target or len(variables) > 2:
        cure = f"name them: --x COLUMN --y COLUMN, of {', '.join(header)}"
        raise UnreadableFileError(table.path, 1, "the columns aren't clear", cure)
    return tuple(variables), target


def _answer(
    names: tuple[str, ...],
    target: str,
    x: tuple[Floats, ...],
    y: Floats,
    places: Sequence[float],
    confidence: float,
    assumed: Assumed,
) -> Answer:
    fits, rows = _fits(x, y)
    ends = [
        float(end)
        for end in forecast_interval(
            [bootstrap_law(fit, _RESAMPLES, method="normal") for fit in fits],
            *places,
            confidence=confidence,
        )
    ]
    best = fits[0]
    open_ends = not np.isfinite(ends[1]) or ends[1] > 1e3 * max(ends[0], 1e-300)
    untested = _untested(names, x, places)
    value = None if open_ends or untested else float(best.predict(*places))
    low = ends[0] if ends[0] > 0 and not untested else None
    high = ends[1] if np.isfinite(ends[1]) and not untested else None
    where = ", ".join(f"{name} = {place:g}" for name, place in zip(names, places, strict=True))
    missing = best.theta.missing or untested
    unknown = []
    if best.theta.undetermined:
        unknown.append(
            f"The runs leave {', '.join(best.theta.undetermined)} of {best.law.formula} open: "
            f"{best.theta.missing}."
        )
    if untested:
        unknown.append(f"{untested[:1].upper()}{untested[1:]}.")
    if value is None and not unknown:
        unknown.append("The runs don't determine the law there: add runs further out.")
    reach = max(place / float(values.max()) for place, values in zip(places, x, strict=True))
    if reach > 1:
        unknown.append(
            f"It is {reach:.3g} times the largest {' or '.join(names)} measured: no run tests it."
        )
    said = (
        f"The runs don't determine {target} at {where}: {missing or 'add runs further out'}."
        if value is None
        else f"{target} at {where} is about {value:.4g}, one more run between {low or 0:.4g} and "
        f"{high:.4g}."
    )
    shown = ", ".join(f"{name} {number:.4g}" for name, number in best.theta.items())
    return Answer(
        question=f"What is {target} at {where}?",
        verdict="unknown" if value is None else None,
        summary=said,
        quantities=(Quantity(target, value, low, high, "1", "one more run"),),
        assumed=(
            *assumed.listed(),
            Assumption("form", best.law.formula, "1", "least error on the larger runs"),
        ),
        unknown=tuple(unknown),
        steps=(
            f"{y.size} runs; the larger ones were held out to choose among {len(rows)} forms.",
            f"The best is {best.law.formula} with {shown}.",
            f"The interval is over {len(fits)} forms within {_NEAR:g} times its error, by "
            f"{_RESAMPLES} refits each, and by profiles where refits say nothing.",
        ),
        chapter="book/forecasting.md",
        more={"Forms, the least error on held-out larger runs first": rows},
    )


def _untested(names: tuple[str, ...], x: tuple[Floats, ...], places: Sequence[float]) -> str:
    """Return why the runs can't test a law at a place, empty where they can."""
    for name, values, place in zip(names, x, places, strict=True):
        span = float(values.max() / values.min())
        further = max(place / float(values.max()), float(values.min()) / place)
        if 1 < span * (1 + 1e-9) < further:
            return (
                f"{name} = {place:g} is {further:.3g} times outside the runs, which span a factor "
                f"of {span:.3g} and test no law further; add runs towards it"
            )
    return ""


def _fits(x: tuple[Floats, ...], y: Floats) -> tuple[list[LawFit], tuple[dict[str, Cell], ...]]:
    laws: list[Law] = [TWO_VARIABLE_LAW] if len(x) == 2 else _laws(x[0], y)
    loss = "least squares of logs"
    seen = x if len(x) > 1 else x[0]
    try:
        scores = choose_form(laws, seen, y, loss=loss)
    except ValueError:
        # Too few runs to hold any out: the forms stand side by side.
        fits = [fit_law(law, seen, y, loss=loss) for law in laws if y.size >= len(law.parameters)]
        if not fits:
            raise
        return fits, tuple({"form": fit.law.formula, "held-out error": None} for fit in fits)
    near = [score for score in scores if score.held_out <= _NEAR * scores[0].held_out]
    rows: tuple[dict[str, Cell], ...] = tuple(
        {"form": score.law.formula, "held-out error": score.held_out} for score in scores
    )
    return [fit_law(score.law, seen, y, loss=loss) for score in near], rows


def _laws(x: Floats, y: Floats) -> list[Law]:
    rising = np.corrcoef(np.log(x), y)[0, 1] > 0 if np.ptp(x) > 0 and np.ptp(y) > 0 else False
    return [POWER_LAW, RISING_POWER_LAW if rising else SATURATING_POWER_LAW]
