"""Questions that are answered in words: a short text, one of several choices, true or false."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from perfcourse.bank.errors import require
from perfcourse.bank.files import DataFile, as_file
from perfcourse.bank.question import Inputs, Question, as_draw
from perfmodel.answers.mistakes import Constant, Misconception, as_model
from perfmodel.answers.words import phrase

UNUSED = 0.01
"""Stands for the tolerance where nothing is counted."""
TRUTHS = ("true", "false")


def text(
    id: str,
    title: str,
    *,
    reference: Any,
    inputs: Inputs = None,
    points: float = 1,
    misconceptions: Sequence[Misconception] = (),
    answer: str = "",
    file: DataFile | str | None = None,
) -> Question:
    """Ask for a few words; upper case, spaces and punctuation don't count.

    `reference` is a text, or a list of texts that are all right, or a function that returns one of
    the two. A `*` in it stands for anything: `"*memory*bound"`. So do a misconception's texts.
    """
    model = as_model(reference)
    texts = model.value if isinstance(model, Constant) else "a text"
    texts = list(texts) if isinstance(texts, list | tuple) else [texts]
    fine = all(isinstance(each, str) and phrase(each).strip("* ") for each in texts)
    require(texts and fine, "reference", reference, "a text, or a list of texts")
    return Question(
        id,
        title,
        "text",
        model,
        as_draw(inputs),
        points,
        tuple(misconceptions),
        answer or id,
        UNUSED,
        file=as_file(file),
    )


def one_of(
    id: str,
    title: str,
    *,
    choices: Mapping[str, str] | Sequence[str],
    reference: Any,
    inputs: Inputs = None,
    points: float = 1,
    answer: str = "",
    file: DataFile | str | None = None,
) -> Question:
    """Ask for one of several choices; where `choices` is a dict, each leads to its hint.

    `reference` is the right one, or a function that returns it. A choice's hint is for whoever
    takes it where it is wrong; the right one's may be left empty.
    """
    model = as_model(reference)
    require(len(set(choices)) > 1, "choices", list(choices), "two or more different texts")
    right = model.value if isinstance(model, Constant) else next(iter(choices))
    require(right in choices, "reference", right, f"one of {', '.join(choices)}")
    told = dict(choices).items() if isinstance(choices, Mapping) else ()
    wrong = [Misconception(c, Constant(c), hint) for c, hint in told if hint]
    if isinstance(model, Constant):
        wrong = [mistake for mistake in wrong if mistake.name != right]
    return Question(
        id,
        title,
        "option",
        model,
        as_draw(inputs),
        points,
        tuple(wrong),
        answer or id,
        UNUSED,
        choices=tuple(choices),
        file=as_file(file),
    )


def true_false(
    id: str,
    title: str,
    *,
    reference: Any,
    hint: str,
    inputs: Inputs = None,
    points: float = 1,
    answer: str = "",
    file: DataFile | str | None = None,
) -> Question:
    """Ask whether something is true; `hint` is for whoever has it the other way round."""
    model = as_model(reference)
    if isinstance(model, Constant):
        require(isinstance(model.value, bool), "reference", model.value, "True or False")

    def opposite(*given: Any, **named: Any) -> bool:
        return not model(*given, **named)

    return Question(
        id,
        title,
        "option",
        model,
        as_draw(inputs),
        points,
        (Misconception("the other way round", opposite, hint),),
        answer or id,
        UNUSED,
        choices=TRUTHS,
        file=as_file(file),
    )
