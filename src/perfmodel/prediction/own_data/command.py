"""The command `python -m perfmodel.prediction`: a contest on a reader's own table of runs."""

from __future__ import annotations

import sys
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from perfmodel.prediction.arena.standings import FAMILY_CHOICE
from perfmodel.prediction.own_data.contest import RESAMPLES, OwnContest, own_contest
from perfmodel.prediction.own_data.report import HEADS, rows

SHOWN = [head for head in HEADS if head not in ("entry", "fit s")]
"""Columns that fit into a terminal of 80 characters."""


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Let models and learners compete on runs that you measured."""


@main.command()
@click.argument("runs", type=click.Path(path_type=Path))
@click.option("--target", required=True, metavar="COLUMN", help="What to predict, above 0.")
@click.option("--group", metavar="COLUMN", help="Machine or workload, also left out as a whole.")
@click.option("--size", metavar="COLUMN", help="Also predict the larger half from the smaller.")
@click.option(
    "--counts",
    multiple=True,
    metavar="TEXT",
    help='Your model, e.g. "m*n*k, m*k, 1"; a second time for a second model.',
)
@click.option("--units", metavar="LIST", help="Units, e.g. m=1,bytes=B.")
@click.option("--budgets", metavar="LIST", help="Numbers of training runs, e.g. 10,30,100.")
@click.option("--drop", multiple=True, metavar="COLUMN", help="Leave a column out.")
@click.option("--known", multiple=True, metavar="COLUMN", help="May determine the target.")
@click.option("--drawings", default=RESAMPLES, show_default=True, help="Of training runs.")
@click.option("--report", type=click.Path(path_type=Path), help="Default: RUNS with .html.")
@click.option("--cores", type=int, help="Processes; default: all cores.")
def contest(
    runs: Path,
    target: str,
    group: str | None,
    size: str | None,
    counts: tuple[str, ...],
    units: str | None,
    budgets: str | None,
    drop: tuple[str, ...],
    known: tuple[str, ...],
    drawings: int,
    report: Path | None,
    cores: int | None,
) -> None:
    """Run the contest on the CSV table RUNS, and write an HTML report next to it.

    A table of matrix products, measured on three machines:

    \b
    machine,m,n,k,bytes [B],seconds
    laptop,512,512,64,1310720,0.0013
    server,1024,256,64,2555904,0.0009
    ...

    \b
    python -m perfmodel.prediction contest runs.csv --target seconds

    asks: from 10, 30, 100 runs, how well is another one predicted, and by whom? With

    \b
    --group machine            also: on a machine that nothing was learned from?
    --size bytes               also: runs larger than all that were learned from?
    --counts "m*n*k, m*k, 1"   your own model takes part: the time is a sum of these counts, each
                               at a price of 0 or more that is fitted. Names of columns, numbers,
                               + - * / **, log, ceil, min, max.

    Every run is a row, every column but the target says something that is known before the run.
    A column computed from the target (a rate) is refused. Interrupted with Ctrl-C, the same
    command goes on where it stopped.
    """  # noqa: D301
    console = Console(stderr=True)
    path = report or runs.with_suffix(".html")
    try:
        result = own_contest(
            runs,
            target,
            group,
            units=_pairs(units),
            budgets=_numbers(budgets),
            size=size,
            counts=counts,
            drop=drop,
            known=known,
            drawings=drawings,
            report=path,
            progress=True,
            cores=cores,
        )
    except KeyboardInterrupt:
        console.print("Stopped. The same command goes on with the rounds that are left.")
        sys.exit(130)
    except (ValueError, OSError) as error:
        raise click.UsageError(str(error)) from None
    _show(result, path)


def _show(result: OwnContest, path: Path) -> None:
    console = Console()
    board = Table(title="Families; whom each sent is in the report", show_lines=False)
    for head in SHOWN:
        board.add_column(head, overflow="fold")
    for row in rows(result.board[result.board["contestant"] == FAMILY_CHOICE]):
        board.add_row(*(row[HEADS.index(head)] for head in SHOWN))
    console.print(board)
    for line in str(result).splitlines():
        console.print(line, highlight=False, markup=False)
    console.print(f"Report: {path}", highlight=False, markup=False, soft_wrap=True)


def _pairs(text: str | None) -> dict[str, str]:
    parts = [part.partition("=") for part in (text or "").split(",") if part.strip()]
    for name, equals, _ in parts:
        if not equals:
            raise click.UsageError(f"--units must be like m=1,bytes=B, got {name!r}")
    return {name.strip(): unit.strip() for name, _, unit in parts}


def _numbers(text: str | None) -> list[int] | None:
    if text is None:
        return None
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise click.UsageError(f"--budgets must be like 10,30,100, got {text!r}") from None
