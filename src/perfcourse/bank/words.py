"""Questions that are answered in words: a short text, one of several choices, true or false."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from perfcourse.bank.errors import require
from perfcourse.bank.files import DataFile, as_file
from perfcourse.bank.hints import TRUTHS, UNKNOWN_WORDS, option_hint, words_hint
from perfcourse.bank.question import Inputs, Question, as_draw
from perfmodel.answers.mistakes import Constant, Mistake, as_model
from perfmodel.answers.words import option, phrase, says, texts

UNUSED = 0.01
"""Stands for the tolerance where nothing is counted."""


class TextQuestion(Question):
    """Asks for a few words."""

    kind = "text"

    @property
    def numeric(self) -> bool:
        """Whether numbers decide it, so that the tolerance matters."""
        return False

    def distance(self, answer: Any, expected: Any) -> float:
        """Return 0 for one of the texts that will do, else infinity."""
        return 0.0 if says(answer, expected) else math.inf

    def hint(self, answer: Any, expected: Any) -> str:
        """Return what is wrong with the words."""
        return words_hint(answer) or UNKNOWN_WORDS

    def handed_in(self, value: Any) -> Any:
        """Return the first of the texts that will do."""
        return texts(value)[0].replace("*", " ")

    def numbers_of(self, value: Any) -> Any:
        """Return None: words slip in no unit."""
        return None

    @staticmethod
    def wrong_form(form: Mapping[str, Any], answer: Any) -> str:
        """Return what keeps an answer from being a few words, or ''."""
        return words_hint(answer)


class OptionQuestion(Question):
    """Asks for one of several choices."""

    kind = "option"
    is_choice = True

    @property
    def numeric(self) -> bool:
        """Whether numbers decide it, so that the tolerance matters."""
        return False

    def distance(self, answer: Any, expected: Any) -> float:
        """Return 0 for the same choice, else infinity."""
        given = option(answer)
        return 0.0 if given is not None and given == option(expected) else math.inf

    def hint(self, answer: Any, expected: Any) -> str:
        """Return what is wrong with the choice."""
        return option_hint(self.choices, answer) or "That isn't the right choice."

    def numbers_of(self, value: Any) -> Any:
        """Return None: a choice slips in no unit."""
        return None

    def form(self, expected: Any) -> dict[str, Any]:
        """Return the choices."""
        return {"kind": self.kind, "choices": list(self.choices)}

    @staticmethod
    def wrong_form(form: Mapping[str, Any], answer: Any) -> str:
        """Return what keeps an answer from being one of the choices, or ''."""
        return option_hint(form["choices"], answer)


def text(
    id: str,
    title: str,
    *,
    reference: Any,
    inputs: Inputs = None,
    points: float = 1,
    mistakes: Sequence[Mistake] = (),
    answer: str = "",
    file: DataFile | str | None = None,
) -> Question:
    """Ask for a few words; upper case, spaces and punctuation don't count.

    `reference` is a text, or a list of texts that are all right, or a function that returns one of
    the two. A `*` in it stands for anything: `"*memory*bound"`. So do a mistake's texts.
    """
    model = as_model(reference)
    right = model.value if isinstance(model, Constant) else "a text"
    right = list(right) if isinstance(right, list | tuple) else [right]
    fine = all(isinstance(text, str) and phrase(text).strip("* ") for text in right)
    require(right and fine, "reference", reference, "a text, or a list of texts")
    draw, wrong = as_draw(inputs), tuple(mistakes)
    return TextQuestion(
        id, title, model, draw, points, wrong, answer or id, UNUSED, file=as_file(file)
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
    hints = dict(choices).items() if isinstance(choices, Mapping) else ()
    wrong = [Mistake(c, Constant(c), hint) for c, hint in hints if hint]
    if isinstance(model, Constant):
        wrong = [mistake for mistake in wrong if mistake.name != right]
    return OptionQuestion(
        *(id, title, model, as_draw(inputs), points, tuple(wrong), answer or id, UNUSED),
        file=as_file(file),
        choices=tuple(choices),
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

    wrong = (Mistake("the other way round", opposite, hint),)
    return OptionQuestion(
        *(id, title, model, as_draw(inputs), points, wrong, answer or id, UNUSED),
        file=as_file(file),
        choices=TRUTHS,
    )
