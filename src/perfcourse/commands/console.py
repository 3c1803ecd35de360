"""What the commands share: the console, the course's folder and banks, the sandbox or a refusal."""

from __future__ import annotations

import errno
import os
import signal
from pathlib import Path
from typing import IO

import click
from rich.console import Console
from rich.markup import escape

from perfcourse.bank.loader import BANKS_VARIABLE
from perfcourse.grading.engine import NoSandboxError, Settings
from perfcourse.grading.interrupts import SIGNALS, stop_signal
from perfcourse.isolation.session import BrokenError
from perfcourse.report.autograde_outcome import Status
from perfcourse.report.tables import cell

_FULL = errno.ENOSPC, errno.EDQUOT, errno.EFBIG
console = Console(highlight=False, soft_wrap=True)


def shown(text: str) -> str:
    """Return text that is safe in a terminal: one line, no control characters, no markup."""
    return escape(cell(text))


class GraderError(click.ClickException):
    """The grader, its machine or its files failed, whatever was handed in."""

    exit_code = Status.BROKEN.value


class StoppedError(click.ClickException):
    """Ctrl-C or another signal ended the command, as the shell's exit status says."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.number = stop_signal()
        self.exit_code = 128 + (self.number or signal.SIGINT)  # type: ignore[misc]

    def show(self, file: IO[str] | None = None) -> None:
        """Print the message; the process ends then, and no further signal is to disturb that."""
        if self.number:
            for number in SIGNALS:
                signal.signal(number, signal.SIG_IGN)
        super().show(file)


def in_words(error: Exception) -> str:
    """Return what went wrong, in a sentence; an unexpected error is given with its type."""
    if isinstance(error, click.ClickException):
        return error.message
    if isinstance(error, OSError) and error.filename and error.strerror:
        return f"{error.filename2 or error.filename}: {error.strerror}"  # where to, if copied
    if isinstance(error, OSError) and error.errno in _FULL:
        return f"standard output: {error.strerror}"  # all else that is written has its name
    if isinstance(error, OSError | ValueError | BrokenError):
        return str(error)
    return f"the grader failed ({type(error).__name__}: {error})"


def course_root() -> Path:
    """Return the nearest folder, from here upwards, that holds solutions/."""
    if root := _course():
        return root
    raise click.ClickException(
        f"no solutions/ in {Path.cwd()} or any folder above it: run this in the course's folder, "
        f"or to grade name the folder of the question banks in {BANKS_VARIABLE}"
    )


def _course() -> Path | None:
    here = Path.cwd()
    return next((at for at in (here, *here.parents) if (at / "solutions").is_dir()), None)


def chosen_bank(topic: str) -> Path:
    """Return the path of a topic's bank, or of the only one there is."""
    known = banks()
    if not topic and len(known) == 1:
        return next(iter(known.values()))
    if topic not in known:
        raise click.UsageError(f"--topic must be one of {', '.join(known)}, got {topic!r}")
    return known[topic]


def banks() -> dict[str, Path]:
    """Return the paths of all banks by topic: of PERFCOURSE_BANKS, else of the course's folder."""
    named = os.environ.get(BANKS_VARIABLE, "")
    if named and not Path(named).is_dir():
        raise click.ClickException(f"{BANKS_VARIABLE} must name a folder of banks, got {named!r}")
    folders = [Path(named)] if named else []
    if not named or _course():
        folders.insert(0, course_root() / "solutions")
    known = {path.stem: path for folder in folders for path in folder.glob("*.py")}
    if not known:
        raise click.ClickException(f"no question bank (TOPIC.py) in {folders[-1]}")
    return dict(sorted(known.items()))


def refuse_without_sandbox(settings: Settings) -> None:
    """Stop where there is no sandbox and none was given up."""
    try:
        settings.safe_sandbox()
    except NoSandboxError as error:
        raise click.ClickException(str(error)) from error
