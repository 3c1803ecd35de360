"""`perfmodel contest`: which kind of model predicts a reader's own measurements best."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from perfmodel.command.answer import Answer, Assumption, Cell, Quantity
from perfmodel.command.options import Assumed, answers
from perfmodel.readers.refusal import UnreadableFileError, text_of


@answers()
@click.argument("table", type=click.Path(path_type=Path))
@click.option("--target", required=True, metavar="COLUMN", help="What to predict, above 0.")
@click.option("--group", metavar="COLUMN", help="Machine or workload, also left out as a whole.")
@click.option("--size", metavar="COLUMN", help="Also predict the larger half from the smaller.")
@click.option("--counts", multiple=True, metavar="TEXT", help='Your model, as "m*n*k, m*k, 1".')
@click.option("--drop", multiple=True, metavar="COLUMN", help="Leave a column out.")
@click.option("--known", multiple=True, metavar="COLUMN", help="May determine the target.")
@click.option("--drawings", default=6, show_default=True, help="Of training runs.")
@click.option("--report", type=click.Path(path_type=Path), help="An HTML report to write.")
@click.option("--cores", type=int, help="Processes; default: all cores.")
def contest(
    assumed: Assumed,
    table: Path,
    target: str,
    group: str | None,
    size: str | None,
    counts: Sequence[str],
    drop: Sequence[str],
    known: Sequence[str],
    drawings: int,
    report: Path | None,
    cores: int | None,
) -> Answer:
    """Which kind of model predicts your own measurements best? TABLE holds a run a row.

    \b
      perfmodel contest runs.csv --target seconds
      perfmodel contest runs.csv --target seconds --group machine --counts "m*n*k, m*k, 1"

    Every column but the target says something that is known before the run. The order of the rows
    decides nothing, and a column that is swept by 1, 2, 3 ... is a setting.
    """  # noqa: D301
    text_of(table)
    click.echo("perfmodel: fitting each family to many drawings of the runs", err=True)
    from perfmodel.prediction.own_data.contest import own_contest

    try:
        result = own_contest(
            table,
            target,
            group,
            size=size,
            counts=counts,
            drop=drop,
            known=known,
            drawings=drawings,
            report=report,
            cores=cores,
        )
    except ValueError as error:
        if str(error).startswith("there is no file"):
            raise
        cure = "see `perfmodel contest --help`"
        raise UnreadableFileError(table, None, str(error).rstrip("."), cure) from None
    return _answer(result, target, drawings)


def _answer(result: object, target: str, drawings: int) -> Answer:
    from perfmodel.prediction.own_data.conclusions import FAMILY, family_standings
    from perfmodel.prediction.own_data.contest import OwnContest

    assert isinstance(result, OwnContest)
    board = family_standings(result.board)
    quantities, rows = [], list[dict[str, Cell]]()
    for split, part in board.groupby("split", sort=False):
        largest = part[part["points"] == part["points"].max()]
        for i, one in enumerate(largest.itertuples()):
            low, high = (
                None if end != end else max(float(end), 0.0) for end in (one.low, one.high)
            )
            name = FAMILY[str(one.family)]
            rows.append(
                {
                    "question": str(split),
                    "family": name,
                    "runs": int(one.points),
                    "mean error": float(one.error),
                }
            )
            if i == 0:
                quantities.append(
                    Quantity(
                        f"mean error of the {name}, {split}",
                        float(one.error),
                        low,
                        high,
                        "1",
                        f"from {one.points} runs",
                    )
                )
    return Answer(
        question=f"Which kind of model predicts {target} best?",
        verdict=None,
        summary=result.conclusions[0],
        quantities=tuple(quantities),
        assumed=(Assumption("drawings", float(drawings), "1", "--drawings"),),
        unknown=tuple(
            note for note in result.notes if "not asked" in note or note.startswith("No ")
        ),
        traps=tuple(note for note in result.notes if not note.startswith("No ")),
        steps=(
            *result.conclusions,
            *result.advice,
        ),
        chapter="book/founding-question.md",
        more={"Families at the largest budget": tuple(rows)},
    )
