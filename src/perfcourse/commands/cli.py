"""The `perfcourse` command: release exercises, grade submissions, return feedback."""

from __future__ import annotations

import errno
import sys
from typing import Any

import click
from rich.markup import escape

from perfcourse.commands.autograde import autograde_command
from perfcourse.commands.console import StoppedError, console, in_words
from perfcourse.commands.diagnose import diagnose_command
from perfcourse.commands.grade import grade_command
from perfcourse.commands.new_assignment import new_assignment_command
from perfcourse.commands.release import release_command
from perfcourse.commands.study import study_command
from perfcourse.grading.interrupts import caught
from perfcourse.isolation.doctor import findings
from perfcourse.isolation.sandbox import NO_SANDBOX
from perfcourse.isolation.trial import try_again


class Commands(click.Group):
    """The commands: each ends in a sentence, also where it is stopped or can't print."""

    def invoke(self, context: click.Context) -> Any:
        """Run the command that was given; a pipe that nobody reads is click's to deal with."""
        try:
            return super().invoke(context)
        except KeyboardInterrupt as error:
            raise StoppedError("stopped") from error
        except OSError as error:
            if error.errno == errno.EPIPE:
                raise
            raise click.ClickException(in_words(error)) from error


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="perfmodel", prog_name="perfcourse")
@click.pass_context
def main(context: click.Context) -> None:
    """Run a course in performance modelling: release, collect, grade, return.

    \b
    A course in four steps:
      perfcourse release scaling      solutions/scaling.ipynb -> exercises/scaling.ipynb
      (students work on exercises/scaling.ipynb and hand it in as STUDENT.ipynb)
      perfcourse grade handed-in/ --topic scaling
      (return handed-in-graded/feedback/, load handed-in-graded/grades.csv)

    Each submission runs in a sandbox that holds no question, no expected value and no other
    submission. `perfcourse doctor` checks which protections this machine has.
    `perfcourse diagnose scaling` tries the mistakes that your questions name.
    `perfcourse study` compares a class's predictions before and after a chapter.
    """  # noqa: D301
    context.with_resource(caught())


@main.command("doctor")
def doctor_command() -> None:
    """Check which protections this machine has, and say how to get the others."""
    sandbox = try_again()
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
main.add_command(autograde_command)
main.add_command(diagnose_command)
main.add_command(new_assignment_command)
main.add_command(study_command)
