"""The `perfcourse` command: release exercises, grade submissions, return feedback."""

from __future__ import annotations

import secrets
import sys
from pathlib import Path

import click
from rich.markup import escape

from perfcourse.diagnosis.command import diagnose_command
from perfcourse.engine import Settings, grade_here
from perfcourse.intake.command import grade_command
from perfcourse.intake.imports import imported, wanted
from perfcourse.intake.submissions import Submission, opened
from perfcourse.isolation.doctor import findings
from perfcourse.isolation.sandbox import NO_SANDBOX, PRELOAD
from perfcourse.isolation.session import BrokenError
from perfcourse.isolation.trial import tried
from perfcourse.loading import load
from perfcourse.release.command import release_command
from perfcourse.report import pages, schools
from perfcourse.report.tables import cell
from perfcourse.report.write import write
from perfcourse.shell import chosen_bank, console, refuse_without_sandbox
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
    path = chosen_bank(topic)
    handin = opened(Submission(notebook.name, student or notebook.stem, notebook))
    preload = wanted(imported(handin.data), PRELOAD)
    seed = secret or secrets.token_hex(16)
    settings = Settings(str(path), seed, unsafe_no_sandbox, preload=preload)
    refuse_without_sandbox(settings)
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


main.add_command(release_command)
main.add_command(grade_command)
main.add_command(diagnose_command)
main.add_command(study_command)
