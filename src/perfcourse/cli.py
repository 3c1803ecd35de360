"""The `perfcourse` command: release exercises, grade submissions, return feedback."""

from __future__ import annotations

import secrets
import sys
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
from perfcourse.diagnosis.command import diagnose_command
from perfcourse.engine import Settings, grade_here
from perfcourse.intake.imports import imported, wanted
from perfcourse.intake.submissions import Submission, opened
from perfcourse.isolation.doctor import findings
from perfcourse.isolation.sandbox import NO_SANDBOX, PRELOAD
from perfcourse.isolation.session import BrokenError, Times
from perfcourse.isolation.trial import tried
from perfcourse.loading import load
from perfcourse.release.command import console, course_root, release_command
from perfcourse.report import pages, schools
from perfcourse.report.tables import cell
from perfcourse.report.write import write
from perfcourse.study.command import study_command


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="perfmodel", prog_name="perfcourse")
def main() -> None:
    """Run a course in performance modelling: release, collect, grade, return.

    \b
    A course in four steps:
      perfcourse release scaling      solutions/scaling.ipynb -> exercises/scaling.ipynb
      (students work on exercises/scaling.ipynb and hand it in as STUDENT.ipynb)
      perfcourse grade handed-in/ --topic scaling
      (return handed-in-graded/feedback/, load handed-in-graded/grades.csv)

    Submissions are never trusted: each runs in a sandbox that holds no question, no expected
    value and no other submission. `perfcourse doctor` says what this machine can do. Whoever
    writes questions tries their mistakes with `perfcourse diagnose scaling`. Whether a chapter
    teaches: `perfcourse study`.
    """  # noqa: D301


@main.command("grade")
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
        str(_bank(topic)),
        secret,
        unsafe_no_sandbox,
        Times(time_limit, cell=max(1.0, time_limit / 3), whole=2 * time_limit),
    )
    _refuse_without_sandbox(settings)
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


def _refuse_without_sandbox(settings: Settings) -> None:
    sandbox = settings.sandbox()
    if not sandbox.bwrap and not settings.unsafe:
        raise click.ClickException(
            f"no sandbox here: {sandbox.problem}.\nOthers' notebooks can do anything that you can. "
            "Run perfcourse doctor, or give --unsafe-no-sandbox for notebooks of your own."
        )


def _engine(cluster: str, workers: int) -> Engine:
    if not cluster:
        return partial(grade_here, workers=workers)
    from perfcourse.cluster import grade_on_cluster

    return partial(grade_on_cluster, where=cluster, workers=workers)


def _summary(batch: Batch, out: Path) -> None:
    for graded in batch.results:
        if graded.problem:
            console.print(f"[yellow]{_shown(graded.name)}[/yellow]: {_shown(graded.problem)}")
    for line in batch.changed:
        console.print(f"changed: {_shown(line)}")
    full = sum(graded.earned >= graded.points for graded in batch.results)
    console.print(
        f"{len(batch.results)} submissions, {batch.graded_now} graded now, {full} with full marks, "
        f"{sum(bool(graded.problem) for graded in batch.results)} with a problem."
    )
    console.print(f"Grades, feedback and class report: {escape(str(out))}")


def _shown(text: str) -> str:
    """Return text that is safe in a terminal: one line, no control characters, no markup."""
    return escape(cell(text))


@main.command("autograde")
@click.argument("notebook", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--topic", default="", help="Which bank; needed unless there is only one.")
@click.option("--student", default="", help="The student's id; default: the file's name.")
@click.option("--secret", default="", help="Seed of the hidden inputs; give the same every time.")
@click.option(
    "--gradescope", type=click.Path(path_type=Path), help="Write results.json for Gradescope here."
)
@click.option("--feedback", type=click.Path(path_type=Path), help="Write the HTML page here.")
@click.option("--unsafe-no-sandbox", is_flag=True, help="Only for a notebook that you wrote.")
def autograde_command(
    notebook: Path,
    topic: str,
    student: str,
    secret: str,
    gradescope: Path | None,
    feedback: Path | None,
    unsafe_no_sandbox: bool,
) -> None:
    """Grade one notebook as it is handed in, for Gradescope and Autolab.

    The last line printed is the one that Autolab reads.
    """
    path = _bank(topic)
    handin = opened(Submission(notebook.name, student or notebook.stem, notebook))
    preload = wanted(imported(handin.data), PRELOAD)
    seed = secret or secrets.token_hex(16)
    settings = Settings(str(path), seed, unsafe_no_sandbox, preload=preload)
    _refuse_without_sandbox(settings)
    try:
        graded = next(grade_here([handin], settings, workers=1))
    except BrokenError as error:
        raise click.ClickException(str(error)) from error
    if graded.broken:
        raise click.ClickException(graded.problem)
    bank = load(path)
    if gradescope:
        write(gradescope, schools.gradescope(graded, bank))
    if feedback:
        write(feedback, pages.feedback(graded, bank, settings.sandbox().protections))
    click.echo(cell(schools.feedback_text(graded)))
    click.echo(schools.autolab(graded))


@main.command("doctor")
def doctor_command() -> None:
    """Say what this machine can do to protect itself, and how to get the rest."""
    sandbox = tried()
    for line in sandbox.protections:
        console.print(f"{'✘' if line.startswith(NO_SANDBOX) else '✔'} {escape(line)}")
    for finding in findings(sandbox):
        mark = "✔" if finding.there else "✘" if finding.needed else "○"
        advice = "" if finding.there else f": {escape(finding.advice)}"
        console.print(f"{mark} {finding.part}{advice}")
    if not sandbox.bwrap:
        sys.exit(1)


def _bank(topic: str) -> Path:
    root = course_root()
    known = sorted(path.stem for path in (root / "solutions").glob("*.py"))
    if not topic and len(known) == 1:
        topic = known[0]
    if topic not in known:
        raise click.UsageError(f"--topic must be one of {', '.join(known)}, got {topic!r}")
    return root / "solutions" / f"{topic}.py"


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


main.add_command(release_command)
main.add_command(diagnose_command)
main.add_command(study_command)
