"""The command `perfmodel`: a reader's file in, an answer out.

Each subcommand is a short module of this package around a library function. It is loaded when it
is called: `perfmodel --help` imports neither NumPy nor a model.
"""

from __future__ import annotations

import re
import sys
from importlib import import_module
from typing import Any

import click

from perfmodel.readers.refusal import UnreadableFileError

COMMANDS = {
    "compare": ("compare:compare", "Is B faster than A? Two files of measured times."),
    "capacity": ("capacity:capacity", "How many servers does a log need to meet a limit?"),
    "users": ("users:users", "How many users does a load test show room for?"),
    "queue": ("queue:queue", "Solve a queueing network drawn in JMT."),
    "scale": ("scale:scale", "What time will more processors give? A table of runs."),
    "kernel": ("kernel:kernel", "What bounds a kernel? Counters of a profiler."),
    "collective": ("collective:collective", "How long does a collective take? A benchmark's log."),
    "llm": ("llm:llm", "Does a language model fit, and how fast does it serve or train?"),
    "forecast": ("forecast:forecast", "Where does a learning curve end?"),
    "contest": ("contest:contest", "Which kind of model predicts your own measurements best?"),
    "machine": ("machine:machine", "List, show, measure or import machines."),
    "model": ("model:model", "List, show or import language models."),
    "why": ("why:why", "Explain a saved answer step by step."),
}
"""Each command with the function that answers it, `module:function` of this package."""
STATUS = (
    "Exit status: 0 yes, or no yes/no was asked; 1 no; 2 can't tell; 3 file or option unusable."
)
REFUSED = 3
"""Exit status for a file or an option that can't be used."""


class Commands(click.Group):
    """A group that loads a subcommand when it is called, and refuses in one sentence."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; no arguments ask for help."""
        return super().parse_args(ctx, args or ["--help"])

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of a name, whose module is loaded now."""
        if cmd_name not in COMMANDS:
            return None
        module, _, function = COMMANDS[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(f"{__name__}.{module}"), function)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the table of commands without loading one."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, short) for name, (_, short) in COMMANDS.items()])

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run; a file or an option that can't be used ends with one sentence and status 3."""
        kwargs["standalone_mode"] = False
        try:
            status = super().main(*args, **kwargs)
        except click.exceptions.Exit as end:
            status = end.exit_code
        except click.Abort:
            sys.exit(130)
        except click.MissingParameter as error:
            _refuse(error.format_message() + _what_is_asked(error))
        except click.ClickException as error:
            _refuse(error.format_message())
        except (UnreadableFileError, ValueError) as error:
            _refuse(str(error))
        except OSError as error:
            _refuse(f"{error.filename or 'file'}: {error.strerror or error}")
        sys.exit(status if isinstance(status, int) else 0)


def _what_is_asked(missing: click.MissingParameter) -> str:
    """Return the missing option's help, and the first example of the command."""
    assert missing.ctx is not None
    meant = getattr(missing.param, "help", None) or ""
    example = re.search(r"^ *(perfmodel(?: \S+)+)", missing.ctx.command.help or "", re.MULTILINE)
    asked = f" {meant.rstrip('.')}." if meant else ""
    return f"{asked} Example: {example[1]}" if example else asked


def _refuse(sentence: str) -> None:
    click.echo(f"perfmodel: {' '.join(sentence.split())}", err=True)
    sys.exit(REFUSED)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="perfmodel", prog_name="perfmodel")
def main() -> None:
    """Answer a performance question from a file.

    \b
      perfmodel compare old.json new.json
      perfmodel capacity requests.csv --arrival start:s --service took:ms --promise 'p99 wait < 1s'
      perfmodel llm memory config.json --on h100 --context 32768

    Each answer says what was assumed, an interval, what binds, what binds next, and what isn't
    known. --json writes it for programs, --explain shows the steps, and --assume name=value
    replaces an assumption.

    \b
    Exit status: 0 yes, or no yes/no was asked; 1 no; 2 can't tell; 3 file or option unusable.
    """  # noqa: D301
