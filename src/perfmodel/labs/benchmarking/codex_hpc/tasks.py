"""What the reader does: grade a list of suggestions, and follow a wrong coefficient."""

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
        "wrong before mixed: Six right, two wrong and two in another model: you looked at the "
        "wrong ones first. The rule on other models stands before it.",
        lambda correct, requested: _rank(correct, requested) if (correct & requested).any() else 0,
        "right in the right model: Rule 1 asks whether any suggestion is correct, in whichever "
        "model.",
        lambda correct, requested: min(_rank(correct, requested), 3),
        "no expert: A single suggestion that is correct is an expert's.",
        lambda correct, requested: 1 if not requested.all() else _rank(correct, requested),
        "models before answers: Where nothing is correct the grade is 0, whatever model was used.",
        lambda correct, requested: _rank(correct, np.ones_like(correct)),
        "models ignored: `requested` says which suggestions use the model asked for. One that "
        "doesn't caps the grade.",
    ),
    hint="Five rules in the order of the list; return from the first that fits. `correct.any()`, "
    "`correct.all()`, `requested.all()` and `len(correct)` are enough.",
    right="A rubric is a program. Written as one it can be tested, and two graders can't read it "
    "in two ways.",
)

centre = Task(
    "A constant field under a wrong coefficient",
    reference=lambda coefficient, sweeps: (6 * coefficient) ** sweeps,
    cases=[(1 / 8, 3), (1 / 7, 2), (1 / 6, 5)],
    mistakes=mistakes(
        lambda coefficient, sweeps: coefficient**sweeps,
        "one neighbour: A point becomes the coefficient times the sum of six neighbours, each of "
        "them 1.",
        lambda coefficient, sweeps: 6 * coefficient * sweeps,
        "sweeps multiplied: Each sweep starts from what the one before left, so that its factor "
        "comes again.",
        lambda coefficient, sweeps: 6 * coefficient,
        "one sweep: That is the value after one sweep. The next one starts from it.",
        lambda coefficient, sweeps: 1 - sweeps * (1 - 6 * coefficient),
        "sweeps added: You took the same loss away in each sweep. Each loses a share of what is "
        "left.",
    ),
    hint="What is the sum of six neighbours before the first sweep, and what before the second?",
    right="With 1/8 three sweeps leave 0.421875 of a field that should stay 1. A test on any "
    "constant field sees it at once, and needs no right answer to compare with.",
)
