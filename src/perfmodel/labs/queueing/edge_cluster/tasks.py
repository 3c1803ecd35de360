"""What the reader does: a rate that meets a limit, a utilization with reloads, three threads."""

from __future__ import annotations

import numpy as np

from perfmodel.queueing import departures
from perfmodel.tasks import Mistake, Task

highest_rate = Task(
    "The rate at which all stay in time",
    reference=lambda times, limit: (1 - times.max() / limit) / times.sum(),
    cases=[
        (np.array([0.011, 0.014, 0.020, 0.029]), 0.1),
        (np.array([0.030, 0.005]), 0.05),
        (np.array([0.010, 0.010, 0.040]), 0.2),
    ],
    mistakes=[
        Mistake(
            "the same wait for all",
            lambda times, limit: 1 / (1 + times.mean() / (limit - times.max())) / times.sum(),
            "You let all networks wait equally long, as the paper's formula (5) does. Under ideal "
            "sharing, (3), the longest loses most and exceeds the limit at this rate.",
        ),
        Mistake(
            "the shortest decides",
            lambda times, limit: (1 - times.min() / limit) / times.sum(),
            "At that rate the shortest just meets the limit, and all others exceed it.",
        ),
        Mistake(
            "the mean decides",
            lambda times, limit: (1 - times.mean() / limit) / times.sum(),
            "At that rate the mean meets the limit. The task asks that every network does.",
        ),
        Mistake(
            "stable, and no more",
            lambda times, limit: 1 / times.sum(),
            "At that rate the accelerator is always busy, and the queue grows without bound.",
        ),
        Mistake(
            "all networks together",
            lambda times, limit: len(times) * (1 - times.max() / limit) / times.sum(),
            "You computed the rate of all requests. The task asks for the rate of each network.",
        ),
    ],
    hint="By (3) the network with the longest inference takes longest: `times.max() / (1 - load)` "
    "must be `limit`, and the load is the rate times `times.sum()`.",
    right="One application decides about admission: the one that is closest to its limit. A mean "
    "over all says nothing about it.",
    unit="1/s",
)

busy = Task(
    "How busy a box is, reloads included",
    reference=lambda rates, inference, reload: (
        rates * (inference + (1 - rates / rates.sum()) * reload)
    ).sum(),
    cases=[
        (np.array([3.0, 17.0]), np.array([0.125, 0.005]), np.array([0.019, 0.010])),
        (np.array([2.0, 2.0, 4.0]), np.array([0.010, 0.063, 0.018]), np.array([0.02] * 3)),
    ],
    mistakes=[
        Mistake(
            "inference only",
            lambda rates, inference, reload: (rates * inference).sum(),
            "You left out the reloads, like the policy that packs by inference alone.",
        ),
        Mistake(
            "every request reloads",
            lambda rates, inference, reload: (rates * (inference + reload)).sum(),
            "Not every request reloads. If the request before was for the same network, the "
            "weights are loaded.",
        ),
        Mistake(
            "own share",
            lambda rates, inference, reload: (
                rates * (inference + rates / rates.sum() * reload)
            ).sum(),
            "`rates / rates.sum()` is the probability that the request before was for the same "
            "network. Then nothing is reloaded.",
        ),
        Mistake(
            "mean over networks",
            lambda rates, inference, reload: (
                rates * (inference + (1 - rates / rates.sum()) * reload)
            ).mean(),
            "You averaged over the networks. Their utilizations add up.",
        ),
        Mistake(
            "not times the rate",
            lambda rates, inference, reload: (inference + (1 - rates / rates.sum()) * reload).sum(),
            "You added seconds. Multiply them by each network's requests a second.",
        ),
    ],
    hint="Multiply each network's rate by its `S` of (1), and add. The request before was for "
    "another network with probability 1 - λᵢ/λ.",
    right="Compared with 80 %, this is the policy called utilization. It needs one more number for "
    "each network, measured once.",
)

three_threads = Task(
    "Three threads that share",
    reference=lambda: tuple(departures([0, 0, 0], [1, 2, 4], "PS")),
    mistakes=[
        Mistake(
            "in turns",
            lambda: tuple(departures([0, 0, 0], [1, 2, 4], "SJF")),
            "You let them run one after another. Here all three progress at once.",
        ),
        Mistake(
            "a third for ever",
            lambda: (3.0, 6.0, 12.0),
            "Each has a third of the speed only while all three are there. After 3 s only two are.",
        ),
        Mistake(
            "all at the end",
            lambda: (7.0, 7.0, 7.0),
            "The last task ends at 7 s. The shortest task has only 1 s of work, so it is done "
            "earlier.",
        ),
        Mistake(
            "half too early",
            lambda: (3.0, 4.0, 6.0),
            "At 3 s the second task needs 1 s more, and it has half of the speed.",
        ),
    ],
    hint="Until the shortest is done, each progresses at a third of the speed: 1 s of work takes "
    "3 s. Then two tasks remain, with 1 s and 3 s of work left, at half the speed.",
    right="The shortest loses 2 s and the others 3 s each, because the longest is alone at the "
    "end. Now compare with your interpreter.",
    unit="s",
)
