"""What the reader does: the load that keeps a promise, and the order that costs least."""

from __future__ import annotations

import numpy as np

from perfmodel.tasks import Mistake, Task

highest_load = Task(
    "The highest load that keeps a promised wait",
    reference=lambda wait, scv, size: wait / (wait + size * (1 + scv) / 2),
    cases=[(1.0, 1, 1.0), (0.05, 50, 0.01), (2.0, 0, 0.5)],
    mistakes=[
        Mistake(
            "variability left out",
            lambda wait, scv, size: wait / (wait + size),
            "That holds for exponential sizes only. Where does C², `scv`, come in?",
        ),
        Mistake(
            "half forgotten",
            lambda wait, scv, size: wait / (wait + size * (1 + scv)),
            "Equation (1) has (1 + C²)/2. The half is missing.",
        ),
        Mistake(
            "size left out",
            lambda wait, scv, size: wait / (wait + (1 + scv) / 2),
            "Your sizes have a mean of 1 s. `size` is the mean size in seconds.",
        ),
        Mistake(
            "squared twice",
            lambda wait, scv, size: wait / (wait + size * (1 + scv**2) / 2),
            "`scv` is C² already: the squared coefficient of variation.",
        ),
        Mistake(
            "ratio, not load",
            lambda wait, scv, size: wait / (size * (1 + scv) / 2),
            "That is ρ/(1 - ρ). Solve it for ρ, which stays below 1.",
        ),
    ],
    hint="Call (1 + C²)/2 times the mean size `a`. Then wait = ρ/(1 - ρ) · a: solve for ρ.",
    right="Turned round like this the equation answers how large a machine must be. With C² = 50 "
    "and a promise of five mean sizes, it must idle five sixths of the time.",
)

cheapest_order = Task(
    "The order that costs least",
    reference=lambda costs, sizes: np.argsort(-costs / sizes),
    cases=[
        (np.array([1.0, 5.0, 3.0]), np.array([0.1, 2.0, 0.5])),
        (np.array([4.0, 1.0, 30.0, 2.0]), np.array([1.0, 0.2, 3.0, 4.0])),
    ],
    mistakes=[
        Mistake(
            "cost alone",
            lambda costs, sizes: np.argsort(-costs),
            "You put the dearest first. A dear job that takes long holds up all others.",
        ),
        Mistake(
            "size alone",
            lambda costs, sizes: np.argsort(sizes),
            "You put the shortest first. That is right only where all waiting costs the same.",
        ),
        Mistake(
            "reversed",
            lambda costs, sizes: np.argsort(costs / sizes),
            "You put the least of cost over size first. `np.argsort` sorts upwards.",
        ),
        Mistake(
            "sorted values",
            lambda costs, sizes: np.sort(costs / sizes)[::-1],
            "Those are the values of cost over size. Asked for are the positions: `np.argsort`.",
        ),
        Mistake(
            "product",
            lambda costs, sizes: np.argsort(-costs * sizes),
            "You ranked by cost times size. What does a second of service buy? Cost over size.",
        ),
    ],
    hint="The cµ rule: the higher cost over size, the earlier. `np.argsort` gives positions, the "
    "smallest value first.",
    right="At one server no order of the kinds costs less, whatever their rates (Cox and Smith, "
    "1961), as long as arrivals are Poisson and no service is interrupted.",
)
