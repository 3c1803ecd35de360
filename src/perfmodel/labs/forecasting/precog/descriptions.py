"""Descriptions of evaluations drawn from a grammar, their scores, and what redaction leaves.

A description says what is asked, of which material, in how many steps, in which language and how
the model is prompted. The score is chance plus a share of what is left to 100, and noise.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from perfmodel.validation import Floats, whole, within

NOISE = 8.0
"""Standard deviation of a score around what its description says, points."""
EASE = 1.2
"""What the sum of the difficulties is taken from before it goes through the logistic curve."""
EARLIER, LATER = 500, 200
"""Records of the first two years, and of the months after them."""
CUT = 24
"""The first month of the later records, counted from 0."""
NEW_FRACTION = 0.6
"""Share of the later records whose kind of task nobody had described before."""


@dataclass(frozen=True)
class Term:
    """Something a description can say, and how much harder it makes the task."""

    phrases: tuple[str, ...]
    """Ways to say it; one is drawn. The first is its name."""
    difficulty: float
    """In units of the logistic curve; below 0 makes it easier."""
    answers: int = 0
    """Answers to choose from, 2 to 10; 0 where the answer is open."""


@dataclass(frozen=True)
class Grammar:
    """What descriptions are made of: one term of each list."""

    kinds: tuple[Term, ...]
    new_kinds: tuple[Term, ...]
    """Kinds of task that are described only in later months."""
    domains: tuple[Term, ...]
    steps: tuple[Term, ...]
    languages: tuple[Term, ...]
    setups: tuple[Term, ...]


GRAMMAR = Grammar(
    kinds=(
        Term(("sentiment classification", "telling praise from blame"), -1.5, 2),
        Term(("natural language inference", "deciding whether a sentence follows"), -0.5, 3),
        Term(("multiple choice science", "science questions from exams"), 0.0, 4),
        Term(("topic labelling", "sorting articles by topic"), -0.8, 10),
        Term(("math word problems", "school arithmetic told as stories"), 1.0),
        Term(("code generation", "writing short programs"), 0.8),
        Term(("extractive question answering", "finding the answer in a passage"), -0.6),
        Term(("competition mathematics", "problems of mathematical olympiads"), 2.0),
    ),
    new_kinds=(
        Term(("web navigation", "booking and buying on live sites"), 2.2),
        Term(("chart understanding", "reading values off plots"), 0.9),
        Term(("laboratory planning", "ordering the steps of an experiment"), 1.4),
    ),
    domains=(
        Term(("news", "newspaper reports"), -0.3),
        Term(("biomedical papers", "clinical notes"), 0.5),
        Term(("legal contracts", "court rulings"), 0.7),
        Term(("social media", "short posts of users"), 0.1),
        Term(("general knowledge", "everyday subjects"), 0.0),
        Term(("finance", "company filings"), 0.3),
    ),
    steps=(
        Term(("a single step", "one inference"), -0.4),
        Term(("a pair of steps", "combining facts twice"), 0.5),
        Term(("a long chain of steps", "many inferences in a row"), 1.2),
    ),
    languages=(
        Term(("English", "English only"), 0.0),
        Term(("a low-resource language", "a language with little text"), 1.0),
        Term(("many languages", "a multilingual collection"), 0.5),
    ),
    setups=(
        Term(("zero shot", "without examples"), 0.4),
        Term(("few shot", "with some solved examples"), 0.0),
        Term(("with chain of thought", "asking for the reasoning first"), -0.5),
    ),
)
"""Eight kinds that are known, three that come later, and what else a description says."""


MASKS: Mapping[str, str] = MappingProxyType(
    {"nothing": r"(?!)", "per cent": r"\d+ %", "all digits": r"\d+(\.\d+)?( %)?"}
)
"""Which numbers are masked, as regular expressions."""
_COUNTS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NAMES = ("Lumi", "Tarn", "Vela", "Orbi", "Kest", "Miro", "Sola", "Penn", "Arda", "Quil")
_RESULTS = ("{:.0f} %", "{:.0f} points", "{:.2f} of 1")


@dataclass(frozen=True, eq=False)
class Records:
    """Evaluations that were described and run; all of shape (n,)."""

    texts: tuple[str, ...]
    """As published: names and results are in them."""
    scores: Floats
    """0 to 100."""
    expected: Floats
    """The score that follows from the description, without noise."""
    months: NDArray[np.int64]
    new: NDArray[np.bool_]
    """Whether the kind of task appears only in later months."""

    def redacted(self, mask: str = "all digits") -> list[str]:
        """Return the texts without the benchmark's name and the numbers of a mask."""
        return [redacted(text, mask) for text in self.texts]


