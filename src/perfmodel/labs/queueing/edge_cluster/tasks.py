"""What the reader does: a rate that keeps a limit, a busy share with reloads, and three threads."""

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
            "That follows from (3), where all wait alike. Under ideal sharing, (4), the longest "
            "loses most and passes the limit at this rate.",
        ),
        Mistake(
            "the shortest decides",
            lambda times, limit: (1 - times.min() / limit) / times.sum(),
            "At that rate the shortest just keeps the limit. All others are too late.",
        ),
        Mistake(
            "the mean decides",
            lambda times, limit: (1 - times.mean() / limit) / times.sum(),
            "At that rate the mean is in time. Asked for is that every network is.",
        ),
        Mistake(
            "stable, and no more",
            lambda times, limit: 1 / times.sum(),
            "There the accelerator is busy all the time, and responses have no bound.",
        ),
        Mistake(
            "all networks together",
            lambda times, limit: len(times) * (1 - times.max() / limit) / times.sum(),
            "That is the rate of all requests. Asked for is the rate of each network.",
        ),
    ],
    hint="By (4) the network with the longest inference takes longest: `times.max() / (1 - load)` "
    "must be `limit`, and the load is the rate times `times.sum()`.",
    right="Admission is decided by one application, the one that is nearest to its limit. A mean "
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
            "That is packing by inference alone: the policy with next to nobody in time.",
        ),
        Mistake(
            "every request reloads",
            lambda rates, inference, reload: (rates * (inference + reload)).sum(),
            "Not every request reloads: where the one before was for the same network, the weights "
            "are there.",
        ),
        Mistake(
            "own share",
            lambda rates, inference, reload: (
                rates * (inference + rates / rates.sum() * reload)
            ).sum(),
            "`rates / rates.sum()` is the share of the own network: with that probability nothing "
            "is reloaded.",
        ),
        Mistake(
            "mean over networks",
            lambda rates, inference, reload: (
                rates * (inference + (1 - rates / rates.sum()) * reload)
            ).mean(),
            "You averaged. The shares of the networks add up.",
        ),
        Mistake(
            "not times the rate",
            lambda rates, inference, reload: (inference + (1 - rates / rates.sum()) * reload).sum(),
            "Those are seconds. Times a network's requests a second they become shares of time.",
        ),
    ],
    hint="Each network's rate times its `S` of (1), summed. The request before was for another "
    "network with a probability of one minus the own share of the rates.",
    right="Held against 80 %, this is the policy called utilization. It needs one number more a "
    "network, measured once.",
)

three_threads = Task(
    "Three threads that share",
    reference=lambda: tuple(departures([0, 0, 0], [1, 2, 4], "PS")),
    mistakes=[
        Mistake(
            "in turns",
            lambda: tuple(departures([0, 0, 0], [1, 2, 4], "SJF")),
            "That is one after the other, the shortest first. Here all three progress at once.",
        ),
        Mistake(
            "a third for ever",
            lambda: (3.0, 6.0, 12.0),
            "Each has a third of the speed only while all three are there. From 3 s on, two are.",
        ),
        Mistake(
            "all at the end",
            lambda: (7.0, 7.0, 7.0),
            "The last one ends at 7 s. The shortest has only 1 s of work: it is done before.",
        ),
        Mistake(
            "half too early",
            lambda: (3.0, 4.0, 6.0),
            "From 3 s on, the second needs 1 s more and has half of the speed.",
        ),
    ],
    hint="Until the shortest is done, each progresses at a third of the speed: 1 s of work takes "
    "3 s. Then two are left, with 1 s and 3 s of work to go, at half the speed.",
    right="The shortest loses 2 s and the others 3 s each, since the longest is alone at the end. "
    "Now see what your interpreter makes of it.",
    unit="s",
)
