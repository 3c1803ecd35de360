"""Classes that never were, drawn from a model whose truth is known.

They show what the analysis says and test that its intervals cover. A student's logarithm of
prediction over truth is normal about 0. Its scale is the product of the student's, the prompt's
and, after the chapter, what the student learnt. Every id, page and file of such a class begins with
`SIMULATED`.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtr, roots_hermitenorm

from perfcourse.study.exports import PHASES, Answer
from perfcourse.study.scores import CAP
from perfmodel.validation import one_number, whole, within

MARK = "SIMULATED"
TOLERANCE = 0.1
SPREAD = 0.4
"""Standard deviation of the logarithm of students' scales."""
LEARNING = 0.3
"""Standard deviation of the logarithm of what students keep of their scale."""
FORMS = ("form-a", "form-b")
SCALES = ((0.5, 0.8, 1.1, 0.9, 0.7, 1.0), (0.7, 1.2, 1.4, 1.1, 0.8, 1.3))
"""A prompt's scale in each form: the second form is the harder."""


@dataclass(frozen=True)
class Course:
    """What happens to a simulated class."""

    students: int = 40
    """In each group, 4 or more."""
    effect: float = 0.3
    """Share by which the chapter shrinks a student's scale, on average: 0 to 0.9."""
    other: float = 0.0
    """The same in the comparison group, which reads something else."""
    comparison: bool = False
    """Whether there is a comparison group."""
    dropout: float = 0.1
    """Chance that a student hands in nothing after the chapter, whoever it is: 0 to 0.5."""
    unanswered: float = 0.05
    """Chance that one prompt is left out: 0 to 0.5."""
    seed: int = 0

    def __post_init__(self) -> None:
        whole("students", self.students, 4)
        whole("seed", self.seed)
        for name, high in (("effect", 0.9), ("other", 0.9), ("dropout", 0.5), ("unanswered", 0.5)):
            one_number(name, within(name, getattr(self, name), 0, high))


def course(words: Sequence[str]) -> Course:
    """Return the course that `students=40 effect=0.3 seed=1` describes.

    >>> course(["students=12", "comparison=1"]).comparison
    True
    """
    known = {name: type(value) for name, value in dataclasses.asdict(Course()).items()}
    given: dict[str, Any] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or name not in known:
            raise ValueError(f"a setting must be NAME=NUMBER with {', '.join(known)}, got {word!r}")
        try:
            number = float(value)
        except ValueError as error:
            raise ValueError(f"{name} must be a number, got {value!r}") from error
        if known[name] is bool and number not in (0, 1):
            raise ValueError(f"{name} must be 0 or 1, got {value!r}")
        exact = known[name] is not float and number.is_integer()
        given[name] = known[name](number) if exact else number
    return Course(**given)


def simulated(course: Course) -> dict[str, list[Answer]]:
    """Return the answers of a simulated class, by group; students take the forms in turns."""
    random = np.random.default_rng(course.seed)
    effects = {f"{MARK} class": course.effect}
    if course.comparison:
        effects[f"{MARK} comparison"] = course.other
    return {
        group: [
            answer
            for number in range(course.students)
            for answer in _student(f"{group} {number + 1:03}", number % 2, effect, course, random)
        ]
        for group, effect in effects.items()
    }


def _student(
    name: str, order: int, effect: float, course: Course, random: np.random.Generator
) -> list[Answer]:
    scale = math.exp(SPREAD * random.standard_normal() - SPREAD**2 / 2)
    kept = (1 - effect) * math.exp(LEARNING * random.standard_normal() - LEARNING**2 / 2)
    absent = random.random() < course.dropout
    answers = []
    for phase, form, share in zip(PHASES, (order, 1 - order), (1.0, kept), strict=True):
        errors = scale * share * np.array(SCALES[form]) * random.standard_normal(len(SCALES[form]))
        there = random.random(errors.size) >= course.unanswered
        sure = np.round(random.uniform(0.2, 0.9, errors.size), 1)
        if phase == "before" or not absent:
            answers += [
                _answer(name, phase, form, prompt, float(errors[prompt]), float(sure[prompt]))
                for prompt in np.flatnonzero(there).tolist()
            ]
    return answers


def _answer(
    student: str, phase: str, form: int, prompt: int, error: float, confidence: float
) -> Answer:
    truth = 10.0 * (prompt + 1)
    prediction = truth * math.exp(error)
    return Answer(
        student,
        phase,
        f"{MARK}/{FORMS[form]}",
        f"{MARK.lower()}-{FORMS[form]}-{prompt + 1}",
        f"{MARK} question {prompt + 1}",
        "s",
        prediction,
        truth,
        abs(prediction - truth) <= TOLERANCE * truth,
        confidence,
        f"{MARK} {phase}",
    )


def true_fall(effect: float, cap: float = CAP) -> float:
    """Return the mean fall of the log error of all students that a course could have.

    It is integrated over students' scales, and averaged over both orders of the forms. Without an
    effect it is 0 but for the cap, which cuts more where scales differ more.

    >>> print(round(true_fall(0.0), 3), round(true_fall(0.3), 3))
    0.004 0.227
    """
    low = _mean_error(1.0, SPREAD, cap)
    return low - _mean_error(1 - effect, math.hypot(SPREAD, LEARNING), cap)


def _mean_error(share: float, spread: float, cap: float) -> float:
    """Return the mean of min(|error|, ln cap) over students and the prompts of both forms."""
    nodes, weights = roots_hermitenorm(60)
    scales = share * np.exp(spread * nodes - spread**2 / 2)
    sigma = np.multiply.outer(scales, np.concatenate(SCALES))
    most = math.log(cap)
    inside = sigma * math.sqrt(2 / math.pi) * -np.expm1(-((most / sigma) ** 2) / 2)
    capped = inside + 2 * most * ndtr(-most / sigma)
    return float(weights @ capped.mean(axis=1) / weights.sum())
