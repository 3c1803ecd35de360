"""What the reader does: let in as many machines as a promise bears, and find a floor of noise."""

import numpy as np

from perfmodel.tasks import Mistake, Task

most_machines = Task(
    "As many machines as a promise bears",
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
            "With that many nobody loses anything: the memory is just full. The promise allows a "
            "loss.",
        ),
        Mistake(
            "all time waits",
            lambda memory_share, demand, served, least: np.floor(served / demand / least),
            "That stretches all of the time. Only the share m waits for memory, so the memory may "
            "be asked for more.",
        ),
        Mistake(
            "loss over share",
            lambda memory_share, demand, served, least: np.floor(
                (1 + (1 - least) / memory_share) * served / demand
            ),
            "You took the time to grow by what is lost. Performance of 90 % is a time of 1/0.9, "
            "which is 11 % longer and not 10 %.",
        ),
        Mistake(
            "rounded up",
            lambda memory_share, demand, served, least: np.ceil(
                (1 / least - (1 - memory_share)) / memory_share * served / demand
            ),
            "The last machine breaks the promise: round down.",
        ),
    ],
    hint="Solve equation (1) for s at P = least. Then, by equation (2) with no cache lost, s is "
    "the number of machines times demand over served.",
    right="A tenant that waits little lets you sell the same memory more than once. But the host "
    "doesn't count m: that is the trouble this lab is about.",
)

noise_floor = Task(
    "The floor that counters leave",
    reference=lambda kept, noise, seconds: kept * noise * np.sqrt(2 / seconds) * np.sqrt(2 / np.pi),
    cases=[(90.0, 0.05, 8), (70.0, 0.02, 30), (100.0, 0.1, 1)],
    mistakes=[
        Mistake(
            "one counter",
            lambda kept, noise, seconds: kept * noise * np.sqrt(1 / seconds) * np.sqrt(2 / np.pi),
            "A ratio has the noise of both its parts: variances add.",
        ),
        Mistake(
            "noises added",
            lambda kept, noise, seconds: kept * noise * 2 / np.sqrt(seconds) * np.sqrt(2 / np.pi),
            "You added two standard deviations. Of independent errors the variances add.",
        ),
        Mistake(
            "one second",
            lambda kept, noise, seconds: kept * noise * np.sqrt(2) * np.sqrt(2 / np.pi),
            "Both means are taken over the window: their variance is that of a second over the "
            "number of seconds.",
        ),
        Mistake(
            "standard deviation",
            lambda kept, noise, seconds: kept * noise * np.sqrt(2 / seconds),
            "That is the standard deviation. The mean absolute error of a normal error is smaller "
            "by the square root of 2/pi, about 0.8.",
        ),
        Mistake(
            "divided by the seconds",
            lambda kept, noise, seconds: kept * noise * np.sqrt(2) / seconds * np.sqrt(2 / np.pi),
            "The variance falls with the number of seconds, so that the deviation falls with its "
            "square root.",
        ),
    ],
    tolerance=0.01,
    hint="The relative variance of a second is noise squared; of a mean over seconds it is that "
    "over seconds; of a ratio of two such means it is twice that. Then from variance to mean "
    "absolute error.",
    right="For 90 % kept, 5 % of noise and 8 seconds it is 1.8 points. Compare the last row of the "
    "next table. No predictor can get below its floor by learning.",
    unit="points",
)
