"""`perfmodel llm`: whether a language model fits, and how fast it serves or trains."""

from __future__ import annotations

import click

from perfmodel.command.language_models.memory import memory
from perfmodel.command.language_models.serve import serve
from perfmodel.command.language_models.train import train
from perfmodel.command.options import Subcommands


@click.group(cls=Subcommands)
def llm() -> None:
    """Say whether a language model fits on a machine, and how fast it serves or trains."""


for _command in (memory, serve, train):
    llm.add_command(_command)
