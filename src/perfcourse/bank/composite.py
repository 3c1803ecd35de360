"""Questions whose one answer has several parts, each worth points of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from perfcourse.bank.errors import require
from perfcourse.bank.files import DataFile, as_file
from perfcourse.bank.question import Fixed, Inputs, Question, as_draw

PARTS = ("number", "array", "choice", "text", "option")
"""Kinds of question that can be a part of another."""


def parts(
    id: str,
    title: str,
    *,
    parts: Sequence[Question],
    inputs: Inputs = None,
    answer: str = "",
    file: DataFile | str | None = None,
) -> Question:
    """Ask for a dict, tuple or dataclass whose parts are judged, and earn points, one by one.

    Parameters
    ----------
    id, title, inputs, answer, file
        As in `number`; all parts have these parameters and this file.
    parts : sequence of Question
        Made by `number`, `array`, `choice`, `text`, `one_of` or `true_false`; the id of each is
        its key in the dict, and they stand in a tuple in this order.
    """
    require(len(parts) > 1, "parts", [part.id for part in parts], "two or more questions")
    for part in parts:
        require(part.kind in PARTS, f"part {part.id}", part.kind, f"one of {', '.join(PARTS)}")
        bare = isinstance(part.inputs, Fixed) and not part.inputs.values and part.file is None
        require(
            bare, f"inputs and file of part {part.id}", "its own", "those of the whole question"
        )
    draw, with_file = as_draw(inputs), as_file(file)
    within = tuple(replace(part, inputs=draw, file=with_file) for part in parts)

    def reference(*given: Path, **drawn: Any) -> dict[str, Any]:
        return {part.id: part.reference(*given, **drawn) for part in within}

    return Question(
        id,
        title,
        "parts",
        reference,
        draw,
        sum(part.points for part in parts),
        (),
        answer or id,
        max(part.tolerance for part in parts),
        parts=within,
        file=with_file,
    )
