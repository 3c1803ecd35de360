"""The command `perfcourse grade`."""

from __future__ import annotations

import gc
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
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

from perfcourse.commands.console import (
    GraderError,
    StoppedError,
    chosen_bank,
    console,
    in_words,
    refuse_without_sandbox,
    shown,
)
from perfcourse.gradebook.options import deadline_from, deadline_options
from perfcourse.grading.batch import FILES, Batch, Engine, run
from perfcourse.grading.engine import Settings, grade_here
from perfcourse.intake.collection import Sources
from perfcourse.intake.people.groups import read_groups
from perfcourse.intake.people.mapping import read_students
from perfcourse.intake.people.roster import Roster, read_roster
from perfcourse.intake.platforms import PLATFORMS
from perfcourse.intake.versions import UNDECIDED
from perfcourse.isolation.session import Times

CHOOSE = (
    "To choose one of several notebooks, delete the others, or name it in a table for --students "
    "with the columns file and student."
)
CSV = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command("grade")
@click.argument("collected", metavar="FOLDER", type=click.Path(exists=True, path_type=Path))
@click.option("--topic", default="", help="Question bank; needed unless there is only one.")
@click.option("--out", type=click.Path(path_type=Path), help="Default: FOLDER-graded.")
@click.option(
    "--roster",
    "roster_path",
    type=CSV,
    help="CSV of the class: a platform's export, or a table of ids, names, e-mails.",
)
@click.option(
    "--groups",
    "groups_path",
    type=CSV,
    help="CSV of groups, if the roster has none; columns: student, group.",
)
@click.option("--id-column", default="", help="Column of the roster that holds the students' ids.")
@click.option(
    "--students",
    "students_path",
    type=CSV,
    help="CSV of files whose names don't show the student; columns: file, student.",
)
@click.option(
    "--platform",
    type=click.Choice(["auto", *PLATFORMS, "none"]),
    default="auto",
    show_default=True,
    help="Platform that named the files, and whose gradebook to write.",
)
@click.option("--column", default="", help="The assignment's column in the platform's gradebook.")
@deadline_options
@click.option("--file-times", is_flag=True, help="Use a file's own time as its time of submission.")
@click.option(
    "--workers", type=click.IntRange(min=1), help="Submissions at a time; default: one per core."
)
@click.option(
    "--cluster",
    default="",
    metavar="WHERE",
    help="Grade with Dask: local, tcp://HOST:PORT, or a batch system (slurm, pbs, sge, lsf).",
)
@click.option(
    "--time-limit",
    type=click.FloatRange(min=1, max=86400),
    default=60.0,
    show_default=True,
    help="Seconds that one notebook may run.",
)
@click.option("--secret", default="", help="Seed of the hidden inputs; default: kept in OUT.")
@click.option(
    "--unsafe-no-sandbox",
    is_flag=True,
    help="Grade without a sandbox: only for notebooks that you wrote yourself.",
)
def grade_command(
    collected: Path,
    topic: str,
    out: Path | None,
    roster_path: Path | None,
    groups_path: Path | None,
    id_column: str,
    students_path: Path | None,
    platform: str,
    column: str,
    due: str,
    late: str,
    extensions: Path | None,
    file_times: bool,
    workers: int | None,
    cluster: str,
    time_limit: float,
    secret: str,
    unsafe_no_sandbox: bool,
) -> None:
    """Grade submissions: STUDENT.ipynb, STUDENT/*.ipynb, nbgrader's or a platform's layout.

    FOLDER can be the platform's zip archive. The command writes grades.csv, a feedback page for
    each student, and the files to upload to the platform. You can stop it at any time. The same
    command then continues, and grades no unchanged file twice.

    \b
    Exit status:
      0  graded
      1  an input could not be used; the message names it
      2  a wrong option or argument
      4  the grader failed on some submissions, or a question could not be
         judged: they have no grade yet
    128 and more: stopped by a signal
    """  # noqa: D301
    settings = Settings(str(chosen_bank(topic)), secret, unsafe_no_sandbox, _times(time_limit))
    refuse_without_sandbox(settings)
    for line in settings.sandbox().protections:
        console.print(f"[dim]protection:[/dim] {escape(line)}")
    out = out or _beside(collected)
    done = Done()
    gc.freeze()  # what is loaded stays, and is looked through no more
    try:
        sources = _sources(roster_path, groups_path, id_column, students_path, platform, file_times)
        deadline = deadline_from(due, late, extensions, _ids(sources.roster))
        with _progress(done) as progress:
            engine = _engine(cluster, workers or 0)
            batch = run(
                collected,
                out,
                settings,
                engine,
                sources=sources.beside(*filter(None, [extensions])),
                column=column,
                deadline=deadline,
                progress=progress,
            )
    except click.ClickException:
        raise
    except KeyboardInterrupt as error:
        raise StoppedError(
            f"stopped; {done.in_words} The same command goes on from there."
        ) from error
    except Exception as error:
        message = in_words(error)
        if isinstance(error, OSError) and done.total:
            message += f". {done.in_words}"
        raise click.ClickException(message) from error
    _summary(batch, out)
    if batch.results and not any(each.listed for each in batch.collected.submissions):
        raise click.ClickException(
            f"none of the {len(batch.results)} submissions is from a student on the roster, so no "
            "gradebook file has a grade. Is it the roster of this class?"
        )
    if failures := _failures(batch):
        raise GraderError(failures)


