"""What the reader does: a life in hours, a strict sum over resting cores, and enough big cores."""

from __future__ import annotations

from math import ceil, floor, sqrt

from perfmodel.tasks import Mistake, Task

time_to_failure = Task(
    "From failures per work to a life in time",
    reference=lambda failures, speedup: 1 / (failures * speedup),
    cases=[(1.05, 15.135), (0.8, 1.9), (2.0, 40.0)],
    mistakes=[
        Mistake(
            "work",
            lambda failures, speedup: 1 / failures,
            "That is the mean work before a failure. How long does the chip take for that work?",
        ),
        Mistake(
            "multiplied by the speedup",
            lambda failures, speedup: speedup / failures,
            "A faster chip has done that work earlier, and you made its life longer.",
        ),
        Mistake(
            "rate",
            lambda failures, speedup: failures * speedup,
            "That is the number of failures per unit of time. A life is one over it.",
        ),
    ],
    hint="One over the failures per work is the mean work before a failure. Divide by the work "
    "that is done in a unit of time.",
    right="Two chips that fail after the same work don't live as long: the faster one is worn "
    "out earlier, and has done as much.",
    unit="times of a unit of work on one small core",
)

enough_big_cores = Task(
    "Big cores until they cause only a share of the failures",
    reference=lambda f, r, big_rate, small_rate, share: ceil(
        (1 - f) / sqrt(r) * big_rate * (1 - share) / (share * f * small_rate)
    ),
    cases=[(0.9, 4, 6, 1, 0.1), (0.5, 4, 6, 1, 0.25), (0.7, 16, 24, 1, 0.3), (0.8, 9, 13, 1, 0.2)],
    mistakes=[
        Mistake(
            "share of the small cores' failures",
            lambda f, r, big_rate, small_rate, share: ceil(
                (1 - f) / sqrt(r) * big_rate / (share * f * small_rate)
            ),
            "You compared with the failures of the small cores. The share is of all failures, "
            "those of big cores included.",
        ),
        Mistake(
            "rounded down",
            lambda f, r, big_rate, small_rate, share: floor(
                (1 - f) / sqrt(r) * big_rate * (1 - share) / (share * f * small_rate)
            ),
            "With that many the share is still too large: round up.",
        ),
        Mistake(
            "not rounded",
            lambda f, r, big_rate, small_rate, share: (
                (1 - f) / sqrt(r) * big_rate * (1 - share) / (share * f * small_rate)
            ),
            "Big cores are whole: round up.",
        ),
        Mistake(
            "speed forgotten",
            lambda f, r, big_rate, small_rate, share: ceil(
                (1 - f) * big_rate * (1 - share) / (share * f * small_rate)
            ),
            "A big core runs the sequential code in less time: divide by its speed, the root of r.",
        ),
    ],
    hint="With one big core the first term of (2) is X and the second Y. With b of them you need "
    "X/b at most share times X/b + Y. Solve for b; `ceil` of the module `math` rounds up.",
    right="The number grows as (1 - f)/f: twice the sequential share asks for more than twice "
    "as many big cores.",
    unit="big cores",
)

strict_sum = Task(
    "Failures of big cores that take turns, added up strictly",
    reference=lambda f, r, b, big_rate: (1 - f) / sqrt(r) * big_rate,
    cases=[(0.9, 4, 2, 6.0), (0.5, 16, 3, 24.0), (0.7, 9, 5, 10.0)],
    mistakes=[
        Mistake(
            "divided by b",
            lambda f, r, b, big_rate: (1 - f) / sqrt(r) * big_rate / b,
            "That is one of the b cores, or the first term of (2). The chip dies with any of "
            "them: add up all.",
        ),
        Mistake(
            "all on all the time",
            lambda f, r, b, big_rate: b * (1 - f) / sqrt(r) * big_rate,
            "You let all b cores age through the whole sequential phase. Each is on for 1/b of it.",
        ),
        Mistake(
            "speed forgotten",
            lambda f, r, b, big_rate: (1 - f) * big_rate,
            "The sequential phase takes (1 - f)/s, not 1 - f: a big core is faster.",
        ),
    ],
    hint="b cores, each on for (1 - f)/(s b), each failing at `big_rate` while it is on.",
    right="b has cancelled. Taking turns relieves nobody by itself: if it helps, a core that "
    "rests must fail less often when it works. The next section finds out why it might.",
    unit="failures per unit of work",
)
