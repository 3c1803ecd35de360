"""The reader's tasks: a mean of different items, the pass rate, a forecast from clusters."""

from __future__ import annotations

import numpy as np

from perfmodel.tasks import Mistake, Task

score = Task(
    "The score of items with different losses",
    reference=lambda losses: np.mean(np.exp(-losses)),
    cases=[(np.array([0.2, 2.0]),), (np.array([0.1, 0.5, 3.0, 3.0]),)],
    mistakes=[
        Mistake(
            "exponential of the mean",
            lambda losses: np.exp(-np.mean(losses)),
            "You computed the pass rate of one item with the mean loss. The score is the mean of "
            "the items' pass rates.",
        ),
        Mistake(
            "second order",
            lambda losses: np.exp(-np.mean(losses)) * (1 + np.var(losses) / 2),
            "You used (3), which is good only for small differences. Take the mean itself.",
        ),
        Mistake(
            "product",
            lambda losses: np.exp(-np.sum(losses)),
            "You computed the probability of passing all items. A score is a mean.",
        ),
        Mistake(
            "sum",
            lambda losses: np.sum(np.exp(-losses)),
            "You computed the expected number of passed items. Divide by the number of items.",
        ),
    ],
    hint="First the pass rate of each item, then their mean.",
    right="Losses of 0.2 and 2.0 give 0.477. One item with their mean loss has 0.333, 14 points "
    "less.",
)

pass_rate = Task(
    "The pass rate at a compute",
    reference=lambda compute, a, b, c, guess: guess + (1 - guess) * np.exp(-a * compute**-b - c),
    cases=[(100.0, 6.0, 0.4, 0.05, 0.25), (1000.0, 12.0, 0.4, 0.1, 0.0)],
    mistakes=[
        Mistake(
            "guess added to all",
            lambda compute, a, b, c, guess: guess + np.exp(-a * compute**-b - c),
            "Your result can exceed 1. Only answers that aren't guessed right need knowledge, so "
            "multiply by 1 - g.",
        ),
        Mistake(
            "no guessing",
            lambda compute, a, b, c, guess: np.exp(-a * compute**-b - c),
            "You left out guessing. A model that can't answer guesses right with probability g.",
        ),
        Mistake(
            "lasting loss taken off",
            lambda compute, a, b, c, guess: guess + (1 - guess) * np.exp(-a * compute**-b + c),
            "You added c. Both parts of the loss lower the probability, so subtract c as well.",
        ),
        Mistake(
            "lasting loss outside",
            lambda compute, a, b, c, guess: guess + (1 - guess) * (np.exp(-a * compute**-b) - c),
            "You subtracted c from the pass rate. It is a loss, so it belongs into the exponent.",
        ),
        Mistake(
            "growing loss",
            lambda compute, a, b, c, guess: guess + (1 - guess) * np.exp(-a * compute**b - c),
            "Your loss grows with compute. Its exponent is -b.",
        ),
        Mistake(
            "loss falls exponentially",
            lambda compute, a, b, c, guess: (
                guess + (1 - guess) * np.exp(-a * np.exp(-b * compute) - c)
            ),
            "You let the loss fall exponentially. It falls as a power of the compute, C^-b.",
        ),
    ],
    hint="Use (1) and (2): the loss a C^-b + c, its exponential, and the part of guessing.",
    right="The first case gives 0.526. Its ceiling is 0.25 + 0.75 exp(-0.05) = 0.963.",
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
            "You gave a cluster of 400 items the weight of one with 100. Weight by items.",
        ),
        Mistake(
            "the largest cluster",
            lambda sizes, rates: rates[np.argmax(sizes)],
            "You used only the largest cluster. The other items count, too.",
        ),
        Mistake(
            "not divided",
            lambda sizes, rates: np.sum(sizes * rates),
            "You computed a number of items. A score is a fraction, so divide by all items.",
        ),
        Mistake(
            "divided by the clusters",
            lambda sizes, rates: np.mean(sizes * rates),
            "You divided by the number of clusters. Divide by the number of items in them.",
        ),
        Mistake(
            "geometric",
            lambda sizes, rates: np.exp(np.sum(sizes * np.log(rates)) / np.sum(sizes)),
            "You averaged losses, which (3) shows to be wrong. Average the pass rates.",
        ),
    ],
    hint="Count each cluster's pass rate once for each of its items.",
    right="If you leave a cluster out of both sums, you get the score of the other items.",
)
