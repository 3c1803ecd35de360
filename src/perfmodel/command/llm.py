"""`perfmodel llm`: whether a language model fits, and how fast it serves or trains."""

from __future__ import annotations

import click

from perfmodel.command.language_models.memory import memory
from perfmodel.command.language_models.rank import rank
from perfmodel.command.language_models.serve import serve
from perfmodel.command.language_models.train import train
from perfmodel.command.options import Subcommands


@click.group(cls=Subcommands)
def llm() -> None:
    """Say whether a language model fits on a machine, and how fast it serves or trains.

    \b
      perfmodel llm memory config.json --on h100 --context 32768
      perfmodel llm serve config.json --on h100 --count 4 --concurrency 64
      perfmodel llm rank config.json --on h100 --on h200 --within 25ms
      perfmodel llm train config.json --on h100 --count 16
    """  # noqa: D301


for _command in (memory, serve, rank, train):
    llm.add_command(_command)
