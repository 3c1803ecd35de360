"""What the reader does: a chip that the paper leaves out, and the chip that can do least harm."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.scaling import asymmetric_speedup, best_asymmetric, dynamic_speedup
from perfmodel.tasks import Mistake, Task
from perfmodel.validation import Floats, within


def speedup_lost(serial: ArrayLike, sizes: ArrayLike, budget: float = 256) -> Floats:
    """Return the share of speedup that an asymmetric chip loses against the program's best one.

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
            "That is equation (2), in which the big core works along. Here it rests.",
        ),
        Mistake(
            "dynamic chip",
            dynamic_speedup,
            "That gives the parallel code all n areas. The big core's r are not at hand for it.",
        ),
        Mistake(
            "speed is area",
            lambda f, n, r: 1 / ((1 - f) / r + f / (n - r)),
            "Your big core is r times as fast. A core of r areas is only sqrt(r) times as fast.",
        ),
        Mistake(
            "time",
            lambda f, n, r: (1 - f) / np.sqrt(r) + f / (n - r),
            "That is the time, in units of one base core's. The speedup is one over it.",
        ),
    ],
    hint="Equation (2) has two terms; only the speed of the parallel one changes.",
    right="Chips that can't feed or cool all their cores at once work like this. A big core that "
    "rests is area that is lost to parallel code.",
)

safest_core = Task(
    "The core size whose worst loss is least",
    reference=safest,
    cases=[(np.array([0.06, 0.10, 0.15]),), (np.array([0.005, 0.02, 0.1]),)],
    mistakes=[
        Mistake(
            "middle estimate",
            lambda serial: best_asymmetric(1 - serial[1], 256).core_size,
            "That is the best size for the middle fraction. It may lose much at the ends.",
        ),
        Mistake(
            "mean loss",
            lambda serial: SIZES[speedup_lost(serial, SIZES).mean(axis=0).argmin()],
            "That size loses least on average. Asked for is the one whose largest loss is least.",
        ),
        Mistake(
            "position",
            lambda serial: speedup_lost(serial, SIZES).max(axis=0).argmin(),
            "That is a position in the array of sizes, which starts at 0. Look up the size there.",
        ),
        Mistake(
            "largest loss",
            lambda serial: SIZES[speedup_lost(serial, SIZES).max(axis=0).argmax()],
            "That size has the largest loss of all. Look for the least of the worst ones.",
        ),
        Mistake(
            "wrong axis",
            lambda serial: SIZES[speedup_lost(serial, SIZES).max(axis=1).argmin()],
            "You took the worst over the sizes. A column is a chip, a row a program: take the "
            "worst of each column.",
        ),
    ],
    hint="`loss.max(axis=0)` is the worst loss of each size; `argmin` says at which position the "
    "least of them stands.",
    right="This is how one decides without knowing the odds: by the regret of the worst case. For "
    "the first three fractions no program loses more than 1.3 %.",
    unit="BCE",
)
