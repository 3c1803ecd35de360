"""The reader's tasks: the delay at which a signal is zero, and the length of a random search."""

from perfmodel.tasks import Mistake, Task

even_delay = Task(
    "The queueing delay at an even share",
    reference=lambda flows, target, exponent: target * flows**exponent,
    cases=[(64.0, 0.064, 0.5), (100.0, 0.3, 1.0), (9.0, 0.1, 0.0)],
    mistakes=[
        Mistake(
            "power upside down",
            lambda flows, target, exponent: target * flows**-exponent,
            "You multiplied by the power of the rate 1/N. Solve (1) for x - base: you must divide "
            "by it.",
        ),
        Mistake(
            "always the root",
            lambda flows, target, exponent: target * flows**0.5,
            "You used the authors' exponent, 1/2. The function gets the exponent as an argument.",
        ),
        Mistake(
            "flows themselves",
            lambda flows, target, exponent: target * flows,
            "Your answer holds for an exponent of 1 only. Raise the number of flows to `exponent`.",
        ),
        Mistake(
            "target alone",
            lambda flows, target, exponent: target,
            "Your answer holds only without the rate in the signal, an exponent of 0.",
        ),
    ],
    hint="Set (1) to zero with a rate of 1/N, and solve for the inflation above the base.",
    right="The exponent sets how the queue grows with the flows. With 0 it doesn't grow, but then "
    "(1) says nothing about any flow's rate.",
)

tries_by_chance = Task(
    "Tiles that a random search tries",
    reference=lambda tiles, good: (tiles + 1) / (good + 1),
    cases=[(300, 2), (9, 4), (100, 1)],
    mistakes=[
        Mistake(
            "with replacement",
            lambda tiles, good: tiles / good,
            "You assumed a search that may try a tile twice. This search tries each tile at most "
            "once.",
        ),
        Mistake(
            "half of it",
            lambda tiles, good: tiles / 2,
            "Your answer is nearly right for a single good tile. More good tiles shorten the "
            "search.",
        ),
        Mistake(
            "one gap short",
            lambda tiles, good: (tiles - good) / (good + 1),
            "You counted the bad tiles before the first good one. Count the good tile, too.",
        ),
    ],
    hint="The good tiles cut a random order into good + 1 gaps, which are equally long on average.",
    right="If many tiles are good, even a random search is short. Count the good ones before you "
    "praise a search.",
)
