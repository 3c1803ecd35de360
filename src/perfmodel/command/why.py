"""`perfmodel why`: a saved answer, explained."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from perfmodel.command.answer import Answer
from perfmodel.command.options import Assumed, answers
from perfmodel.readers.refusal import UnreadableFileError, text_of


@answers(explained=True)
@click.argument("answer", type=click.Path(path_type=Path))
def why(assumed: Assumed, answer: Path) -> Answer:
    """Explain a saved answer step by step.

    \b
      perfmodel compare old.json new.json --json > answer.json
      perfmodel why answer.json
    """  # noqa: D301
    try:
        saved = Answer.from_json(text_of(answer))
    except UnreadableFileError:
        raise
    except ValueError as error:
        cure = "write one with: perfmodel COMMAND ... --json > answer.json"
        raise UnreadableFileError(answer, None, str(error), cure) from None
    return saved if saved.steps else replace(saved, steps=("This answer was saved without steps.",))
