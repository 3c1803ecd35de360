"""The command `perfcourse diagnose`."""

from __future__ import annotations

from collections.abc import Iterator, Sized
from pathlib import Path

import click

from perfcourse.bank.loader import in_file, load
from perfcourse.commands.console import course_root
from perfcourse.judge.collisions import Examined, examine
from perfcourse.release.assignment import topics

_ALIKE = {
    "answer": "have one answer",
    "number": "have one number, under different choices or by a general slip",
    "hint": "the first gets the hint of the second",
}


@click.command("diagnose")
@click.argument("names", metavar="[TOPIC]...", nargs=-1)
@click.option("--question", "only", default="", help="Try only this question.")
@click.option("--students", default=200, show_default=True, help="Number of made-up students.")
def diagnose_command(names: tuple[str, ...], only: str, students: int) -> None:
    """Try every mistake that the banks name, with the parameters of many students.

    \b
    For each question and student:
      - it hands in the mistake's answer, which must get the mistake's own hint;
      - it compares the answers of all mistakes and the right one. If two agree
        within the tolerance, a student with one mistake may read the hint for
        the other. That is a collision.

    Remove a collision in solutions/TOPIC.py: let `inputs` draw where the two
    differ (more processors, a larger spread), lower the `tolerance`, or merge
    two mistakes that are the same. The bank draws personal parameters again
    until the models differ, so only collisions that drawing can't avoid remain.
    If a collision does no harm, the bank says why:

    \b
      bank = Bank("demo", "...", [...], accepted=[
          Accepted("q1", "upside down", "idle one", "Both say the same thing.")])

    Exit status 1: there is a collision that no bank accepts. Without TOPIC,
    the command tries all banks.
    """  # noqa: D301
    root = course_root()
    ids = [f"student-{number}" for number in range(students)]
    examined: list[Examined] = []
    questions: set[str] = set()
    for topic in names or topics(root):
        for examination in _examined(root / "solutions" / f"{topic}.py", ids, only):
            examined.append(examination)
            questions.add(f"{topic} {examination.name.partition('.')[0]}")
            click.echo(_line(topic, examination))
    if not examined:
        raise click.UsageError(f"no question {only!r}")
    mistakes = [wrong for examination in examined for wrong in examination.question.mistakes]
    collisions = [collision for examination in examined for collision in examination.collisions]
    unlisted = [collision for examination in examined for collision in examination.unlisted]
    click.echo(
        f"{_some(questions, 'question')}, {_some(mistakes, 'mistake')}, {_some(ids, 'student')}: "
        f"{_some(collisions, 'collision')}, {len(unlisted)} unlisted."
    )
    if unlisted:
        raise SystemExit(1)


def _examined(path: Path, ids: list[str], only: str) -> Iterator[Examined]:
    """Examine a bank; end with a sentence where it is wrong."""
    try:
        bank = load(path, try_models=True)
        with in_file(path):
            yield from examine(bank, ids, only)
    except (OSError, ValueError) as error:
        raise click.ClickException(str(error)) from error


def _line(topic: str, found: Examined) -> str:
    lines = [f"{topic} {found.name}: {_some(found.question.mistakes, 'mistake')}"]
    for collision in found.collisions:
        lines.append(
            f"  {collision.first!r} and {collision.second!r}: {_ALIKE[collision.alike]}, "
            f"for {collision.students} of {found.students} students. "
            + (f"Accepted: {collision.reason}" if collision.reason else "NOT LISTED")
        )
    return "\n".join(lines)


def _some(things: Sized, noun: str) -> str:
    return f"{len(things)} {noun}" + ("" if len(things) == 1 else "s")
