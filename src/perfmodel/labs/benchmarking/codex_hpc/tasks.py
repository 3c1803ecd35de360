"""The reader's tasks: grade a list of suggestions, and follow a wrong coefficient."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from perfmodel.answers.mistakes import mistakes
from perfmodel.tasks import Task


def _rank(correct: NDArray[np.bool_], requested: NDArray[np.bool_]) -> int:
    if not correct.any():
        return 0
    if not requested.all():
        return 1
    if not correct.all():
        return 2
    return 4 if len(correct) == 1 else 3


_SIX = np.array([True] * 6 + [False] * 2 + [True] * 2)
_OURS = np.array([True] * 8 + [False] * 2)
_ALL, _NO = np.ones(3, dtype=bool), np.zeros(3, dtype=bool)
_ONE = np.ones(1, dtype=bool)

rank = Task(
    "The grade of a list of suggestions, from 0 (none) to 4 (expert)",
    reference=_rank,
    cases=[
        (_SIX, _OURS),
        (_ALL, _ALL),
        (_NO, _NO),
        (_ONE, _ONE),
        (np.array([True, False, False]), _ALL),
        (_ALL, np.array([True, True, False])),
        (_ALL, _NO),
    ],
    mistakes=mistakes(
        lambda correct, requested: (
            2 if correct.any() and not correct.all() else _rank(correct, requested)
        ),
        "wrong before mixed: You checked for wrong suggestions first. The rule on other models "
        "comes before.",
        lambda correct, requested: _rank(correct, requested) if (correct & requested).any() else 0,
        "right in the right model: You counted only correct suggestions in the requested model. "
        "Rule 1 asks for any correct suggestion.",
        lambda correct, requested: min(_rank(correct, requested), 3),
        "no expert: You left out rule 3. A single suggestion that is correct gets grade 4.",
        lambda correct, requested: 1 if not requested.all() else _rank(correct, requested),
        "models before answers: You applied rule 2 before rule 1. If no suggestion is correct, the "
        "grade is 0.",
        lambda correct, requested: _rank(correct, np.ones_like(correct)),
        "models ignored: You ignored `requested`. A suggestion in another model makes the grade 1, "
        "by rule 2.",
    ),
    hint="Write the five rules in their order, and return from the first that fits. You need "
    "`correct.any()`, `correct.all()`, `requested.all()` and `len(correct)`.",
    right="A rubric is a program. As a program it can be tested, and two graders read it in the "
    "same way.",
)

centre = Task(
    "A constant field under a wrong coefficient",
    reference=lambda coefficient, sweeps: (6 * coefficient) ** sweeps,
    cases=[(1 / 8, 3), (1 / 7, 2), (1 / 6, 5)],
    mistakes=mistakes(
        lambda coefficient, sweeps: coefficient**sweeps,
        "one neighbour: You used one neighbour. A point becomes the coefficient times the sum of "
        "six neighbours.",
        lambda coefficient, sweeps: 6 * coefficient * sweeps,
        "sweeps multiplied: You multiplied by the number of sweeps. Each sweep multiplies the "
        "result of the sweep before.",
        lambda coefficient, sweeps: 6 * coefficient,
        "one sweep: You computed the value after one sweep. The next sweep starts from it.",
        lambda coefficient, sweeps: 1 - sweeps * (1 - 6 * coefficient),
        "sweeps added: You subtracted the same loss in each sweep. Each sweep loses a fraction of "
        "the current value.",
    ),
    hint="What is the sum of six neighbours before the first sweep, and what before the second?",
    right="With 1/8, three sweeps reduce a field of 1 to 0.421875. A test on any constant field "
    "shows this at once, and needs no expected answer.",
)
