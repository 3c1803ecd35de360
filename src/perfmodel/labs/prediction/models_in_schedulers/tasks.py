"""The reader's tasks: a fraction lost, and a waiting time from the queueing formula."""

import numpy as np

from perfmodel.tasks import Mistake, Task

share = Task(
    "The fraction lost over several jobs",
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
            "You compared sums, so the fastest job decides nearly alone. Each job's ratio should "
            "count equally: average the ratios.",
        ),
        Mistake(
            "mean of ratios",
            lambda with_model, without: float(1 - np.mean(without / with_model)),
            "You averaged the ratios themselves. Twice as fast on one job and half as fast on "
            "another would then be a gain. Average their logarithms.",
        ),
        Mistake(
            "upside down",
            lambda with_model, without: float(
                1 - np.exp(np.mean(np.log(with_model) - np.log(without)))
            ),
            "You computed the fraction that the model loses. Exchange the two arrays.",
        ),
        Mistake(
            "share kept",
            lambda with_model, without: float(
                np.exp(np.mean(np.log(without) - np.log(with_model)))
            ),
            "You computed the fraction that is kept. The question asks for the rest.",
        ),
    ],
    hint="Take the geometric mean of without / with, and subtract it from 1.",
    right="Average ratios by their logarithms. Then the result doesn't depend on which array is "
    "the denominator.",
)

waiting = Task(
    "The wait for an accelerator",
    reference=lambda rate, time: rate * time**2 / (2 * (1 - rate * time)),
    cases=[(10.0, 0.05), (2.0, 0.4), (30.0, 0.01)],
    mistakes=[
        Mistake(
            "exponential",
            lambda rate, time: rate * time**2 / (1 - rate * time),
            "You used exponential inference times. With constant inferences the wait is half as "
            "long.",
        ),
        Mistake(
            "idle share forgotten",
            lambda rate, time: rate * time**2 / 2,
            "You counted only the rest of the inference in progress. Requests in the queue are "
            "missing: divide by the idle fraction.",
        ),
        Mistake(
            "with the inference",
            lambda rate, time: time + rate * time**2 / (2 * (1 - rate * time)),
            "You computed the response time, which includes the inference. The wait comes before "
            "it.",
        ),
        Mistake(
            "utilization alone",
            lambda rate, time: rate * time / (2 * (1 - rate * time)),
            "Your result has no unit: it is the wait in inferences. Multiply by the time of one.",
        ),
    ],
    hint="Use (2) with a single network: there are no reloads, so E[S^2] = s^2.",
    right="Two nodes with the same utilization can have waits that differ by any factor. A "
    "threshold doesn't see this.",
    unit="s",
)
