"""What the reader does: the load that meets a promise, and the order that costs least."""

from __future__ import annotations

import numpy as np

from perfmodel.tasks import Mistake, Task

highest_load = Task(
    "The highest load that meets a promised wait",
    reference=lambda wait, scv, size: wait / (wait + size * (1 + scv) / 2),
    cases=[(1.0, 1, 1.0), (0.05, 50, 0.01), (2.0, 0, 0.5)],
    mistakes=[
        Mistake(
            "variability left out",
            lambda wait, scv, size: wait / (wait + size),
            "This holds only for exponential sizes. Where does C², `scv`, enter equation (1)?",
        ),
        Mistake(
            "half forgotten",
            lambda wait, scv, size: wait / (wait + size * (1 + scv)),
            "Equation (1) has (1 + C²)/2. Your answer lacks the factor 1/2.",
        ),
        Mistake(
            "size left out",
            lambda wait, scv, size: wait / (wait + (1 + scv) / 2),
            "Your answer assumes a mean size of 1 s. Use `size`, the mean size in seconds.",
        ),
        Mistake(
            "squared twice",
            lambda wait, scv, size: wait / (wait + size * (1 + scv**2) / 2),
            "You squared `scv`. It is already C², the squared coefficient of variation.",
        ),
        Mistake(
            "ratio, not load",
            lambda wait, scv, size: wait / (size * (1 + scv) / 2),
            "You computed ρ/(1 - ρ). Solve it for ρ, which is below 1.",
        ),
    ],
    hint="Call (1 + C²)/2 times the mean size `a`. Then wait = ρ/(1 - ρ) · a: solve for ρ.",
    right="Solved for ρ, the equation says how large a machine must be. With C² = 50 and a promise "
    "of five mean sizes, the machine must idle 5/6 of the time.",
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
            "You put the most expensive first. An expensive job that takes long delays all others.",
        ),
        Mistake(
            "size alone",
            lambda costs, sizes: np.argsort(sizes),
            "You put the shortest first. This is right only if all waiting costs the same.",
        ),
        Mistake(
            "reversed",
            lambda costs, sizes: np.argsort(costs / sizes),
            "You put the smallest cost/size first. `np.argsort` sorts in ascending order.",
        ),
        Mistake(
            "sorted values",
            lambda costs, sizes: np.sort(costs / sizes)[::-1],
            "You returned the values of cost/size. The task asks for positions: use `np.argsort`.",
        ),
        Mistake(
            "product",
            lambda costs, sizes: np.argsort(-costs * sizes),
            "You ranked by cost times size. A second of service saves cost/size: rank by that.",
        ),
    ],
    hint="The cµ rule: the higher cost/size, the earlier. `np.argsort` returns positions in "
    "ascending order of the values.",
    right="At one server no order of the kinds costs less, whatever their rates (Cox and Smith, "
    "1961), as long as arrivals are Poisson and no service is interrupted.",
)
