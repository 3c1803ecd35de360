"""What the reader does: what a signal settles at, and how long chance takes."""

from perfmodel.tasks import Mistake, Task

even_delay = Task(
    "The queueing delay at an even share",
    reference=lambda flows, target, exponent: target * flows**exponent,
    cases=[(64.0, 0.064, 0.5), (100.0, 0.3, 1.0), (9.0, 0.1, 0.0)],
    mistakes=[
        Mistake(
            "power upside down",
            lambda flows, target, exponent: target * flows**-exponent,
            "The even rate is 1/N. On the other side of (1) its power turns over.",
        ),
        Mistake(
            "always the root",
            lambda flows, target, exponent: target * flows**0.5,
            "That is the authors' exponent; the third case has another one.",
        ),
        Mistake(
            "flows themselves",
            lambda flows, target, exponent: target * flows,
            "That holds for an exponent of 1.",
        ),
        Mistake(
            "target alone",
            lambda flows, target, exponent: target,
            "That holds where the rate isn't in the signal, an exponent of 0.",
        ),
    ],
    hint="Set (1) to zero with a rate of 1/N, and solve for the inflation above the base.",
    right="The exponent sets how the queue grows with the flows. With 0 it doesn't grow, but then "
    "(1) says nothing about any flow's rate.",
)

tries_by_chance = Task(
    "How many tiles chance tries",
    reference=lambda tiles, good: (tiles + 1) / (good + 1),
    cases=[(300, 2), (9, 4), (100, 1)],
    mistakes=[
        Mistake(
            "with replacement",
            lambda tiles, good: tiles / good,
            "That is for a search that may try a tile twice. Ours crosses tiles off.",
        ),
        Mistake(
            "half of it",
            lambda tiles, good: tiles / 2,
            "With a single good tile that is nearly right; the second one shortens it.",
        ),
        Mistake(
            "one gap short",
            lambda tiles, good: (tiles - good) / (good + 1),
            "That is how many bad tiles come first. The good one is tried, too.",
        ),
    ],
    hint="The good tiles cut a random order into good + 1 gaps, which are equally long on average.",
    right="A table with many good tiles needs no search. Count them before you praise one.",
)
