"""The command `perfcourse release`."""

from __future__ import annotations

from pathlib import Path

import click
from rich.markup import escape

from perfcourse.bank.loader import load
from perfcourse.commands.console import console, course_root
from perfcourse.intake.people.mapping import read_ids
from perfcourse.release.assignment import release, topics
from perfcourse.release.data_files import copy_files, outdated
from perfcourse.release.nbgrader import write_nbgrader
from perfcourse.release.otter import write_otter
from perfcourse.release.platforms import write_platform
from perfcourse.release.solutions import ReleaseError
from perfcourse.report.files import write


@click.command("release")
@click.argument("names", metavar="[TOPIC]...", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Release every topic that has a bank.")
@click.option("--check", is_flag=True, help="Write nothing; exit 1 if an exercise is stale.")
@click.option("--student", default="", help="Make a copy for one student, with id and numbers.")
@click.option(
    "--students",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Make a copy for each student of a roster, a CSV with their ids. Needs --out.",
)
@click.option(
    "--for-nbgrader",
    "for_tool",
    flag_value="nbgrader",
    help="Make nbgrader's source/ and settings instead.",
)
@click.option(
    "--for-otter", "for_tool", flag_value="otter", help="Make a notebook for otter assign instead."
)
@click.option(
    "--for-github-classroom",
    "for_tool",
    flag_value="github-classroom",
    help="Make the template repository of a GitHub Classroom assignment, graded at each push.",
)
@click.option(
    "--for-gitlab", "for_tool", flag_value="gitlab", help="Make such a template for GitLab."
)
@click.option(
    "--for-gradescope", "for_tool", flag_value="gradescope", help="Make Gradescope's autograder."
)
@click.option("--for-autolab", "for_tool", flag_value="autolab", help="Make Autolab's autograder.")
@click.option(
    "--out", type=click.Path(path_type=Path), help="Folder to write to; exercises/ by default."
)
def release_command(
    names: tuple[str, ...],
    everything: bool,
    check: bool,
    student: str,
    students: Path | None,
    for_tool: str | None,
    out: Path | None,
) -> None:
    """Make the students' notebooks from the instructor's.

    solutions/TOPIC.ipynb is the only source. The command removes the lines between
    ### BEGIN SOLUTION and ### END SOLUTION, locks every other cell, and adds nbgrader's metadata.
    The notebooks work without solutions/, because they contain the numbers of the questions.
    """
    root = course_root()
    chosen = topics(root) if everything else list(names)
    if not chosen:
        raise click.UsageError("name a topic, or give --all")
    if for_tool:
        _release_for(for_tool, root, chosen, out)
        return
    if students:
        _release_to_each(students, root, chosen, out)
        return
    stale = [name for name in chosen if _release_one(root, name, check, student, out)]
    if check and stale:
        raise click.ClickException(f"stale: {', '.join(stale)}; run perfcourse release --all")


def _release_for(tool: str, root: Path, chosen: list[str], out: Path | None) -> None:
    for topic in chosen:
        folder = out or root / "_build" / tool
        try:
            if tool == "nbgrader":
                path = write_nbgrader(topic, root, folder)
            elif tool == "otter":
                path = write_otter(topic, root, folder / topic)
            else:
                path = write_platform(tool, topic, root, folder / topic)
        except (OSError, ValueError) as error:
            raise click.ClickException(f"{topic}: {error}") from error
        console.print(f"{escape(str(path))}: written for {tool}")


def _release_to_each(table: Path, root: Path, chosen: list[str], out: Path | None) -> None:
    """Write OUT/STUDENT/TOPIC.ipynb for each student of a table."""
    if out is None:
        raise click.UsageError("--students needs --out, a folder for the students' folders")
    try:
        ids = read_ids(table)
    except (OSError, ValueError) as error:
        raise click.ClickException(str(error)) from error
    odd = [id for id in ids if Path(id).name != id or id.startswith(".")]
    if odd:
        raise click.ClickException(f"a student's id must be usable as a folder's name: {odd[0]!r}")
    for id in ids:
        for topic in chosen:
            _release_one(root, topic, False, id, out / id)


def _release_one(root: Path, topic: str, check: bool, student: str, out: Path | None) -> bool:
    path = (out or root / "exercises") / f"{topic}.ipynb"
    try:
        bank = load(root / "solutions" / f"{topic}.py", try_models=True)
        text = release(topic, root, student, leaves=bool(student) or out is not None)
        files = outdated(bank, path.parent)
        if not check:
            copy_files(bank, path.parent)
    except (ReleaseError, OSError, ValueError) as error:
        raise click.ClickException(f"{topic}: {error}") from error
    old = path.read_text(encoding="utf-8") if path.is_file() else None
    if not check and old != text:
        write(path, text)
    changed = "stale" if check else "written"
    console.print(f"{escape(str(path))}: {'up to date' if old == text else changed}")
    for file in files:
        console.print(f"{escape(str(file))}: {changed}")
    return old != text or bool(files)
