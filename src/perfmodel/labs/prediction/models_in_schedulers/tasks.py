"""What the reader does: a share lost, and applications that a formula lets in."""

import numpy as np

from perfmodel.tasks import Mistake, Task

share = Task(
    "The share lost over several jobs",
    reference=lambda with_model, without: float(
        1 - np.exp(np.mean(np.log(without) - np.log(with_model)))
    ),
    cases=[
        (np.array([10.0, 1.0]), np.array([5.0, 1.0])),
        (np.array([8.0, 2.0, 0.5]), np.array([4.0, 2.5, 0.1])),
    ],
    mistakes=[
        Mistake(
            "ratio of sums",
            lambda with_model, without: float(1 - without.sum() / with_model.sum()),
            "The fast job decides nearly alone. Each job's ratio should count alike.",
        ),
        Mistake(
            "mean of ratios",
            lambda with_model, without: float(1 - np.mean(without / with_model)),
            "Twice as fast on one job and half on another would be a gain. Take logarithms.",
        ),
        Mistake(
            "upside down",
            lambda with_model, without: float(
                1 - np.exp(np.mean(np.log(with_model) - np.log(without)))
            ),
            "That is the loss of the other one.",
        ),
        Mistake(
            "share kept",
            lambda with_model, without: float(
                np.exp(np.mean(np.log(without) - np.log(with_model)))
            ),
            "That is what is kept; the rest is lost.",
        ),
    ],
    hint="The geometric mean of without / with, and 1 less it.",
    right="Ratios are averaged by logarithms: then it doesn't matter which of the two is below.",
)

waiting = Task(
    "The wait for an accelerator",
    reference=lambda rate, time: rate * time**2 / (2 * (1 - rate * time)),
    cases=[(10.0, 0.05), (2.0, 0.4), (30.0, 0.01)],
    mistakes=[
        Mistake(
            "exponential",
            lambda rate, time: rate * time**2 / (1 - rate * time),
            "That is for exponential inferences. A constant one waits half as long.",
        ),
        Mistake(
            "idle share forgotten",
            lambda rate, time: rate * time**2 / 2,
            "That is what is left of the inference under way; those in line are missing.",
        ),
        Mistake(
            "with the inference",
            lambda rate, time: time + rate * time**2 / (2 * (1 - rate * time)),
            "The response time has the inference in it; the wait comes before.",
        ),
        Mistake(
            "utilization alone",
            lambda rate, time: rate * time / (2 * (1 - rate * time)),
            "That has no unit: it is the wait in inferences. How long is one?",
        ),
    ],
    hint="(2) with a single network: no reloads, and E[S^2] = s^2.",
    right="Two nodes of one utilization can differ in their waits by any factor: a threshold "
    "doesn't see it.",
    unit="s",
)
