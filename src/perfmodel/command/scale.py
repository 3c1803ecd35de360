"""`perfmodel scale`: the time on more processors, from a table of runs."""

from __future__ import annotations

from pathlib import Path

import click

from perfmodel.command.answer import Answer, Assumption, Cell, Quantity
from perfmodel.command.options import Assumed, answers
from perfmodel.readers.refusal import UnreadableFileError
from perfmodel.readers.scaling import ScalingRuns, read_scaling
from perfmodel.scaling.extrapolation import FormForecast, ScalingForecast, extrapolate_scaling
from perfmodel.units import percent


@answers()
@click.argument("table", type=click.Path(path_type=Path))
@click.option("--at", required=True, type=float, metavar="N", help="Processors asked for.")
@click.option("--processors", default="", metavar="COLUMN", help="Column of processor counts.")
@click.option("--time", default="", metavar="COLUMN:UNIT", help="Column of times, as wall:min.")
@click.option(
    "--job",
    default="strong",
    type=click.Choice(["strong", "weak"]),
    show_default=True,
    help="One fixed job, or one that grows with the processors.",
)
@click.option("--region", default="", help="Of an Extra-P file.")
@click.option("--metric", default="", help="Of an Extra-P file.")
def scale(
    assumed: Assumed,
    table: Path,
    at: float,
    processors: str,
    time: str,
    job: str,
    region: str,
    metric: str,
) -> Answer:
    """What time will more processors give? TABLE holds a run a row: CSV, Extra-P or sacct.

    \b
      perfmodel scale runs.csv --at 1024
      perfmodel scale runs.csv --at 1024 --processors ranks --time wall:min
      perfmodel scale extra-p.txt --at 1024 --time time:s

    Amdahl's law, the USL and terms that grow with p are fitted to the smaller runs and asked for
    the larger ones. The number is from the form that missed least, and there is none further out
    than the runs test.
    """  # noqa: D301
    runs = read_scaling(table, processors, time, region, metric)
    if (counts := len(set(runs.processors.tolist()))) < 3:
        what, cure = f"it holds {counts} different counts of processors", "measure 4 or more"
        raise UnreadableFileError(table, None, what, cure)
    forecast = extrapolate_scaling(runs.processors, runs.times, at, job)
    return _answer(runs, forecast, at, job)


def _answer(runs: ScalingRuns, forecast: ScalingForecast, at: float, job: str) -> Answer:
    largest = float(runs.processors.max())
    best = forecast.forms[0]
    note = forecast.reason or f"by {best.name}; interval from what the forms missed"
    quantities = [
        Quantity(f"time on {at:g}", forecast.time, forecast.low, forecast.high, "s", note)
    ]
    now = float(runs.times[runs.processors == largest].mean())
    if job == "strong" and forecast.time is not None and forecast.low and forecast.high:
        quantities.append(
            Quantity(
                f"speedup over {largest:g}",
                now / forecast.time,
                now / forecast.high,
                now / forecast.low,
                "1",
                f"perfect would be {forecast.extrapolation_factor:.3g}",
            )
        )
    binds, after = _limits(best) if forecast.time is not None else ("", "")
    unknown = [_ahead(forecast)] if forecast.reason else []
    if forecast.time is not None and forecast.extrapolation_factor > 1:
        unknown.append(
            f"It is {forecast.extrapolation_factor:.3g} times the most processors measured: "
            "no run tests what starts beyond them, such as another level of the network."
        )
    if forecast.superlinear:
        listed = ", ".join(f"{low:g} to {high:g}" for low, high in forecast.superlinear)
        unknown.append(
            f"From {listed} processors the job used less processor time: more of it fits into "
            "caches, or the small runs were short of memory. No form holds that, so runs before "
            "it don't count where enough are left."
        )
    return Answer(
        question=f"How long does the job take on {at:g} processors?",
        verdict="unknown" if forecast.reason else None,
        summary=_summary(forecast, at, largest),
        quantities=tuple(quantities),
        assumed=(
            Assumption("job", job, "1", "--job"),
            Assumption("form", best.name, "1", "least error on the larger runs"),
        ),
        binds=binds,
        next_binds=after,
        unknown=tuple(unknown),
        traps=runs.traps,
        steps=(
            f"{runs.times.size} runs on {_counts(runs)} different counts: {runs.source}.",
            f"{len(forecast.forms)} forms were fitted to the smaller runs, by relative errors.",
            "Each was asked for the larger runs that it did not see; its error there, and how far "
            "ahead it was asked, is how wide its interval is.",
            "The interval holds every form that missed no more than twice the best, and perfect "
            "scaling from the largest run.",
        ),
        chapter="book/scaling.md",
        more={"Forms, the smallest held-out error first": _rows(forecast)},
    )


def _counts(runs: ScalingRuns) -> int:
    return len(set(runs.processors.tolist()))


def _summary(forecast: ScalingForecast, at: float, largest: float) -> str:
    if forecast.time is None:
        least = "" if forecast.low is None else f" It takes {forecast.low:.3g} s or more."
        return f"The runs don't tell the time on {at:g} processors: {forecast.reason}.{least}"
    return (
        f"About {forecast.time:.3g} s on {at:g} processors, between {forecast.low:.3g} and "
        f"{forecast.high:.3g} s; {largest:g} were measured."
    )


def _ahead(forecast: ScalingForecast) -> str:
    return f"{forecast.reason[:1].upper()}{forecast.reason[1:]}."


def _limits(best: FormForecast) -> tuple[str, str]:
    terms = sorted(best.terms, key=lambda term: -term[1])
    total = sum(seconds for _, seconds in terms)
    said = [f"{name}, {percent(seconds / total)} of the time there" for name, seconds in terms]
    return said[0], said[1] if len(said) > 1 and terms[1][1] > 0 else "nothing that these runs show"


def _rows(forecast: ScalingForecast) -> tuple[dict[str, Cell], ...]:
    return tuple(
        {
            "form": form.name,
            "time (s)": form.time if forecast.time is not None else None,
            "missed by a factor of": form.held_out if form.held_out < float("inf") else None,
        }
        for form in forecast.forms
    )
