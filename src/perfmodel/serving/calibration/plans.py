"""Ways to serve a model, with their times per token: machines, devices, requests at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from perfmodel.roofline.transformer import Decoder
from perfmodel.serving.calibration.token_time import TokenTime, device_cache, step_terms
from perfmodel.validation import Floats, positive, whole


class Device(NamedTuple):
    """A device with a model's weights in one number format."""

    bandwidth: float
    """Bytes/s."""
    peak: float
    """FLOP/s in the arithmetic that the weights allow."""
    memory: float
    """Bytes for weights and cache, what the engine leaves free taken off."""
    stored_bytes: float
    """Bytes of all weights, cut evenly over the devices."""
    read_bytes: Callable[[Floats], Floats]
    """Bytes of the weights that a step of this many tokens reads."""
    calibration: TokenTime


@dataclass(frozen=True, eq=False)
class ServingPlans:
    """Plans as arrays of one shape (n,), those that fit into memory."""

    device: NDArray[np.int64]
    """Index of the device that was given."""
    count: NDArray[np.int64]
    """Devices that share each layer."""
    concurrency: Floats
    """Requests that run at once."""
    seconds: Floats
    """Time per token."""
    low: Floats
    """80 % of the points that weren't fitted lie between `low` and `high`."""
    high: Floats

    @property
    def per_device(self) -> Floats:
        """Generated tokens a second and device."""
        return self.concurrency / self.seconds / self.count

    def best(self, within: float, rate: ArrayLike = 1.0) -> NDArray[np.int64]:
        """Return the plans that stay within a time per token, the best first.

        Those whose whole interval stays `within` come before those of which only `seconds` does;
        in each part by tokens for what a second costs, `rate` for each plan's device.
        """
        value = self.per_device / np.broadcast_to(positive("rate", rate), self.seconds.shape)
        limit = float(positive("within", within))
        sure = self.high <= limit
        order = np.lexsort((self.count, -value, ~sure))
        return order[self.seconds[order] <= limit]


def serving_plans(
    shape: Decoder,
    devices: Sequence[Device],
    *,
    prompt: float,
    output: float,
    counts: Sequence[int],
    concurrency: ArrayLike,
    kv_bytes: float = 2.0,
) -> ServingPlans:
    """Return all plans that fit: each device, count of devices and concurrency.

    A sequence holds its `prompt` and `output`, in tokens, `kv_bytes` for each number of the cache.
    """
    asked = np.atleast_1d(positive("concurrency", concurrency))
    pieces: list[tuple[Floats, ...]] = []
    for index, device in enumerate(devices):
        read = device.read_bytes(asked)
        low, high = device.calibration.held_out_quantiles or (0.5, 2.0)
        for count in counts:
            p = whole("counts", count, 1)
            cache = device_cache(shape, float(prompt) + float(output), p) * kv_bytes
            fits = asked * cache <= device.memory - device.stored_bytes / p
            if not fits.any():
                continue
            b = asked[fits]
            terms = step_terms(
                shape, weight_bytes=read[fits] if read.ndim else read, bandwidth=device.bandwidth,
                peak=device.peak, concurrency=b, prompt=prompt, output=output, tensor=p,
                kv_bytes=kv_bytes,
            )  # fmt: skip
            least = np.maximum(terms.bandwidth, terms.arithmetic)
            seconds = np.maximum(device.calibration.seconds(terms), least)
            ends = (np.maximum(seconds * end, least) for end in (low, high))
            pieces.append((np.full_like(b, index), np.full_like(b, p), b, seconds, *ends))
    if not pieces:
        pieces = [tuple(np.empty((6, 0)))]
    which, count_, *numbers = (np.concatenate(part) for part in zip(*pieces, strict=True))
    return ServingPlans(which.astype(np.int64), count_.astype(np.int64), *numbers)
