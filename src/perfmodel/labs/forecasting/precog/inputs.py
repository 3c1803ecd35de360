"""A grammar of evaluations: what each word adds to the difficulty, all of it made up for this lab.

Nothing here is a paper's: descriptions and scores are drawn, so that the truth is known.
"""

from __future__ import annotations

from dataclasses import dataclass

NOISE = 8.0
"""Standard deviation of a score around what its description says, points."""
EASE = 1.2
"""What the sum of the difficulties is taken from before it goes through the logistic curve."""
EARLIER, LATER = 500, 200
"""Records of the first two years, and of the months after them."""
CUT = 24
"""The first month of the later records, counted from 0."""
NEW_SHARE = 0.6
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
