"""What the reader does: predict without looking ahead, forget, and pay for a wrong choice."""

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
            "Your window holds transfer i itself, whose time nobody knows when it is predicted. "
            "Python's `[a:b]` ends before b.",
        ),
        Mistake(
            "everything so far",
            lambda ideal, time, i, window: ideal[i] * np.mean(time[:i] / ideal[:i]),
            "That is the expanding window: it remembers all transfers, not the last `window`.",
        ),
        Mistake(
            "factor alone",
            lambda ideal, time, i, window: np.mean(time[i - window : i] / ideal[i - window : i]),
            "That is the factor, without unit. Times which ideal time does it give seconds?",
        ),
        Mistake(
            "mean of times",
            lambda ideal, time, i, window: np.mean(time[i - window : i]),
            "The mean of past times forgets that this file has another size and this probe "
            "another bandwidth: `ideal[i]` knows both.",
        ),
    ],
    hint="The last `window` transfers before i are `time[i - window : i]`. Divide by their ideal "
    "times, take the mean, and use it on `ideal[i]`.",
    right="The slice ends before i: that is the whole difference between a prediction and "
    "hindsight. The lab's line adds a start-up to this factor.",
    unit="s",
)

share_of_new = Task(
    "How much of a fading memory is new",
    reference=lambda forget, since: 1 - forget**since,
    cases=[(0.95, 20), (0.9, 1), (0.7, 10)],
    mistakes=[
        Mistake(
            "what is left of the old",
            lambda forget, since: forget**since,
            "That is the share of what came before the change.",
        ),
        Mistake(
            "as in a window",
            lambda forget, since: min(1.0, since * (1 - forget)),
            "So fills a window of 1/(1 - λ) transfers, at a constant rate. A fading memory fills "
            "fast at first and never wholly.",
        ),
        Mistake(
            "weights unscaled",
            lambda forget, since: (1 - forget**since) / (1 - forget),
            "That is the sum of the new weights. Divide by the sum of all weights, 1/(1 - λ).",
        ),
    ],
    hint="After a long time all weights together are 1/(1 - λ). The `since` newest ones are 1, λ, "
    "λ² and so on: a geometric sum.",
    right="With λ = 0.95 two thirds are new after 20 transfers, its worth in a window, which would "
    "be all new by then; the fading one has a long tail.",
)

time_lost = Task(
    "What wrong choices cost",
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
            "You averaged over requests. The loss asked for is of all time: sums over sums, so "
            "that a long transfer counts for more.",
        ),
        Mistake(
            "predicted times",
            lambda times, predicted: predicted.min(axis=0).sum() / times.min(axis=0).sum() - 1,
            "You added up what was predicted. What is lost is lost in measured time.",
        ),
        Mistake(
            "perfect choice",
            lambda times, predicted: 0.0,
            "No loss at all: you choose by the measured times. The choice is made by the predicted "
            "ones.",
        ),
        Mistake(
            "factor, not loss",
            lambda times, predicted: (
                times[predicted.argmin(axis=0), np.arange(times.shape[1])].sum()
                / times.min(axis=0).sum()
            ),
            "Nearly: time spent over the least possible is 1 where nothing is lost. Take 1 off.",
        ),
    ],
    hint="`predicted.argmin(axis=0)` are the replicas taken, one for each request; "
    "`times[taken, np.arange(times.shape[1])]` is what they took.",
    right="Multiply all predictions by two, and nothing changes: only their order counts.",
)
