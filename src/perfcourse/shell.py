"""What the commands share: the console, the course's folder and banks, the sandbox or a refusal."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console
from rich.markup import escape

from perfcourse.engine import NoSandboxError, Settings
from perfcourse.report.tables import cell

console = Console(highlight=False, soft_wrap=True)


def shown(text: str) -> str:
    """Return text that is safe in a terminal: one line, no control characters, no markup."""
    return escape(cell(text))


def course_root() -> Path:
    """Return the nearest folder, from here upwards, that holds solutions/."""
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / "solutions").is_dir():
            return folder
    raise click.ClickException(f"no solutions/ in {here} or any folder above it")


def chosen_bank(topic: str) -> Path:
    """Return the path of a topic's bank, or of the only one there is."""
    root = course_root()
    known = sorted(path.stem for path in (root / "solutions").glob("*.py"))
    if not topic and len(known) == 1:
        topic = known[0]
    if topic not in known:
        raise click.UsageError(f"--topic must be one of {', '.join(known)}, got {topic!r}")
    return root / "solutions" / f"{topic}.py"


def refuse_without_sandbox(settings: Settings) -> None:
    """Stop where there is no sandbox and none was given up."""
    try:
        settings.safe_sandbox()
    except NoSandboxError as error:
        raise click.ClickException(str(error)) from error
