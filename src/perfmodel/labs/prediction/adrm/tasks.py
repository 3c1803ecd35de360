"""The reader's tasks: a prediction without looking ahead, a fading memory, and a decision loss."""

import numpy as np

from perfmodel.tasks import Mistake, Task

next_time = Task(
    "The next transfer, from the window before it",
    reference=lambda ideal, time, i, window: (
        ideal[i] * np.mean(time[i - window : i] / ideal[i - window : i])
    ),
    cases=[
        (np.array([10.0, 20, 30, 40, 50]), np.array([10.0, 24, 39, 40, 75]), 4, 2),
        (np.array([5.0, 6, 7, 8, 9, 10]), np.array([9.0, 6, 10, 8, 20, 10]), 3, 3),
    ],
    mistakes=[
        Mistake(
            "looked ahead",
            lambda ideal, time, i, window: (
                ideal[i] * np.mean(time[i - window + 1 : i + 1] / ideal[i - window + 1 : i + 1])
            ),
            "Your window includes transfer i itself, whose time is unknown when you predict it. "
            "Python's `[a:b]` ends before b.",
        ),
        Mistake(
            "everything so far",
            lambda ideal, time, i, window: ideal[i] * np.mean(time[:i] / ideal[:i]),
            "You used the expanding window, which remembers all transfers. Use the last `window` "
            "only.",
        ),
        Mistake(
            "factor alone",
            lambda ideal, time, i, window: np.mean(time[i - window : i] / ideal[i - window : i]),
            "You returned the factor, which has no unit. Multiply it by an ideal time to get "
            "seconds.",
        ),
        Mistake(
            "mean of times",
            lambda ideal, time, i, window: np.mean(time[i - window : i]),
            "You averaged past times, but this file has another size and this probe another "
            "bandwidth. Use `ideal[i]`, which has both.",
        ),
    ],
    hint="The last `window` transfers before i are `time[i - window : i]`. Divide by their ideal "
    "times, take the mean, and use it on `ideal[i]`.",
    right="The slice ends before i, which makes this a prediction and not hindsight. The lab's "
    "line adds a start-up to this factor.",
    unit="s",
)

share_of_new = Task(
    "The new fraction of a fading memory",
    reference=lambda forget, since: 1 - forget**since,
    cases=[(0.95, 20), (0.9, 1), (0.7, 10)],
    mistakes=[
        Mistake(
            "what is left of the old",
            lambda forget, since: forget**since,
            "You computed the fraction of the old transfers. Subtract it from 1.",
        ),
        Mistake(
            "as in a window",
            lambda forget, since: min(1.0, since * (1 - forget)),
            "You filled the memory at a constant rate, as in a window of 1/(1 - λ) transfers. A "
            "fading memory fills fast at first and never completely.",
        ),
        Mistake(
            "weights unscaled",
            lambda forget, since: (1 - forget**since) / (1 - forget),
            "You returned the sum of the new weights. Divide it by the sum of all weights, 1/(1 - "
            "λ).",
        ),
    ],
    hint="After a long time all weights together are 1/(1 - λ). The `since` newest weights are 1, "
    "λ, λ² and so on, a geometric sum.",
    right="A memory with λ = 0.95 is worth 20 transfers. After 20 transfers it is new by two "
    "thirds, and a window of 20 completely. The fading memory has a long tail.",
)

time_lost = Task(
    "The cost of wrong choices",
    reference=lambda times, predicted: (
        times[predicted.argmin(axis=0), np.arange(times.shape[1])].sum() / times.min(axis=0).sum()
        - 1
    ),
    cases=[
        (
            np.array([[10.0, 20, 30], [12, 15, 40], [11, 30, 20]]),
            np.array([[9.0, 9, 9], [8, 20, 10], [9, 10, 10]]),
        ),
        (np.array([[1.0, 100], [2, 110]]), np.array([[5.0, 60], [4, 61]])),
    ],
    mistakes=[
        Mistake(
            "mean of ratios",
            lambda times, predicted: (
                np.mean(
                    times[predicted.argmin(axis=0), np.arange(times.shape[1])] / times.min(axis=0)
                )
                - 1
            ),
            "You averaged over requests. The question asks for a fraction of all time: divide "
            "sums by sums, so a long transfer counts more.",
        ),
        Mistake(
            "predicted times",
            lambda times, predicted: predicted.min(axis=0).sum() / times.min(axis=0).sum() - 1,
            "You added up predicted times. The loss is in measured time.",
        ),
        Mistake(
            "perfect choice",
            lambda times, predicted: 0.0,
            "You found no loss, because you chose by the measured times. Choose by the predicted "
            "times.",
        ),
        Mistake(
            "factor, not loss",
            lambda times, predicted: (
                times[predicted.argmin(axis=0), np.arange(times.shape[1])].sum()
                / times.min(axis=0).sum()
            ),
            "You returned the time spent divided by the least possible time. It is 1 if nothing "
            "is lost, so subtract 1.",
        ),
    ],
    hint="`predicted.argmin(axis=0)` has the chosen replica of each request. `times[chosen, "
    "np.arange(times.shape[1])]` has the times of these transfers.",
    right="Multiply all predictions by two, and nothing changes: only their order counts.",
)
