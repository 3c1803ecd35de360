"""One question put to the reader: its entry, its folded answer, and the data that score it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any

from perfmodel.live.display import packed
from perfmodel.live.variants import (
    COUNT,
    Marked,
    Values,
    Variants,
    called,
    drawn,
    filled,
    near,
    rounded,
)
from perfmodel.units import number
from perfmodel.validation import finite, positive

ASLEEP = "To answer, run this cell; on a page of the book, allow JavaScript."
"""What stands where the entry will be, until the script has made it."""
Answer = float | str | Callable[..., float | str]
Told = Sequence[tuple[float | Callable[..., float], str]]
"""Numbers, or models of the parameters, each with what is said to who answers it."""


class ClashError(ValueError):
    """A declared mistake leads to a number that counts as right."""


@dataclass(frozen=True)
class Question:
    """A question with one computed answer: a choice if it has options, otherwise a number."""

    text: str
    """Plain text; of a number it names the unit."""
    answer: float | str
    """A number in `unit`, or one of `options`."""
    options: Sequence[str] = ()
    """What the reader chooses from, two or more."""
    why: str = ""
    """The explanation shown with the answer."""
    unit: str = ""
    """Shown behind the entry and the answer of a number."""
    tolerance: float = 0.1
    """The relative error up to which a number counts as right."""
    accept: Sequence[tuple[float, str]] = ()
    """Other numbers that a fair reading leads to, each with that reading in a sentence."""
    reasons: Mapping[str, str] = field(default_factory=dict)
    """What speaks against an option, said to who chose it."""
    mistakes: Sequence[tuple[float, str]] = ()
    """Wrong numbers that a mistake leads to, each with what is said to it."""
    taught: str = ""
    """The anchor of the section of its page that teaches it, if not the one that it stands in."""
    fresh: Mapping[str, object] | None = None
    """The same question with new numbers, as the script fills them in."""

    def __post_init__(self) -> None:
        unknown = [option for option in self.reasons if option not in self.options]
        if unknown:
            raise ValueError(f"reasons must be of {list(self.options)!r}, got {unknown[0]!r}")
        if not self.options:
            finite("answer", float(self.answer))
            positive("tolerance", self.tolerance)
            for value, _ in self.accept:
                finite("accept", value)
            for value, _ in self.mistakes:
                finite("mistakes", value)
            if clash := self.clash:
                raise ClashError(f"mistakes must be wrong, got {clash} for {self.answer}")
        elif self.answer not in self.options:
            raise ValueError(f"answer must be one of {list(self.options)!r}, got {self.answer!r}")

    @property
    def clash(self) -> float | None:
        """A declared mistake that would count as right, if there is one."""
        right = [float(self.answer), *(value for value, _ in self.accept)]
        wrong = (value for value, _ in self.mistakes)
        return next((v for v in wrong if any(near(v, r, self.tolerance) for r in right)), None)

    @property
    def shown(self) -> str:
        """The answer as the reader sees it."""
        return str(self.answer) if self.options else self.with_unit(float(self.answer))

    def with_unit(self, value: float) -> str:
        """Return a number as the reader sees it."""
        return f"{number(float(value))} {self.unit}".strip()


@dataclass(frozen=True)
class Template:
    """A question for any values of its parameters: texts with fields, models for its numbers."""

    text: str
    answer: Answer
    """A number, or which option is right: a model of the parameters, or the option's template."""
    options: Sequence[str]
    why: str
    unit: str
    tolerance: float
    accept: Told
    reasons: Mapping[str, str]
    mistakes: Told
    taught: str = ""

    def question(self, variants: Variants | None) -> Question:
        """Return the question that is asked first, with its new numbers if it has any."""
        if variants is None:
            return self._at({}, lambda template, _: template)
        first, *others = drawn(variants, self.text)
        asked = self._at(first)
        return replace(asked, fresh=self._packed(asked, others))

    def _at(self, values: Values, fill: Callable[[str, Values], str] = filled) -> Question:
        answer = called(self.answer, values)
        return Question(
            fill(self.text, values),
            fill(answer, values) if isinstance(answer, str) else answer,
            [fill(option, values) for option in self.options],
            fill(self.why, values),
            self.unit,
            self.tolerance,
            [(float(called(v, values)), fill(said, values)) for v, said in self.accept],
            {fill(option, values): fill(said, values) for option, said in self.reasons.items()},
            [(float(called(v, values)), fill(said, values)) for v, said in self.mistakes],
            self.taught,
        )

    def _packed(self, asked: Question, others: Sequence[Values]) -> dict[str, object]:
        """Return eight sets of new numbers; one in which a mistake would be right is left out."""
        texts, sets, questions = {asked.text}, [], []
        for values in others:
            try:
                new = self._at(values)
            except ClashError:
                continue
            if new.text not in texts and len(set(new.options)) == len(new.options):
                texts.add(new.text)
                sets.append(values)
                questions.append(new)
            if len(questions) == COUNT:
                break
        if len(questions) < COUNT:
            raise ValueError(
                f"variants must make {COUNT} different questions besides the first, got "
                f"{len(questions)}"
            )
        marked = Marked()
        packed: dict[str, Any] = {
            "question": marked.text(self.text),
            "why": marked.text(self.why),
            "shown": [new.shown for new in questions],
        }
        if self.options:
            packed["options"] = [marked.text(option) for option in self.options]
            packed["reasons"] = [
                marked.text(self.reasons.get(option, "")) for option in self.options
            ]
            packed["answers"] = [list(new.options).index(str(new.answer)) for new in questions]
        else:
            packed["answers"] = [rounded(float(new.answer)) for new in questions]
            for name in ("accept", "mistakes"):
                if told := getattr(self, name):
                    packed[name] = [marked.text(said) for _, said in told]
                    packed[f"{name}_at"] = [
                        [rounded(value) for value, _ in getattr(new, name)] for new in questions
                    ]
        return {**packed, "given": [marked.given(values) for values in sets]}


