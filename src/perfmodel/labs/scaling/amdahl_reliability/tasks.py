"""Tasks: compute a lifetime, the number of big cores, and the failures of cores that rotate."""

from __future__ import annotations

from math import ceil, floor, sqrt

from perfmodel.tasks import Mistake, Task

time_to_failure = Task(
    "From failures per unit of work to a lifetime",
    reference=lambda failures, speedup: 1 / (failures * speedup),
    cases=[(1.05, 15.135), (0.8, 1.9), (2.0, 40.0)],
    mistakes=[
        Mistake(
            "work",
            lambda failures, speedup: 1 / failures,
            "You computed the mean work before a failure. How long does the chip take for it?",
        ),
        Mistake(
            "multiplied by the speedup",
            lambda failures, speedup: speedup / failures,
            "You made the life of a faster chip longer. But it finishes this work earlier.",
        ),
        Mistake(
            "rate",
            lambda failures, speedup: failures * speedup,
            "You computed the failures per unit of time. The lifetime is the reciprocal.",
        ),
    ],
    hint="1 / failures is the mean work before a failure. Divide it by the work that the chip does "
    "in a unit of time.",
    right="Two chips that fail after the same work have different lifetimes. The faster chip wears "
    "out earlier, after the same work.",
    unit="times of a unit of work on one small core",
)

enough_big_cores = Task(
    "Big cores needed for a given fraction of the failures",
    reference=lambda f, r, big_rate, small_rate, share: ceil(
        (1 - f) / sqrt(r) * big_rate * (1 - share) / (share * f * small_rate)
    ),
    cases=[
        (0.9, 4, 6, 1, 0.1),
        (0.5, 4, 6, 1, 0.25),
        (0.7, 16, 24, 1, 0.3),
        (0.8, 9, 13, 1, 0.2),
        (0.6, 4, 7, 2, 0.2),
    ],
    mistakes=[
        Mistake(
            "share of the small cores' failures",
            lambda f, r, big_rate, small_rate, share: ceil(
                (1 - f) / sqrt(r) * big_rate / (share * f * small_rate)
            ),
            "You compared with the failures of the small cores. `share` is a fraction of all "
            "failures, which include the failures of big cores.",
        ),
        Mistake(
            "rounded down",
            lambda f, r, big_rate, small_rate, share: floor(
                (1 - f) / sqrt(r) * big_rate * (1 - share) / (share * f * small_rate)
            ),
            "The fraction is still too large with this number. Round up.",
        ),
        Mistake(
            "not rounded",
            lambda f, r, big_rate, small_rate, share: (
                (1 - f) / sqrt(r) * big_rate * (1 - share) / (share * f * small_rate)
            ),
            "The number of big cores must be whole. Round up.",
        ),
        Mistake(
            "speed forgotten",
            lambda f, r, big_rate, small_rate, share: ceil(
                (1 - f) * big_rate * (1 - share) / (share * f * small_rate)
            ),
            "You left out the speed of a big core. Divide the sequential time by the root of r.",
        ),
    ],
    hint="With one big core, call the first term of (2) X and the second Y. With b big cores, "
    "X/b must be at most share times (X/b + Y). Solve for b. `math.ceil` rounds up.",
    right="The number grows as (1 - f)/f. Twice the sequential fraction needs more than twice "
    "as many big cores.",
    unit="big cores",
)

strict_sum = Task(
    "Failures of all big cores that take turns",
    reference=lambda f, r, b, big_rate: (1 - f) / sqrt(r) * big_rate,
    cases=[(0.9, 4, 2, 6.0), (0.5, 16, 3, 24.0), (0.7, 9, 5, 10.0)],
    mistakes=[
        Mistake(
            "divided by b",
            lambda f, r, b, big_rate: (1 - f) / sqrt(r) * big_rate / b,
            "You counted one of the b cores, as the first term of (2) does. The chip fails with "
            "any of them, so add up all.",
        ),
        Mistake(
            "all on all the time",
            lambda f, r, b, big_rate: b * (1 - f) / sqrt(r) * big_rate,
            "You let all b cores age through the whole sequential phase. Each is on for 1/b of it.",
        ),
        Mistake(
            "speed forgotten",
            lambda f, r, b, big_rate: (1 - f) * big_rate,
            "You used 1 - f for the sequential phase. It takes (1 - f)/s, because a big core is "
            "faster.",
        ),
    ],
    hint="There are b cores. Each is on for (1 - f)/(s b), and fails at `big_rate` while it is on.",
    right="b cancels, so taking turns alone doesn't help. It helps only if a core that rests fails "
    "less often while it works. The next section shows a reason.",
    unit="failures per unit of work",
)
