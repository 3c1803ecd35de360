"""Tasks: a chip that isn't in the paper, and the chip with the smallest worst loss."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.scaling import asymmetric_speedup, best_asymmetric, dynamic_speedup
from perfmodel.tasks import Mistake, Task
from perfmodel.validation import Floats, within


def speedup_lost(serial: ArrayLike, sizes: ArrayLike, budget: float = 256) -> Floats:
    """Return the fraction of speedup that an asymmetric chip loses compared with the best chip.

    The shape is (programs, chips), for `serial` fractions and `sizes` of the big core in base-core
    equivalents.

    >>> speedup_lost([0.1], [1, 118, 256]).round(2)
    array([[0.85, 0.  , 0.76]])
    """
    parallel = 1 - within("serial", serial, 0, 1)
    speedups = asymmetric_speedup(parallel[:, None], budget, np.asarray(sizes))
    best = best_asymmetric(parallel, budget, integer=False).speedup
    return np.asarray(1 - speedups / best[:, None])


SIZES = np.arange(1, 257)


def safest(serial: Floats) -> int:
    """Return a whole core size (BCE) for an array of serial fractions."""
    sizes = np.arange(1, 257)
    loss = speedup_lost(serial, sizes)
    return int(sizes[loss.max(axis=0).argmin()])


resting_core = Task(
    "A chip whose big core rests while the small ones work",
    reference=lambda f, n, r: 1 / ((1 - f) / np.sqrt(r) + f / (n - r)),
    cases=[(0.975, 256, 64), (0.9, 64, 16), (0.5, 16, 4)],
    mistakes=[
        Mistake(
            "asymmetric chip",
            asymmetric_speedup,
            "You used equation (2), in which the big core runs parallel code too. Here it rests.",
        ),
        Mistake(
            "dynamic chip",
            dynamic_speedup,
            "You gave the parallel code all n areas. It can't use the r areas of the big core.",
        ),
        Mistake(
            "speed is area",
            lambda f, n, r: 1 / ((1 - f) / r + f / (n - r)),
            "Your big core is r times as fast. A core of r areas is only sqrt(r) times as fast.",
        ),
        Mistake(
            "time",
            lambda f, n, r: (1 - f) / np.sqrt(r) + f / (n - r),
            "You computed the time, in units of the time on one base core. The speedup is the "
            "reciprocal.",
        ),
    ],
    hint="Equation (2) has two terms. Only the speed in the parallel term changes.",
    right="Chips that can't feed or cool all their cores at once work like this. Parallel code "
    "can't use the area of a big core that rests.",
)

safest_core = Task(
    "The core size with the smallest worst loss",
    reference=safest,
    cases=[(np.array([0.06, 0.10, 0.15]),), (np.array([0.005, 0.02, 0.1]),)],
    mistakes=[
        Mistake(
            "middle estimate",
            lambda serial: best_asymmetric(1 - serial[1], 256).core_size,
            "You chose the best size for the middle fraction. It may lose much at the ends.",
        ),
        Mistake(
            "mean loss",
            lambda serial: SIZES[speedup_lost(serial, SIZES).mean(axis=0).argmin()],
            "Your size has the smallest mean loss. The task asks for the smallest worst loss.",
        ),
        Mistake(
            "position",
            lambda serial: speedup_lost(serial, SIZES).max(axis=0).argmin(),
            "You returned an index into the array of sizes, which starts at 0. Look up the size.",
        ),
        Mistake(
            "largest loss",
            lambda serial: SIZES[speedup_lost(serial, SIZES).max(axis=0).argmax()],
            "Your size has the largest loss of all. Look for the smallest of the worst losses.",
        ),
        Mistake(
            "wrong axis",
            lambda serial: SIZES[speedup_lost(serial, SIZES).max(axis=1).argmin()],
            "You took the worst loss of each row. A row is a program and a column is a chip. Take "
            "the worst loss of each column.",
        ),
    ],
    hint="`loss.max(axis=0)` is the worst loss of each size. `argmin` returns the index of the "
    "smallest.",
    right="Use this rule, minimax regret, if you don't know the probabilities. For the first three "
    "fractions no program loses more than 1.3 %.",
    unit="BCE",
)
