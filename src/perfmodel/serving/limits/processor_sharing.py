"""Batches as a shared processor: the product form of a server that steps for all at once.

Every step gives each sequence of the batch one token. Seen from a request this is a processor that
is shared equally, and that gets faster in all the more share it, as reading the weights is paid
once. Such a server has a product form: how many are inside depends on the mean length of answers
and on nothing else of their law (it is *insensitive*), as long as there is a seat for everybody.

Sources: F. P. Kelly, "Reversibility and Stochastic Networks", 1979, section 3.3, symmetric queues;
for seats that run out the birth-death chain, exact if the steps of an answer are geometric.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.queueing.station.birth_death import birth_death_probabilities
from perfmodel.queueing.station.result import StationResult
from perfmodel.validation import Floats, at_least, positive, sample, whole

_NEGLIGIBLE = 1e-13
_MOST_STATES = 1 << 20


@dataclass(frozen=True, kw_only=True, repr=False)
class ProcessorSharingQueue(StationResult):
    """A server that gives each of its sequences a token in every step."""

    mean_batch: float
    """Sequences in the batch, on average over time, steps or not."""
    token_time: float
    """Seconds from a token to the next one, on average over tokens."""
    slot_free_probability: float
    """The share of requests that find a seat free."""


def processor_sharing_queue(
    rate: float, output: float, step_seconds: ArrayLike, *, slots: float | None = None
) -> ProcessorSharingQueue:
    """Solve a server whose step of b sequences takes `step_seconds[b - 1]`.

    Requests arrive at random (Poisson) and stay for as many steps as their answer has tokens;
    prompts take no time of their own. A step is assumed to be short compared with a stay.

    Parameters
    ----------
    rate : float
        Requests per second, above 0.
    output : float
        Mean steps of a request, 1 or more.
    step_seconds : array_like, shape (B,)
        Seconds of a step with 1, 2, ... B sequences. More than B take as much longer each as the
        last of them does, and never less.
    slots : float, optional
        The most sequences of a batch: B unless said, or infinity. Others wait in order of arrival.

    Returns
    -------
    SharingQueue
        With slots for all it is exact for any distribution of the lengths; with fewer it is exact
        for geometric lengths.

    Raises
    ------
    ValueError
        If an argument is out of range, or the full batch can't keep up.

    Examples
    --------
    >>> half_free = processor_sharing_queue(0.5, 1.0, [1.0], slots=1)
    >>> print(half_free.response_time.round(6), round(half_free.mean_batch, 6))
    2.0 0.5
    """
    arrivals, steps = float(positive("rate", rate)), float(at_least("output", output, 1))
    times = positive("step_seconds", sample("step_seconds", step_seconds))
    most = (
        times.size
        if slots is None
        else math.inf
        if slots == math.inf
        else whole("slots", slots, low=1)
    )
    load = arrivals * steps
    _check_load(load, times, most)
    states = max(64, times.size)
    while (chances := _chances(load, times, most, states))[-1] > _NEGLIGIBLE:
        states *= 2
        if states > _MOST_STATES:
            raise ValueError(f"rate must be further below what the full batch can do, got {rate!r}")
    inside = np.arange(chances.size)
    batch = np.minimum(inside, most)
    present, seated = float(chances @ inside), float(chances @ batch)
    return ProcessorSharingQueue.from_waiting(
        arrivals,
        seated / arrivals,
        (present - seated) / arrivals,
        "product form of a shared processor" if most == math.inf else "birth-death chain",
        utilization=1 - chances[0],
        exact=most == math.inf,
        warning="" if most == math.inf else "exact for geometric lengths of answers",
        mean_batch=seated,
        token_time=seated / load,
        slot_free_probability=float(chances[inside < most].sum()),
    )


def _times_up_to(times: Floats, count: int) -> Floats:
    """Return the seconds of steps with 1 to `count` sequences, straight on after the last."""
    beyond = np.arange(1, max(0, count - times.size) + 1)
    return np.append(times, times[-1] + _slope(times) * beyond)[:count]


def _slope(times: Floats) -> float:
    """Return the seconds that one more sequence takes beyond the last time given."""
    return max(0.0, float(times[-1] - times[-2])) if times.size > 1 else float(times[-1])


def _chances(load: float, times: Floats, most: float, states: int) -> Floats:
    inside = np.arange(1, states + 1)
    batch = np.minimum(inside, most)
    full = _times_up_to(times, int(batch[-1]))
    return birth_death_probabilities(
        np.full(states, load), batch / full[batch.astype(np.int64) - 1]
    )


def _check_load(load: float, times: Floats, most: float) -> None:
    if most == math.inf:
        slope = _slope(times)
        full = 1 / slope if slope > 0 else math.inf
    else:
        full = most / float(_times_up_to(times, int(most))[-1])
    if load >= full:
        raise ValueError(
            f"rate times output must be below {full:g} tokens/s, what the full batch can do, "
            f"got {load:g}"
        )
