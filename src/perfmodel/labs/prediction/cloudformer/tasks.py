"""The reader's tasks: the number of machines that a promise allows, and a noise floor."""

import numpy as np

from perfmodel.tasks import Mistake, Task

most_machines = Task(
    "The number of machines that a promise allows",
    reference=lambda memory_share, demand, served, least: np.floor(
        (1 / least - (1 - memory_share)) / memory_share * served / demand
    ),
    cases=[
        (0.6, 20e9, 140e9, 0.9),
        (0.2, 20e9, 140e9, 0.9),
        (0.9, 12e9, 140e9, 0.8),
        (0.3, 2e9, 140e9, 0.7),
    ],
    mistakes=[
        Mistake(
            "no slowdown",
            lambda memory_share, demand, served, least: np.floor(served / demand),
            "You allowed no loss: with this many machines the memory is just full. The promise "
            "allows a loss.",
        ),
        Mistake(
            "all time waits",
            lambda memory_share, demand, served, least: np.floor(served / demand / least),
            "You stretched all of the time. Only the fraction m waits for memory, so the machines "
            "may ask for more.",
        ),
        Mistake(
            "loss over share",
            lambda memory_share, demand, served, least: np.floor(
                (1 + (1 - least) / memory_share) * served / demand
            ),
            "You let the time grow by the lost performance. A performance of 90 % means a time of "
            "1/0.9, which is 11 % longer, not 10 %.",
        ),
        Mistake(
            "rounded up",
            lambda memory_share, demand, served, least: np.ceil(
                (1 / least - (1 - memory_share)) / memory_share * served / demand
            ),
            "You rounded up, so the last machine breaks the promise. Round down.",
        ),
    ],
    hint="Solve equation (1) for s at P = least. By equation (2) with no cache lost, s is the "
    "number of machines times demand divided by served.",
    right="If a tenant waits little, you can sell the same memory more than once. But the host "
    "doesn't count m, and this is the lab's problem.",
)

noise_floor = Task(
    "The noise floor of the counters",
    reference=lambda kept, noise, seconds: kept * noise * np.sqrt(2 / seconds) * np.sqrt(2 / np.pi),
    cases=[(90.0, 0.05, 8), (70.0, 0.02, 30), (100.0, 0.1, 1)],
    mistakes=[
        Mistake(
            "one counter",
            lambda kept, noise, seconds: kept * noise * np.sqrt(1 / seconds) * np.sqrt(2 / np.pi),
            "You used the noise of one mean. A ratio has the noise of both its parts, and their "
            "variances add.",
        ),
        Mistake(
            "noises added",
            lambda kept, noise, seconds: kept * noise * 2 / np.sqrt(seconds) * np.sqrt(2 / np.pi),
            "You added two standard deviations. For independent errors, add the variances.",
        ),
        Mistake(
            "one second",
            lambda kept, noise, seconds: kept * noise * np.sqrt(2) * np.sqrt(2 / np.pi),
            "You used the noise of one second. The variance of a mean over the window is the "
            "variance of a second divided by the number of seconds.",
        ),
        Mistake(
            "standard deviation",
            lambda kept, noise, seconds: kept * noise * np.sqrt(2 / seconds),
            "You computed the standard deviation. The mean absolute value of a normal error is "
            "smaller, by the square root of 2/pi, about 0.8.",
        ),
        Mistake(
            "divided by the seconds",
            lambda kept, noise, seconds: kept * noise * np.sqrt(2) / seconds * np.sqrt(2 / np.pi),
            "You divided the deviation by the seconds. The variance falls with the number of "
            "seconds, so the deviation falls with its square root.",
        ),
    ],
    tolerance=0.01,
    hint="The relative variance of a second is noise squared. For a mean, divide by the number of "
    "seconds. For a ratio of two such means, double it. Then go from the variance to the "
    "mean absolute error.",
    right="For 90 % kept, 5 % of noise and 8 seconds it is 1.8 points. Compare it with the error "
    "of IPC / IPC alone below. No predictor gets below its noise floor by learning.",
    unit="points",
)
