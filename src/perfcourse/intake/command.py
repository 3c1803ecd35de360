"""The command `perfcourse grade`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import click
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from perfcourse.batch import Batch, Engine, read_students, run
from perfcourse.engine import Settings, grade_here
from perfcourse.isolation.session import BrokenError, Times
from perfcourse.shell import chosen_bank, console, refuse_without_sandbox, shown


@click.command("grade")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--topic", default="", help="Which bank; needed unless there is only one.")
@click.option("--out", type=click.Path(path_type=Path), help="Default: FOLDER-graded.")
@click.option(
    "--students",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="CSV of two columns, file name and student id, where file names aren't the ids.",
)
@click.option("--workers", default=0, help="Submissions at a time; default: one a core.")
@click.option(
    "--cluster",
    default="",
    metavar="WHERE",
    help="Grade with Dask: local, tcp://HOST:PORT, or a batch system (slurm, pbs, sge, lsf).",
)
@click.option("--time-limit", default=60.0, help="Seconds for one notebook to run.")
@click.option("--secret", default="", help="Seed of the hidden inputs; default: kept in OUT.")
@click.option(
    "--unsafe-no-sandbox",
    is_flag=True,
    help="Grade without a sandbox: only for notebooks that you wrote yourself.",
)
def grade_command(
    folder: Path,
    topic: str,
    out: Path | None,
    students: Path | None,
    workers: int,
    cluster: str,
    time_limit: float,
    secret: str,
    unsafe_no_sandbox: bool,
) -> None:
    """Grade a folder of submissions: STUDENT.ipynb, STUDENT/*.ipynb, or nbgrader's layout.

    Writes grades.csv and a feedback page for each student. Stop it at any time; the same command
    goes on where it was, and a file that hasn't changed is never graded twice.
    """
    settings = Settings(
        str(chosen_bank(topic)),
        secret,
        unsafe_no_sandbox,
        Times(time_limit, cell=max(1.0, time_limit / 3), whole=2 * time_limit),
    )
    refuse_without_sandbox(settings)
    for line in settings.sandbox().protections:
        console.print(f"[dim]protection:[/dim] {escape(line)}")
    out = out or folder.resolve().with_name(folder.resolve().name + "-graded")
    try:
        known = read_students(students) if students else None
        with _progress() as progress:
            engine = _engine(cluster, workers)
            batch = run(
                folder,
                out,
                settings,
                engine,
                students=known,
                aside=[students] if students else [],
                progress=progress,
            )
    except (OSError, ValueError, BrokenError) as error:
        raise click.ClickException(str(error)) from error
    _summary(batch, out)


def _engine(cluster: str, workers: int) -> Engine:
    if not cluster:
        return partial(grade_here, workers=workers)
    from perfcourse.cluster import grade_on_cluster

    return partial(grade_on_cluster, where=cluster, workers=workers)


def _summary(batch: Batch, out: Path) -> None:
    for graded in batch.results:
        if graded.problem:
            console.print(f"[yellow]{shown(graded.name)}[/yellow]: {shown(graded.problem)}")
    for line in batch.changed:
        console.print(f"changed: {shown(line)}")
    full = sum(graded.earned >= graded.points for graded in batch.results)
    console.print(
        f"{len(batch.results)} submissions, {batch.graded_now} graded now, {full} with full marks, "
        f"{sum(bool(graded.problem) for graded in batch.results)} with a problem."
    )
    console.print(f"Grades, feedback and class report: {escape(str(out))}")


@contextmanager
def _progress() -> Iterator[partial[None]]:
    columns = (
        TextColumn("grading"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left:"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console) as bar:
        task = bar.add_task("grading")

        def show(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        yield partial(show)