def element(key: str, question: Question, kind: str, lead: str) -> str:
    """Return the HTML of a prompt, whose entry the script makes from the data: none stands dead.

    Parameters
    ----------
    key : str
        A stable name, unique in the book: lower-case letters, digits and hyphens.
    question : Question
        What is asked.
    kind : {'predict', 'quiz'}
        Under which of the two an answer is kept; it chooses the words, too.
    lead : str
        What stands in front of the question, in bold.
    """
    noun, skip = {
        "predict": ("prediction", "Show without predicting"),
        "quiz": ("answer", "Show the answer"),
    }[kind]
    entry = _choice(key, question) if question.options else _number(key, question, f"Your {noun}")
    buttons = (
        f'<button type="submit">Commit</button>'
        f'<button type="button" class="live-skip">{skip}</button>'
    )
    data = {**_data(key, question, kind), "form": entry + buttons}
    return (
        f'<section class="live live-predict" id="prompt-{checked_key(key)}" data-live="predict"'
        f' aria-label="{escape(lead)}">'
        f'<p class="live-question"><strong>{escape(lead)}.</strong> {escape(question.text)}</p>'
        f'<form></form><p class="live-score" role="status">{ASLEEP}</p>{_folded(question)}'
        f'<script type="application/json">{packed(data)}</script></section>'
    )


def checked_key(key: str) -> str:
    """Return `key` if it can name an element of a page."""
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", key):
        raise ValueError(f"key must be lower-case letters, digits and hyphens, got {key!r}")
    return key


def _number(key: str, question: Question, label: str) -> str:
    unit = f" ({escape(question.unit)})" if question.unit else ""
    return (
        f'<label for="predict-{key}">{label}{unit}</label>'
        f'<input id="predict-{key}" type="text" inputmode="decimal" autocomplete="off">'
    )


def _choice(key: str, question: Question) -> str:
    rows = "".join(
        f'<label><input type="radio" name="predict-{key}" value="{escape(option)}">'
        f"{escape(option)}</label>"
        for option in question.options
    )
    return f'<fieldset><legend class="live-hidden">Your choice</legend>{rows}</fieldset>'


def _folded(question: Question) -> str:
    also = "".join(
        f" Also right: {escape(question.with_unit(value))}. {escape(reading)}"
        for value, reading in question.accept
    )
    return (
        f"<details><summary>The computed answer</summary>"
        f"<p><strong>{escape(question.shown)}</strong>. {escape(question.why)}{also}</p></details>"
    )


def _data(key: str, question: Question, kind: str) -> dict[str, object]:
    """Return what the script scores and keeps."""
    data: dict[str, object] = {"key": key, "kind": kind, "question": question.text}
    more = {"taught": question.taught, "fresh": question.fresh}
    data |= {name: value for name, value in more.items() if value}
    if question.options:
        against = {o: why for o, why in question.reasons.items() if o != question.answer}
        told = {"reasons": against} if against else {}
        return {**data, "shown": question.shown, "answer": question.answer, **told}
    wrong = [[float(value), said] for value, said in question.mistakes]
    return {
        **data,
        "unit": question.unit,
        "shown": question.shown,
        "answer": float(question.answer),
        "tolerance": question.tolerance,
        "accept": [[float(value), reading] for value, reading in question.accept],
        **({"mistakes": wrong} if wrong else {}),
    }
