"""What the reader does: judge a ranking by its loss, and let Little's law say what a GPU needs."""

from __future__ import annotations

import numpy as np

from perfmodel.answers.mistakes import mistakes
from perfmodel.tasks import Task

loss = Task(
    "The loss after a number of tries",
    reference=lambda predicted, seconds, tries: (
        seconds[np.argsort(predicted)[:tries]].min() / seconds.min() - 1
    ),
    cases=[
        (np.array([3.0, 1.0, 2.0, 5.0]), np.array([4.0, 6.0, 7.0, 2.0]), 2),
        (np.array([1.0, 2.0, 4.0, 3.0]), np.array([9.0, 3.0, 2.0, 8.0]), 3),
        (np.array([1.0, 9.0, 3.0]), np.array([2.0, 1.0, 3.0]), 1),
    ],
    mistakes=mistakes(
        lambda predicted, seconds, tries: (
            seconds[np.argsort(predicted)[tries - 1]] / seconds.min() - 1
        ),
        "last try: That is the last one tried. You timed all of them and keep the fastest.",
        lambda predicted, seconds, tries: seconds[np.argmin(predicted)] / seconds.min() - 1,
        "best predicted: That trusts the first one without timing the others.",
        lambda predicted, seconds, tries: seconds[:tries].min() / seconds.min() - 1,
        "not sorted: You tried the first of the list. The predictor has to choose: sort by "
        "`predicted`.",
        lambda predicted, seconds, tries: (
            seconds[np.argsort(predicted)[:tries]].min() / seconds.min()
        ),
        "ratio: That is the ratio of the two times. A loss of nothing is 0, not 1.",
        lambda predicted, seconds, tries: (
            seconds[np.argsort(predicted)[-tries:]].min() / seconds.min() - 1
        ),
        "highest first: You tried those with the highest scores. Low scores are the promising "
        "ones.",
    ),
    hint="`np.argsort(predicted)[:tries]` are the places of the choices that get tried. Take the "
    "least of their measured times.",
    right="The predicted values are used for the order alone. Multiply them by a thousand, and "
    "the loss stays the same.",
)

warps_needed = Task(
    "Warps that keep the memory busy",
    reference=lambda bandwidth, latency, size, processors: (
        bandwidth * latency / (size * processors)
    ),
    cases=[(750e9, 400e-9, 128, 80), (900e9, 400e-9, 64, 80), (616e9, 300e-9, 128, 68)],
    mistakes=mistakes(
        lambda bandwidth, latency, size, processors: bandwidth * latency / size,
        "whole GPU: That many must be under way on the whole GPU. How many are it on each "
        "multiprocessor?",
        lambda bandwidth, latency, size, processors: bandwidth * latency / processors,
        "bytes: Those are bytes under way. A warp's request brings `size` of them.",
        lambda bandwidth, latency, size, processors: 32 * bandwidth * latency / (size * processors),
        "threads: You counted the 32 threads of a warp one by one. Its request is one, of `size` "
        "bytes.",
        lambda bandwidth, latency, size, processors: bandwidth / (latency * size * processors),
        "divided by the latency: A longer latency needs more requests under way, not fewer.",
    ),
    hint="Little's law: bytes under way are bandwidth times latency. Divide by the bytes of a "
    "request and by the multiprocessors.",
    right="About 29 for the V100 (first case), without a look at any measured tiling. Compare it "
    "with the warps that straighten the cloud below.",
    unit="warps",
)
