"""Executors compared on STREAM (Heller, Kaiser, Diehl, Fey and Schweitzer, 2016).

HPX offers several ways to run the same parallel loop. Which of them is the fastest? The paper's own
tables aren't available to us; the times here are the public reference run of the same benchmark in
the HPX repository, and the answer depends on the statistic:

>>> from perfmodel.labs.measurement.stream_on_your_machine.inputs import STATISTICS
>>> [winner("copy", statistic) for statistic in STATISTICS]
['parallel', 'fork_join', 'fork_join']

`traffic` holds the model of a loop's time, `sweep` measures it.
"""

from __future__ import annotations

from perfmodel.labs.measurement.stream_on_your_machine.inputs import (
    ELEMENTS,
    REFERENCE,
    SAMPLES,
    LoopTimes,
    Statistic,
)
from perfmodel.labs.measurement.stream_on_your_machine.traffic import STREAM
from perfmodel.validation import positive, whole


def reference_rate(loop: str, executor: str, statistic: Statistic) -> float:
    """Return counted bytes/s of the reference run.

    >>> round(reference_rate("copy", "parallel", "min") / 1e9, 1)
    167.9
    """
    return STREAM[loop].counted * ELEMENTS / REFERENCE[loop][executor].of(statistic)


def winner(loop: str, statistic: Statistic) -> str:
    """Return the executor whose reference time for `loop` is the smallest by `statistic`."""
    rows = REFERENCE[loop]
    return min(rows, key=lambda executor: rows[executor].of(statistic))


def pauses_needed(times: LoopTimes, pause: float, samples: int = SAMPLES) -> float:
    """Return how many pauses of a length lift the mean of `samples` from the median to where it is.

    The rest of the samples is taken as symmetric, with its mean at the median. `pause` is in
    seconds.
    """
    length = float(positive("pause", pause))
    return (times.mean - times.median) * whole("samples", samples, 1) / length
