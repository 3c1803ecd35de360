"""The command `perfcourse new-assignment`."""

from __future__ import annotations

import click

from perfcourse.authoring.new_assignment import new_assignment
from perfcourse.shell import course_root


@click.command("new-assignment")
@click.argument("name")
@click.option("--title", default="", help="What students read above it; default: the name.")
def new_assignment_command(name: str, title: str) -> None:
    """Start an assignment of your own: solutions/NAME.py, NAME.ipynb and a data file.

    It has six questions, each of another kind, that can be released, diagnosed and graded as they
    are. Change them into your own one by one.
    """
    root = course_root()
    try:
        made = new_assignment(root / "solutions", name, title)
    except (OSError, ValueError) as error:
        raise click.ClickException(str(error)) from error
    for path in made:
        click.echo(path.relative_to(root))
    click.echo(f"Next: perfcourse diagnose {name}, then perfcourse release {name}")
