"""Tasks: judge a ranking by its loss, and apply Little's law to a GPU."""

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
        "last try: You kept the last try. You time all of them and keep the fastest.",
        lambda predicted, seconds, tries: seconds[np.argmin(predicted)] / seconds.min() - 1,
        "best predicted: You kept the first choice without timing the others. Use the fastest of "
        "all tries.",
        lambda predicted, seconds, tries: seconds[:tries].min() / seconds.min() - 1,
        "not sorted: You tried the first tilings of the list. The predictor has to choose, so sort "
        "by `predicted`.",
        lambda predicted, seconds, tries: (
            seconds[np.argsort(predicted)[:tries]].min() / seconds.min()
        ),
        "ratio: You returned the ratio of the two times. No loss is 0, not 1.",
        lambda predicted, seconds, tries: (
            seconds[np.argsort(predicted)[-tries:]].min() / seconds.min() - 1
        ),
        "highest first: You tried the tilings with the highest scores. Low scores are good.",
    ),
    hint="`np.argsort(predicted)[:tries]` are the indices of the tilings to try. Take the smallest "
    "of their measured times.",
    right="Only the order of the predicted values matters. Multiply them by a thousand, and the "
    "loss stays the same.",
)

warps_needed = Task(
    "Warps that keep the memory busy",
    reference=lambda bandwidth, latency, size, processors: (
        bandwidth * latency / (size * processors)
    ),
    cases=[(750e9, 400e-9, 128, 80), (900e9, 400e-9, 64, 80), (616e9, 300e-9, 128, 68)],
    mistakes=mistakes(
        lambda bandwidth, latency, size, processors: bandwidth * latency / size,
        "whole GPU: You computed the warps of the whole GPU. How many does each multiprocessor "
        "need?",
        lambda bandwidth, latency, size, processors: bandwidth * latency / processors,
        "bytes: You computed bytes in flight. Divide by the `size` of a request.",
        lambda bandwidth, latency, size, processors: 32 * bandwidth * latency / (size * processors),
        "threads: You counted the 32 threads of a warp. A warp has one request of `size` bytes.",
        lambda bandwidth, latency, size, processors: bandwidth / (latency * size * processors),
        "divided by the latency: You divided by the latency. A longer latency needs more requests "
        "in flight, not fewer.",
    ),
    hint="By Little's law, the bytes in flight are bandwidth times latency. Divide them by the "
    "bytes of a request and by the multiprocessors.",
    right="The V100 needs about 29 warps (first case), and you used no measured tiling. Compare "
    "this number with the best q in the figure below.",
    unit="warps",
)