@dataclass
class Done:
    """How far a run is."""

    results: int = 0
    total: int = 0

    @property
    def in_words(self) -> str:
        """Return it in a sentence."""
        if not self.total:
            return "what was graded before is kept."
        return f"{self.results} of {self.total} submissions are graded and kept."


def _failures(batch: Batch) -> str:
    """Say which submissions have no grade yet by no fault of a student's; empty where all have."""
    broken = sum(grade.graded.broken for grade in batch.results)
    open_ = sum(not grade.settled for grade in batch.results) - broken
    cases = (
        (broken, "the grader failed on {}; the same command grades only these again"),
        (open_, "the bank could not judge a question for {}; correct the bank and grade again"),
    )
    said = [
        text.format(f"{count} of {len(batch.results)} submissions")
        for count, text in cases
        if count
    ]
    return ". ".join(said)


def _times(limit: float) -> Times:
    if math.isnan(limit):
        raise click.BadParameter("nan is not in the range 1<=x<=86400", param_hint="--time-limit")
    return Times(limit, cell=max(1.0, limit / 3), whole=2 * limit)


def _beside(collected: Path) -> Path:
    whole = collected.resolve()
    name = whole.name if whole.is_dir() else whole.stem
    return whole.with_name(f"{name}-graded")


def _sources(
    roster: Path | None,
    groups: Path | None,
    id_column: str,
    students: Path | None,
    platform: str,
    file_times: bool,
) -> Sources:
    for name, value in (("--id-column", id_column), ("--groups", groups)):
        if value and not roster:
            raise click.UsageError(f"{name} needs --roster")
    known = read_roster(roster, id_column) if roster else None
    return Sources(
        read_groups(groups, known) if groups and known else known,
        read_students(students) if students else None,
        "" if platform == "auto" else platform,
        file_times,
        tuple(path for path in (roster, groups, students) if path),
    )


def _ids(roster: Roster | None) -> list[str] | None:
    return [student.id for student in roster.students] if roster else None


def _engine(cluster: str, workers: int) -> Engine:
    if not cluster:
        return partial(grade_here, workers=workers)
    from perfcourse.grading.cluster import grade_on_cluster

    return partial(grade_on_cluster, where=cluster, workers=workers)


def _summary(batch: Batch, out: Path) -> None:
    for graded in batch.results:
        if graded.problem:
            console.print(f"[yellow]{shown(graded.name)}[/yellow]: {shown(graded.problem)}")
    work = [file for file in batch.collected.left_out if file.notebook]
    for file in work:
        console.print(f"not graded: {shown(file.name)}: {shown(file.why)}")
    if any(file.why == UNDECIDED for file in work):
        console.print(CHOOSE)
    if others := len(batch.collected.left_out) - len(work):
        console.print(f"not notebooks: {_counted(others, 'more file')}, see {FILES}")
    if absent := batch.collected.absent:
        console.print(f"not handed in: {shown(', '.join(student.id for student in absent))}")
    known = [(each.student, each.origin) for each in batch.collected.submissions]
    late = [student for student, origin in known if origin and origin.late]
    if late:
        console.print(f"late, by Canvas's mark without a time: {shown(', '.join(late))}")
    for line in batch.changed:
        console.print(f"changed: {shown(line)}")
    for remark in batch.remarks:
        console.print(f"[yellow]note:[/yellow] {shown(remark)}")
    for note in batch.notes:
        console.print(shown(note))
    full = sum(graded.earned >= graded.points for graded in batch.results)
    console.print(
        f"{_counted(len(batch.results), 'submission')}, {batch.graded_now} graded now, "
        f"{full} with full marks, "
        f"{sum(bool(graded.problem) for graded in batch.results)} with a problem."
    )
    console.print(f"Grades, feedback and class report: {escape(str(out))}")


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


@contextmanager
def _progress(so_far: Done) -> Iterator[partial[None]]:
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
            so_far.results, so_far.total = done, total
            bar.update(task, completed=done, total=total)

        yield partial(show)
