"""The command `perfcourse study`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.markup import escape
from rich.table import Table

from perfcourse.commands.console import console
from perfcourse.report.tables import cell

if TYPE_CHECKING:
    from perfcourse.study.exports import Answer
    from perfcourse.study.findings import Findings


@click.command("study")
@click.argument("words", metavar="FOLDER...", nargs=-1, required=True)
@click.option("--simulate", is_flag=True, help="Simulate a class, from NAME=NUMBER.")
@click.option("--out", type=click.Path(path_type=Path), help="Default: FOLDER-study.")
@click.option("--cap", default=100.0, show_default=True, help="Count larger errors as this factor.")
@click.option(
    "--smallest",
    default=0.2,
    show_default=True,
    help="Smallest fall that would matter.",
)
@click.option("--seed", default=0, show_default=True, help="Seed of the bootstrap.")
def study_command(
    words: tuple[str, ...], simulate: bool, out: Path | None, cap: float, smallest: float, seed: int
) -> None:
    """Compare a class's predictions before and after a chapter.

    \b
    FOLDER contains the files from 'Download my predictions'. A second folder is a comparison
    group, which read something else in between.
      perfcourse study handed-in
      perfcourse study read-it waited --out results

    The command writes study.html, effects.csv, students.csv and answers.csv. To try it, simulate a
    class whose true effect is known:

    \b
      perfcourse study --simulate students=40 effect=0.3 seed=1
      perfcourse study --simulate students=60 comparison=1 other=0.1 dropout=0.2

    Every result of a simulated class says SIMULATED.
    """  # noqa: D301
    from perfcourse.study.findings import findings
    from perfcourse.study.report import write_reports

    try:
        groups = _simulated(words) if simulate else _read(words)
        if smallest <= 0 or cap <= 1:
            raise ValueError(
                f"--smallest must be above 0 and --cap above 1, got {smallest:g} and {cap:g}"
            )
        results = findings(groups, cap, seed=seed)
        out = out or _beside(Path("simulated" if simulate else words[0]))
        write_reports(out, results, groups, smallest)
    except (OSError, ValueError) as error:
        raise click.ClickException(str(error)) from error
    _show(results, smallest)
    console.print(f"Report and tables: {escape(str(out))}")


def _read(words: tuple[str, ...]) -> dict[str, list[Answer]]:
    from perfcourse.study.exports import ExportError, read_folder

    folders = {Path(word).resolve().name: Path(word) for word in words}
    if len(folders) < len(words):
        raise ExportError(f"groups need folders of different names, got {', '.join(words)}")
    return {name: read_folder(folder) for name, folder in folders.items()}


def _simulated(words: tuple[str, ...]) -> dict[str, list[Answer]]:
    from perfcourse.study.simulation import course, simulated

    return simulated(course(words))


def _beside(folder: Path) -> Path:
    folder = folder.resolve()
    return folder.with_name(f"{folder.name}-study")


def _show(found: Findings, smallest: float) -> None:
    from perfcourse.study import sentences
    from perfcourse.study.report import is_simulated

    title = "SIMULATED: no such class" if is_simulated(found) else "Mean log error"
    shown = Table("group", "before", "after", "fall", "by t", "by bootstrap", title=title)
    firsts = [line for line in found.lines if line.measure == 0]
    for line in firsts:
        numbers = (line.before, line.after, line.effect.estimate)
        ends = (line.effect.interval, line.effect.bootstrap)
        shown.add_row(
            escape(cell(line.group)),
            *(f"{number:.2f}" for number in numbers),
            *(f"{low:.2f} to {high:.2f}" for low, high in ends),
        )
    console.print(shown)
    said = [*map(sentences.verdict, firsts), sentences.next_class(firsts[-1], smallest)]
    for sentence in (*said, *sentences.cautions(found)):
        console.print(escape(cell(sentence)))
