"""Two networks in a row, the second once for each object found: in one process, or by messages.

Take a sorting office where one clerk opens parcels and another weighs what is inside. Side by side,
the second weighs parcel by parcel; with a belt between them, a full tray at a time, but each item
must be put on the belt.

Source: the arrangement of A. F. AbouElhamayed et al., arXiv 2403.12981, 2024 (fused, or joined by a
message broker); the model is ours.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.queueing.station.batch_service import batch_capacity
from perfmodel.validation import Floats, at_least, non_negative, positive, whole


def frame_rate_fused(
    first_time: ArrayLike, batch_time: ArrayLike, item_time: ArrayLike, objects: ArrayLike
) -> Floats:
    """Return frames per second of two networks in one process: each frame's objects are a batch.

    It is 1 / (first + tau0 + alpha m) of accelerator seconds: `first_time` for finding the m
    `objects` of a frame, tau0 and alpha for the second network. All broadcast.

    >>> print(frame_rate_fused(0.004, 0.002, 0.001, [1, 4]).round(1))
    [142.9 100. ]
    """
    count = at_least("objects", objects, 1)
    time = positive("first_time", first_time) + non_negative("batch_time", batch_time)
    return np.asarray(1 / (time + positive("item_time", item_time) * count))


def frame_rate_brokered(
    first_time: ArrayLike,
    batch_time: ArrayLike,
    item_time: ArrayLike,
    objects: ArrayLike,
    message_time: ArrayLike,
    largest: int = 32,
) -> Floats:
    """Return frames per second of two networks with a message broker between them.

    Objects of many frames fill the second network's batches, but each costs the broker a message.
    The rate is the smaller of 1 / (first + m / X2) and 1 / (m t_b), X2 the capacity in batches of
    `largest` and t_b the seconds of a message at the broker, which works beside the accelerator.

    >>> print(frame_rate_brokered(0.004, 0.002, 0.001, [1, 4], 0.003).round(1))
    [197.5  83.3]
    """
    count = at_least("objects", objects, 1)
    second = count / batch_capacity(batch_time, item_time, whole("largest", largest, low=1))
    busiest = np.maximum(
        positive("first_time", first_time) + second,
        count * non_negative("message_time", message_time),
    )
    return np.asarray(1 / busiest)