def expected_score(terms: list[Term]) -> float:
    """Return the score that the terms of a description lead to, 0 to 100, the first its kind.

    >>> expected_score([Term(("coin",), 1.2, 2)])
    75.0
    """
    probability = 100 / terms[0].answers if terms[0].answers else 0.0
    fraction = float(expit(EASE - sum(term.difficulty for term in terms)))
    return probability + (100 - probability) * fraction


def draw_records(
    seed: int, grammar: Grammar = GRAMMAR, earlier: int = EARLIER, later: int = LATER
) -> Records:
    """Draw records of two years and of the ten months after, in the order of their months.

    Of the later ones 60 % are of new kinds.

    >>> records = draw_records(0)
    >>> len(records.texts), bool(records.new[:500].any()), int(records.months.max())
    (700, False, 33)
    """
    rng = np.random.default_rng(whole("seed", seed))
    count = whole("earlier", earlier, 1), whole("later", later, 1)
    months = np.concatenate(
        [np.sort(rng.integers(0, CUT, count[0])), np.sort(rng.integers(CUT, CUT + 10, count[1]))]
    )
    new = (months >= CUT) & (rng.random(len(months)) < NEW_FRACTION)
    texts, expected = [], np.empty(len(months))
    scores = np.empty(len(months))
    for index in range(len(months)):
        terms = _drawn(grammar, bool(new[index]), rng)
        expected[index] = expected_score(terms)
        scores[index] = np.clip(expected[index] + rng.normal(0, NOISE), 0, 100)
        texts.append(_described(terms, scores[index], rng))
    return Records(tuple(texts), scores, expected, months, new)


def redacted(text: str, mask: str = "all digits") -> str:
    """Return a description without the benchmark's name and the numbers of a mask of `MASKS`.

    >>> redacted("On LumiBench it reaches 63 %.")
    'On BENCHMARK it reaches NUMBER.'
    >>> redacted("On LumiBench it reaches 0.63 of 1.", "per cent")
    'On BENCHMARK it reaches 0.63 of 1.'
    """
    return re.sub(MASKS[mask], "NUMBER", re.sub(r"\b[A-Z][a-z]+Bench\b", "BENCHMARK", text))


def read_result(text: str) -> float | None:
    """Return the score that a description still prints, 0 to 100, or None.

    >>> read_result("It reaches 63 %."), read_result("It reaches 0.63 of 1."), read_result("No.")
    (63.0, 63.0, None)
    """
    result = re.search(r"(\d+(?:\.\d+)?)( of 1)?", text)
    if result is None:
        return None
    return float(result[1]) * (100 if result[2] else 1)


def chance_level(text: str) -> float:
    """Return what guessing scores, 0 to 100, by the number of answers a description names.

    >>> chance_level("The answer is one of four."), chance_level("The answer is free text.")
    (25.0, 0.0)
    """
    result = re.search(rf"one of ({'|'.join(_COUNTS)})\b", text)
    return 100 / (2 + _COUNTS.index(result[1])) if result else 0.0


def _drawn(grammar: Grammar, new: bool, rng: np.random.Generator) -> list[Term]:
    kinds = grammar.new_kinds if new else grammar.kinds
    lists = (kinds, grammar.domains, grammar.steps, grammar.languages, grammar.setups)
    return [terms[rng.integers(len(terms))] for terms in lists]


def _described(terms: list[Term], score: float, rng: np.random.Generator) -> str:
    kind, domain, steps, language, setup = (
        term.phrases[rng.integers(len(term.phrases))] for term in terms
    )
    name = _NAMES[rng.integers(len(_NAMES))] + "Bench"
    form = int(rng.choice(3, p=[0.6, 0.25, 0.15]))
    result = _RESULTS[form].format(score / 100 if form == 2 else score)
    count = int(within("answers", terms[0].answers, 0, 10))
    answer = f"one of {_COUNTS[count - 2]}" if count else "free text"
    measure = "accuracy" if count else "exact match"
    if rng.random() < 0.5:
        return (
            f"We test {kind} on {domain}. An item takes {steps}. The text is in {language}, the "
            f"answer is {answer}. The model is prompted {setup}. Measured by {measure}, it reaches "
            f"{result} on {name}."
        )
    return (
        f"{name} asks for {kind}, collected from {domain}. Its items need {steps} and are in "
        f"{language}; the answer is {answer}. Run {setup}, the model has {result} by {measure}."
    )
