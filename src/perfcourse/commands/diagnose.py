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
    "hint": "the first is told as the second",
}


@click.command("diagnose")
@click.argument("names", metavar="[TOPIC]...", nargs=-1)
@click.option("--question", "only", default="", help="This question alone.")
@click.option("--students", default=200, show_default=True, help="Made-up ids to try.")
def diagnose_command(names: tuple[str, ...], only: str, students: int) -> None:
    """Try every mistake that the banks name, as many students make it.

    \b
    For each question and student:
      - the mistake's answer is handed in: it must get the mistake's own hint;
      - the answers of all mistakes and the right one are compared. Where two
        agree within the tolerance, whoever makes the one mistake may read the
        hint for the other: a collision.

    A collision is mended in solutions/TOPIC.py: let `inputs` draw where the two
    differ (more processors, a larger spread), lower the `tolerance`, or make the
    two one mistake, if they are one. Personal parameters are drawn again by
    themselves until the models differ, so what remains is what drawing can't
    avoid. Where a collision does no harm, the bank says why:

    \b
      bank = Bank("demo", "...", [...], accepted=[
          Accepted("q1", "upside down", "idle one", "Both say the same thing.")])

    Exits with 1 if a collision is left that no bank accepts. Topics: all, if
    none is named.
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
