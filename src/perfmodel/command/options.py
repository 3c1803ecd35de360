"""What every command takes: `--json`, `--explain` and `--assume name=value`."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import Any

import click

from perfmodel.command import STATUS
from perfmodel.command.answer import Answer, Assumption
from perfmodel.units import Amount, amount

_LONG = 2**24
"""Bytes of a file that isn't read again to tell which tool wrote it."""
_TYPED = re.compile(r"([-+]?[\d.,]+(?:[eE][-+]?\d+)?)\s*([^\d\s.,+-].*)?")


@dataclass(frozen=True)
class Assumable:
    """An assumption that the reader can replace."""

    name: str
    meaning: str
    default: float | str | None
    """None if nothing is assumed unless it is given."""
    unit: str = "1"
    """The SI unit in which a number without a unit is read; empty if the value is a word."""
    source: str = ""
    """Where the default comes from."""
    choices: tuple[str, ...] = ()
    """The words allowed, if the value is a word."""
    least: float | None = None
    """The smallest value allowed, if there is one."""
    above: float | None = None
    """What the value must exceed, if there is such a bound."""


class Subcommands(click.Group):
    """A command with commands of its own, which shows its help when it is called without one."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; no arguments ask for help."""
        return super().parse_args(ctx, args or ["--help"])


class Assumed(Mapping[str, Any]):
    """The assumptions of one call by name: defaults, replaced by the reader's values."""

    def __init__(self, known: Sequence[Assumable], given: Sequence[str]) -> None:
        self.known = {one.name: one for one in known}
        self.given: dict[str, float | str] = {}
        for text in given:
            name, equals, value = text.partition("=")
            if not equals or name not in self.known:
                listed = ", ".join(self.known) or "none"
                raise click.UsageError(
                    f"--assume must be name=value with a name of this command, got {text!r}; "
                    f"it knows: {listed}"
                )
            self.given[name] = _parsed(self.known[name], value.strip())

    def __getitem__(self, name: str) -> Any:
        return self.given.get(name, self.known[name].default)

    def __iter__(self) -> Iterator[str]:
        return iter(self.known)

    def __len__(self) -> int:
        return len(self.known)

    def listed(self, *names: str) -> tuple[Assumption, ...]:
        """Return the assumptions with their sources: those named, or all that have a value."""
        return tuple(
            Assumption(name, value, one.unit or "1", "given" if name in self.given else one.source)
            for name, one in self.known.items()
            if (value := self[name]) is not None and (not names or name in names)
        )


def answers(
    assume: Sequence[Assumable] = (), name: str | None = None, explained: bool = False
) -> Callable[[Callable[..., Answer]], click.Command]:
    """Turn a function that returns an `Answer` into a command that prints it.

    The decorator stands above the function's own `click.argument` and `click.option`. The function
    gets what `--assume` can replace as `assumed`, an `Assumed`; the command has the function's
    name unless `name` is given. With `explained` the steps are shown without `--explain`.
    """
    known = tuple(assume)

    def decorate(function: Callable[..., Answer]) -> click.Command:
        @click.option("--json", "as_json", is_flag=True, help="Write the answer as JSON.")
        @click.option("--explain", is_flag=True, help="Show how the answer was worked out.")
        @click.option(
            "--assume",
            multiple=True,
            metavar="NAME=VALUE",
            help="Repeatable; see below.",
            hidden=not known,
        )
        @wraps(function)
        def run(as_json: bool, explain: bool, assume: Sequence[str], **arguments: Any) -> int:
            answer = function(assumed=Assumed(known, assume), **arguments)
            answer = replace(answer, traps=(*answer.traps, *_tools(arguments.values())))
            _write(f"{answer.to_json()}\n" if as_json else _text(answer, explain or explained))
            return answer.exit_status

        called = name or function.__name__.replace("_", "-")
        return click.command(called, epilog=_listing(known))(run)

    return decorate


def _tools(arguments: Iterable[object]) -> tuple[str, ...]:
    """Return where to read what the tools print that wrote the files of a call."""
    from perfmodel.command.chapters import tool_page
    from perfmodel.readers.detect import detect
    from perfmodel.readers.refusal import UnreadableFileError

    given = [one if isinstance(one, tuple) else (one,) for one in arguments]
    found: dict[str, None] = {}
    for path in (path for many in given for path in many if isinstance(path, Path)):
        try:
            if path.stat().st_size < _LONG:
                found |= dict.fromkeys(tool_page(detect(path)))
        except (OSError, UnreadableFileError):
            continue
    return tuple(found)


def _text(answer: Answer, explain: bool) -> str:
    from rich.console import Console

    from perfmodel.command.output import show

    console = Console(highlight=False)
    with console.capture() as captured:
        show(answer, console, explain)
    return captured.get()


def _write(text: str) -> None:
    try:
        click.echo(text, nl=False)
    except BrokenPipeError:
        # Whoever reads the answer has seen enough, as `head` has; the exit status still counts.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def typed(text: str) -> Amount:
    """Return the amount that a reader typed: `64MiB`, `20 ms`, `1e9`; a decimal comma is refused.

    >>> typed("64MiB").value, typed("1E6").value
    (67108864.0, 1000000.0)
    """
    found = _TYPED.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"must be a number with or without a unit, got {text!r}")
    return amount(f"{found[1].lower()} {found[2]}" if found[2] else found[1].lower())


def _parsed(known: Assumable, text: str) -> float | str:
    if not known.unit:
        if known.choices and text not in known.choices:
            raise click.UsageError(
                f"--assume {known.name} must be one of {', '.join(known.choices)}, got {text!r}"
            )
        return text
    try:
        given = typed(text)
    except ValueError:
        raise click.UsageError(
            f"--assume {known.name} must be a number in {known.unit}, got {text!r}"
        ) from None
    if given.printed_unit != "1" and given.unit != known.unit:
        raise click.UsageError(f"--assume {known.name} must be in {known.unit}, got {text!r}")
    if known.above is not None and not given.value > known.above:
        raise click.UsageError(f"--assume {known.name} must be above {known.above:g}, got {text!r}")
    if known.least is not None and given.value < known.least:
        raise click.UsageError(
            f"--assume {known.name} must be {known.least:g} or more, got {text!r}"
        )
    return given.value


def _listing(known: Sequence[Assumable]) -> str:
    if not known:
        return STATUS
    lines = [
        f"  {one.name}: {one.meaning}"
        + ("" if one.default is None else f" (default {_shown(one.default)}{_unit(one)})")
        for one in known
    ]
    return "\b\nWhat --assume can replace:\n" + "\n".join(lines) + f"\n\n{STATUS}"


def _shown(default: float | str) -> str:
    return default if isinstance(default, str) else f"{default:.15g}"


def _unit(one: Assumable) -> str:
    return f" {one.unit}" if one.unit not in ("", "1") else ""
