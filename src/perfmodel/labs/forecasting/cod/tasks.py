"""What the reader does: a mean of unlike items, the law of success, a forecast from clusters."""

from __future__ import annotations

import numpy as np

from perfmodel.tasks import Mistake, Task

score = Task(
    "The score of items with unlike losses",
    reference=lambda losses: np.mean(np.exp(-losses)),
    cases=[(np.array([0.2, 2.0]),), (np.array([0.1, 0.5, 3.0, 3.0]),)],
    mistakes=[
        Mistake(
            "exponential of the mean",
            lambda losses: np.exp(-np.mean(losses)),
            "That is the pass rate of one item with the mean loss. The score is the mean of the "
            "items' pass rates.",
        ),
        Mistake(
            "second order",
            lambda losses: np.exp(-np.mean(losses)) * (1 + np.var(losses) / 2),
            "That is (3), good while losses differ little. Here the mean itself is no more work.",
        ),
        Mistake(
            "product",
            lambda losses: np.exp(-np.sum(losses)),
            "That is the chance to pass all items. A score is a mean.",
        ),
        Mistake(
            "sum",
            lambda losses: np.sum(np.exp(-losses)),
            "That is how many items pass, on average. Divide by how many there are.",
        ),
    ],
    hint="First the pass rate of each item, then their mean.",
    right="0.477 for losses 0.2 and 2.0, where one item of their mean loss would pass 0.333: "
    "fourteen points, from unlikeness alone.",
)

pass_rate = Task(
    "The pass rate at a compute",
    reference=lambda compute, a, b, c, guess: guess + (1 - guess) * np.exp(-a * compute**-b - c),
    cases=[(100.0, 6.0, 0.4, 0.05, 0.25), (1000.0, 12.0, 0.4, 0.1, 0.0)],
    mistakes=[
        Mistake(
            "guess added to all",
            lambda compute, a, b, c, guess: guess + np.exp(-a * compute**-b - c),
            "That can exceed 1. Only items that aren't guessed right leave something to know.",
        ),
        Mistake(
            "no guessing",
            lambda compute, a, b, c, guess: np.exp(-a * compute**-b - c),
            "That is (2) with g = 0. Whoever can't answer still guesses right with chance g.",
        ),
        Mistake(
            "lasting loss taken off",
            lambda compute, a, b, c, guess: guess + (1 - guess) * np.exp(-a * compute**-b + c),
            "Both parts of the loss lower the chance: minus in front of c, too.",
        ),
        Mistake(
            "lasting loss outside",
            lambda compute, a, b, c, guess: guess + (1 - guess) * (np.exp(-a * compute**-b) - c),
            "c is a loss, so it stands in the exponent beside the loss that falls.",
        ),
        Mistake(
            "growing loss",
            lambda compute, a, b, c, guess: guess + (1 - guess) * np.exp(-a * compute**b - c),
            "That loss grows with compute. Its exponent is -b.",
        ),
        Mistake(
            "loss falls exponentially",
            lambda compute, a, b, c, guess: (
                guess + (1 - guess) * np.exp(-a * np.exp(-b * compute) - c)
            ),
            "The loss falls as a power of the compute, C^-b.",
        ),
    ],
    hint="(1) and (2): the loss a C^-b + c, its exponential, and what is left to guessing.",
    right="For the first case 0.526; its ceiling is 0.25 + 0.75 exp(-0.05) = 0.963.",
)

forecast = Task(
    "The score of several clusters",
    reference=lambda sizes, rates: np.sum(sizes * rates) / np.sum(sizes),
    cases=[
        (np.array([400, 101, 99]), np.array([0.21, 0.80, 0.93])),
        (np.array([10, 30]), np.array([0.9, 0.1])),
    ],
    mistakes=[
        Mistake(
            "clusters alike",
            lambda sizes, rates: np.mean(rates),
            "A cluster of 400 items counts as much as one of 100 there. Weight by items.",
        ),
        Mistake(
            "the largest cluster",
            lambda sizes, rates: rates[np.argmax(sizes)],
            "The other items count, too.",
        ),
        Mistake(
            "not divided",
            lambda sizes, rates: np.sum(sizes * rates),
            "That is a number of items. A score is a share of them.",
        ),
        Mistake(
            "divided by the clusters",
            lambda sizes, rates: np.mean(sizes * rates),
            "You divided by the number of clusters. Divide by the number of items in them.",
        ),
        Mistake(
            "geometric",
            lambda sizes, rates: np.exp(np.sum(sizes * np.log(rates)) / np.sum(sizes)),
            "That averages losses, and you have just seen what it costs.",
        ),
    ],
    hint="Each cluster's pass rate as often as it has items.",
    right="Leave a cluster out of both sums, and you have the score of the rest: of other items.",
)
