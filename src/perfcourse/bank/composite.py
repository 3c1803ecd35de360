"""Questions whose one answer has several parts, each worth points of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from perfcourse.bank.errors import require, unique
from perfcourse.bank.files import DataFile, as_file
from perfcourse.bank.hints import UNANSWERED, missing, type_word
from perfcourse.bank.question import Fixed, Inputs, Question, as_draw
from perfcourse.bank.values import ArrayQuestion, ChoiceQuestion, NumberQuestion
from perfcourse.bank.words import OptionQuestion, TextQuestion
from perfcourse.kernel.plain import plain

PARTS: dict[str, type[Question]] = {
    part.kind: part
    for part in (NumberQuestion, ArrayQuestion, ChoiceQuestion, TextQuestion, OptionQuestion)
}
"""Kinds of question that can be a part of another."""


class PartsQuestion(Question):
    """Asks for several answers in one, each a question with points of its own."""

    kind = "parts"

    def _check(self) -> None:
        super()._check()
        unique("parts", [part.id for part in self.parts])

    def distance(self, answer: Any, expected: Any) -> float:
        """Refuse: its parts are compared one by one."""
        raise NotImplementedError

    def hint(self, answer: Any, expected: Any) -> str:
        """Refuse: its parts have hints of their own."""
        raise NotImplementedError

    def handed_in_with(self, drawn: Mapping[str, Any], value: Any) -> Any:
        """Return a dict of the answers to its parts."""
        return {part.id: part.handed_in(plain(value[part.id])) for part in self.parts}

    @staticmethod
    def wrong_form(form: Mapping[str, Any], answer: Any) -> str:
        """Return what is wrong with the form of each part, or ''."""
        given = by_part(list(form["parts"]), answer)
        if isinstance(given, str):
            return given
        complaints = {
            id: UNANSWERED
            if missing(given[id])
            else PARTS[part["kind"]].wrong_form(part, given[id])
            for id, part in form["parts"].items()
        }
        return " ".join(f"{id}: {said}" for id, said in complaints.items() if said)


def by_part(ids: Sequence[str], answer: Any) -> dict[str, Any] | str:
    """Return the answer to each part by its id, or what is wrong with the form of the answer."""
    if isinstance(answer, dict):
        return {id: answer.get(id) for id in ids}
    if isinstance(answer, list):
        if len(answer) == len(ids):
            return dict(zip(ids, answer, strict=True))
        return f"{asked_form(ids)} Yours has {len(answer)}."
    return f"{asked_form(ids)} Yours is {type_word(answer)}."


def asked_form(ids: Sequence[str]) -> str:
    """Return which form an answer of these parts has, in a sentence."""
    names = ", ".join(ids)
    return f"Give a dict with the keys {names}, or a tuple of {len(ids)} in this order."


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

    `parts` are made by `number`, `array`, `choice`, `text`, `one_of` or `true_false`: the id of
    each is its key in the dict, and they stand in a tuple in this order. All have the `inputs` and
    the `file` of the whole.
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

    points = sum(part.points for part in within)
    tolerance = max(part.tolerance for part in within)
    return PartsQuestion(
        *(id, title, reference, draw, points, (), answer or id, tolerance),
        file=with_file,
        parts=within,
    )
