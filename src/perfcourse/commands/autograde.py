"""The command `perfcourse autograde`."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import click

from perfcourse.bank.loader import load
from perfcourse.commands.console import GraderError, StoppedError, banks, chosen_bank, in_words
from perfcourse.gradebook.grade import grade_of
from perfcourse.grading.engine import Settings, grade_here
from perfcourse.grading.preload import imported, wanted
from perfcourse.intake.file_names import stem
from perfcourse.intake.submissions import Submission, opened
from perfcourse.intake.uploads import piece_at
from perfcourse.intake.versions import chosen
from perfcourse.isolation.sandbox import PRELOAD
from perfcourse.report import grade_exports, pages
from perfcourse.report.autograde_outcome import Marked, Outcome, Status
from perfcourse.report.code import own_code
from perfcourse.report.files import append, write
from perfcourse.report.job_log import show
from perfcourse.report.job_summary import markdown
from perfcourse.report.junit import junit
from perfcourse.report.results_json import as_json, for_classroom

_FILE = click.Path(dir_okay=False, path_type=Path)


@dataclass(frozen=True)
class Reports:
    """Where each report goes, None where it isn't wanted."""

    junit: Path | None
    json: Path | None
    summary: Path | None
    classroom: Path | None
    gradescope: Path | None
    feedback: Path | None


@click.command("autograde")
@click.argument("notebooks", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--topic", default="", help="Question bank; default: by the notebook's name.")
@click.option("--student", default="", help="The student's id; default: the file's name.")
@click.option(
    "--secret",
    default="",
    envvar="PERFCOURSE_SECRET",
    help="Seed of the hidden inputs, the same every time; or in PERFCOURSE_SECRET.",
)
@click.option(
    "--fail-under",
    type=click.FloatRange(0, 100),
    metavar="PERCENT",
    help="Per cent of all points needed to pass; default: any point.",
)
@click.option("--junit", type=_FILE, help="Write JUnit XML here.")
@click.option("--json", type=_FILE, help="Write the whole result here.")
@click.option(
    "--summary",
    type=_FILE,
    envvar="GITHUB_STEP_SUMMARY",
    help="Append tables in Markdown here; on GitHub the default is the job's summary.",
)
@click.option("--classroom", type=_FILE, help="Write the file for GitHub Classroom's reporter.")
@click.option("--gradescope", type=_FILE, help="Write results.json for Gradescope here.")
@click.option("--feedback", type=_FILE, help="Write the HTML page here.")
@click.option("--unsafe-no-sandbox", is_flag=True, help="Only for a notebook that you wrote.")
def autograde_command(
    notebooks: tuple[Path, ...],
    topic: str,
    student: str,
    secret: str,
    fail_under: float | None,
    unsafe_no_sandbox: bool,
    **reports: Path | None,
) -> None:
    """Grade one student's notebooks where they are handed in: in CI, Gradescope or Autolab.

    NOTEBOOKS are files, or folders with one notebook each. Without --topic, a notebook's name
    gives its topic (scaling.ipynb). On GitHub and GitLab the log has sections that fold, and
    GitHub shows a note at the file for each wrong answer. For a single notebook, the last line is
    for Autolab.

    \b
    Exit status:
      0  graded, and the points are enough
      1  graded, but below --fail-under; without it: no point at all
      2  the command was given wrongly
      3  nothing to grade: no notebook, or none that can be read
      4  the grader failed: no sandbox, a question that could not be judged,
         a report that could not be written. No grade, and not the student's
         fault; Gradescope, Classroom and Autolab get nothing
    """  # noqa: D301
    wanted_reports = Reports(**reports)
    if len(notebooks) > 1 and (wanted_reports.gradescope or wanted_reports.feedback):
        raise click.UsageError("--gradescope and --feedback are for one notebook")
    seed = secret or secrets.token_hex(16)
    with _grader_to_blame():
        chosen = [chosen_bank(topic or _named_after(path)) for path in notebooks]
        marked = tuple(
            _marked(path, student, Settings(str(bank), seed, unsafe_no_sandbox))
            for path, bank in zip(notebooks, chosen, strict=True)
        )
        outcome = Outcome(marked, fail_under)
        show(outcome)
        _write_reports(outcome, wanted_reports)
        _write_grades(outcome, wanted_reports, unsafe_no_sandbox)
    sys.exit(outcome.status)


def _named_after(path: Path) -> str:
    return path.stem if path.stem in banks() else ""


@contextmanager
def _grader_to_blame() -> Iterator[None]:
    """Let no fault of ours end with the status that stands for a student's wrong answers."""
    try:
        yield
    except click.UsageError:
        raise
    except Exception as error:
        raise GraderError(in_words(error)) from error
    except KeyboardInterrupt as error:
        raise StoppedError("stopped before there was a grade") from error


def _marked(path: Path, student: str, settings: Settings) -> Marked:
    """Grade one notebook, or say why there is none."""
    bank = load(settings.bank)
    choice = chosen([(file, 0) for file in piece_at(path).files], bank.topic)
    notebook = choice.file.path if choice.file else None
    submission = Submission(
        path.name, student or stem(path.name), notebook, choice.problem, inside=choice.inside
    )
    handin = opened(submission)
    preload = wanted(imported(handin.data), PRELOAD)
    graded = next(grade_here([handin], replace(settings, preload=preload), workers=1))
    code = own_code(handin, graded.digest, bank)
    return Marked(_in_repository(notebook or path), bank, graded, code)


def _in_repository(path: Path) -> str:
    """Return a path from the root of the job's repository, where notes at files look for it."""
    root = os.environ.get("GITHUB_WORKSPACE") or os.environ.get("CI_PROJECT_DIR") or "."
    whole = path.resolve()
    return str(whole.relative_to(root) if whole.is_relative_to(root) else path)


def _write_reports(outcome: Outcome, reports: Reports) -> None:
    """Write what tells of faults as well."""
    if reports.junit:
        write(
            reports.junit,
            junit((grade_of(marked.graded), marked.bank) for marked in outcome.marked),
        )
    if reports.json:
        write(reports.json, as_json(outcome))
    if reports.summary:
        append(reports.summary, markdown(outcome))


def _write_grades(outcome: Outcome, reports: Reports, unsafe: bool) -> None:
    """Write and print what others take for a grade, if it is one."""
    if outcome.status is Status.BROKEN:
        return
    if reports.classroom:
        write(reports.classroom, for_classroom(outcome))
    if len(outcome.marked) > 1:
        return
    grade, bank = grade_of(outcome.marked[0].graded), outcome.marked[0].bank
    if reports.gradescope:
        write(reports.gradescope, grade_exports.gradescope(grade, bank))
    if reports.feedback:
        protections = Settings("", "", unsafe).sandbox().protections
        write(reports.feedback, pages.feedback(grade, bank, protections, outcome.marked[0].code))
    click.echo(grade_exports.autolab(grade))
