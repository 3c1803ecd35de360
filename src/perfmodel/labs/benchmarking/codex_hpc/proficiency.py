"""A rubric of five grades for a list of suggested programs, and what chance makes of it.

In the manner of W. F. Godoy and others, "Evaluation of OpenAI Codex for HPC parallel programming
models kernel generation", ICPP Workshops 2023, who grade the first ten suggestions to a prompt. The
exact wording of their levels isn't available: names and rules are this lab's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from perfmodel.benchmarking.rubrics import Rubric, Rule
from perfmodel.validation import whole, within

Model = Literal["requested", "other", "none"]


class Suggestion(NamedTuple):
    """One suggested program."""

    correct: bool
    model: Model = "requested"
    """Whether it uses the programming model that was asked for, another one, or none."""


def _single(suggestions: Sequence[Suggestion]) -> bool:
    return len(suggestions) == 1 and suggestions[0].correct


def _none_correct(suggestions: Sequence[Suggestion]) -> bool:
    return not any(suggestion.correct for suggestion in suggestions)


def _mixed(suggestions: Sequence[Suggestion]) -> bool:
    return any(suggestion.model == "other" for suggestion in suggestions)


def _all_correct(suggestions: Sequence[Suggestion]) -> bool:
    return all(suggestion.correct for suggestion in suggestions)


PROFICIENCY: Rubric[Sequence[Suggestion]] = Rubric(
    ("none", "novice", "learner", "proficient", "expert"),
    (
        Rule("none", _none_correct),
        Rule("novice", _mixed),
        Rule("expert", _single),
        Rule("proficient", _all_correct),
    ),
    otherwise="learner",
)
"""From no correct suggestion to a single one that is correct. The order of the rules matters."""


def grade_probabilities(correct_rate: float, suggestions: int) -> dict[str, float]:
    """Return the probability of each grade for independent suggestions in the model asked for.

    >>> chances = grade_probabilities(0.95, 10)
    >>> round(chances["proficient"], 4), round(chances["learner"], 4)
    (0.5987, 0.4013)
    """
    rate = float(within("correct_rate", correct_rate, 0, 1))
    count = whole("suggestions", suggestions, 2)
    none, full = (1 - rate) ** count, rate**count
    probabilities = dict.fromkeys(PROFICIENCY.grades, 0.0)
    return probabilities | {"none": none, "proficient": full, "learner": 1 - none - full}
