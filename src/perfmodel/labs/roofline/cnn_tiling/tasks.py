"""What the reader does: judge a ranking by its loss, and let Little's law say what a GPU needs."""

from __future__ import annotations

import numpy as np

from perfmodel.tasks import Mistake, Task

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
    mistakes=[
        Mistake(
            "last try",
            lambda predicted, seconds, tries: (
                seconds[np.argsort(predicted)[tries - 1]] / seconds.min() - 1
            ),
            "That is the last one tried. You timed all of them and keep the fastest.",
        ),
        Mistake(
            "best predicted",
            lambda predicted, seconds, tries: seconds[np.argmin(predicted)] / seconds.min() - 1,
            "That trusts the first one without timing the others.",
        ),
        Mistake(
            "not sorted",
            lambda predicted, seconds, tries: seconds[:tries].min() / seconds.min() - 1,
            "You tried the first of the list. The predictor has to choose: sort by `predicted`.",
        ),
        Mistake(
            "ratio",
            lambda predicted, seconds, tries: (
                seconds[np.argsort(predicted)[:tries]].min() / seconds.min()
            ),
            "That is the ratio of the two times. A loss of nothing is 0, not 1.",
        ),
        Mistake(
            "highest first",
            lambda predicted, seconds, tries: (
                seconds[np.argsort(predicted)[-tries:]].min() / seconds.min() - 1
            ),
            "You tried those with the highest scores. Low scores are the promising ones.",
        ),
    ],
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
    mistakes=[
        Mistake(
            "whole GPU",
            lambda bandwidth, latency, size, processors: bandwidth * latency / size,
            "That many must be under way on the whole GPU. How many are it on each multiprocessor?",
        ),
        Mistake(
            "bytes",
            lambda bandwidth, latency, size, processors: bandwidth * latency / processors,
            "Those are bytes under way. A warp's request brings `size` of them.",
        ),
        Mistake(
            "threads",
            lambda bandwidth, latency, size, processors: (
                32 * bandwidth * latency / (size * processors)
            ),
            "You counted the 32 threads of a warp one by one. Its request is one, of `size` bytes.",
        ),
        Mistake(
            "divided by the latency",
            lambda bandwidth, latency, size, processors: bandwidth / (latency * size * processors),
            "A longer latency needs more requests under way, not fewer.",
        ),
    ],
    hint="Little's law: bytes under way are bandwidth times latency. Divide by the bytes of a "
    "request and by the multiprocessors.",
    right="About 29 for the V100 (first case), without a look at any measured tiling. Compare it "
    "with the warps that straighten the cloud below.",
    unit="warps",
)
