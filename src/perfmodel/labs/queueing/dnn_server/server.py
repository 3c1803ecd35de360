"""An image server around a neural network: how much of its time is not the network.

Source: A. F. AbouElhamayed et al., "Beyond Inference: Performance Analysis of DNN Server Overheads
for Computer Vision", arXiv 2403.12981, 2024. The pipeline is this course's. Batching is in
`perfmodel.queueing.station.batch_service`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.live.drawing import Line, Scale, Scene, Shape, Text
from perfmodel.live.drawing.chart import legend
from perfmodel.queueing.distributions.service import Deterministic, Exponential, Service
from perfmodel.queueing.network.model import JobClass, Network, Station
from perfmodel.queueing.simulation import SimulationResult, simulate
from perfmodel.queueing.station.batch_service import batch_capacity, stretched_batch
from perfmodel.units import number
from perfmodel.validation import Floats, at_least, non_negative, positive, whole, within


@dataclass(frozen=True)
class ImageServer:
    """Images are preprocessed on cores, wait for the accelerator, and are inferred in batches."""

    preprocess_time: float
    """Core-seconds of decoding, resizing and copying an image."""
    cores: int
    batch_time: float
    """tau0: seconds of a batch, whatever its size."""
    image_time: float
    """alpha: seconds more for each image of a batch."""
    largest_batch: int

    def __post_init__(self) -> None:
        positive("preprocess_time", self.preprocess_time)
        positive("image_time", self.image_time)
        non_negative("batch_time", self.batch_time)
        whole("cores", self.cores, low=1)
        whole("largest_batch", self.largest_batch, low=1)

    @property
    def cpu_capacity(self) -> float:
        """Images per second that the cores can prepare."""
        return self.cores / self.preprocess_time

    @property
    def accelerator_capacity(self) -> float:
        """Images per second in full batches."""
        return float(batch_capacity(self.batch_time, self.image_time, self.largest_batch))

    @property
    def capacity(self) -> float:
        """Images per second of the slower stage."""
        return min(self.cpu_capacity, self.accelerator_capacity)

    @property
    def inference_time(self) -> float:
        """Seconds of an image alone in its batch."""
        return self.batch_time + self.image_time

    @property
    def latency(self) -> float:
        """Seconds of an image when no other is there."""
        return self.preprocess_time + self.inference_time

    @property
    def overhead(self) -> float:
        """Fraction of `latency` that is not the network."""
        return self.preprocess_time / self.latency

    @property
    def knee(self) -> float:
        """Capacity times latency; with more images in flight some must wait."""
        return self.capacity * self.latency


EXAMPLE = ImageServer(0.006, cores=8, batch_time=0.0015, image_time=0.0003, largest_batch=32)
"""Times assumed by us, of the order of a photo's on a server of 2023."""


def cores_for(server: ImageServer) -> int:
    """Return the fewest cores with which the accelerator, and not the cores, sets the capacity.

    >>> cores_for(EXAMPLE)
    18
    """
    return math.ceil(server.accelerator_capacity * server.preprocess_time * (1 - 1e-12))


def throughput_bound(server: ImageServer, in_flight: ArrayLike) -> Floats:
    """Return the most images per second with a fixed number of images in flight.

    It is the smaller of the capacity and in_flight / latency (a closed system that never thinks).
    By Little's law the mean response is at least in_flight over this.

    >>> print(throughput_bound(EXAMPLE, [1, 8, 64]).round(1))
    [ 128.2 1025.6 1333.3]
    """
    return np.minimum(server.capacity, at_least("in_flight", in_flight, 1) / server.latency)


def simulated(
    server: ImageServer,
    in_flight: int,
    *,
    images: int = 20_000,
    seed: int = 1,
    variable: bool = False,
) -> SimulationResult:
    """Simulate the server with a fixed number of images in flight.

    The stations are cores and accelerator; with `variable`, preprocessing times are exponential
    (images of all sizes) instead of constant.

    >>> alone = simulated(EXAMPLE, 1, images=1000)
    >>> bool(abs(alone.response_time.value.item() - EXAMPLE.latency) < 1e-9)
    True
    """
    mean = server.preprocess_time
    preparing: Service = Exponential(mean) if variable else Deterministic(mean)
    network = Network(
        [Station("cores", server.cores), Station("accelerator")],
        [JobClass("images", population=in_flight)],
        [[preparing, Deterministic(server.inference_time)]],
    )
    batch = stretched_batch(server.batch_time, server.image_time, server.largest_batch)
    return simulate(network, images, seed, batches={"accelerator": batch}, progress=False)


OVERHEAD_MEDIUM = 0.56
"""Largest fraction of the latency that is not the network, medium images (abstract)."""
LOSS_LARGE = 0.80
"""Approximate fraction of the throughput lost to preprocessing, large images (abstract)."""


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
    `largest` and t_b the seconds of a message at the broker, which works in parallel.

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


_END = 24.0
_LATER = 400.0
"""Milliseconds. Means are taken over the second half, far from the empty start."""


def taken_batches(gap: float, until: float = _END) -> list[tuple[float, int]]:
    """Return when batches start, in ms, and how many images each takes.

    Images come every `gap` ms (0.4 to 6), the first at 0. The accelerator is the example's. Only
    batches that start before `until` ms are returned.

    >>> [(round(start, 2), size) for start, size in taken_batches(1.0)[:3]]
    [(0.0, 1), (1.8, 1), (3.6, 2)]
    """
    wait, end = float(within("gap", gap, 0.4, 6)), float(positive("until", until))
    fixed, per_image = 1e3 * EXAMPLE.batch_time, 1e3 * EXAMPLE.image_time
    batches: list[tuple[float, int]] = []
    start, started = 0.0, 0
    while start < end:
        size = min(int(start / wait + 1e-9) + 1 - started, EXAMPLE.largest_batch)
        batches.append((start, size))
        started += size
        start = max(start + fixed + per_image * size, started * wait)
    return batches


def accelerator_batches(gap: float) -> Scene:
    """Draw images as they come, and the batches that the example's accelerator makes of them.

    >>> scene = accelerator_batches(0.5)
    >>> scene.values["images a batch"] > 5 and scene.values["busy (%)"] > 99
    True
    """
    fixed, per_image = 1e3 * EXAMPLE.batch_time, 1e3 * EXAMPLE.image_time
    time = Scale(0, _END, 16, 344)
    shapes: list[Shape] = legend(16, 14, [("fixed part", 2, "hatch")])
    shapes += legend(130, 14, [("images", 1, "solid")])
    shapes.append(Text("images come", 16, 44, "start"))
    for i in range(int(_END / gap + 1e-9) + 1):
        shapes.append(Line([(time(i * gap), 56), (time(i * gap), 68)]))
    shapes.append(Text("the accelerator's batches", 16, 92, "start"))
    for start, size in taken_batches(gap):
        inside, end = (min(start + part, _END) for part in (fixed, fixed + per_image * size))
        shapes.append(time.bar(start, 104, inside - start, 24, "", 2, "hatch"))
        if end > inside:
            shapes.append(time.bar(inside, 104, end - inside, 24, "", 1, "solid"))
        if end < _END:
            shapes.append(Text(str(size), time((start + end) / 2), 142))
    shapes += time.below(158, "time (ms); numbers: images in the batch")
    late = [batch for batch in taken_batches(gap, _LATER) if batch[0] > _LATER / 2]
    sizes = [size for _, size in late[:-1]]
    mean = sum(sizes) / len(sizes)
    busy = 100 * len(sizes) * (fixed + per_image * mean) / (late[-1][0] - late[0][0])
    says = (
        f"With an image every {number(gap)} ms, the mean batch has {mean:.1f} images. The "
        f"accelerator is busy for {busy:.0f} % of the time."
    )
    values = {"images a batch": mean, "busy (%)": busy, "rate (1/s)": 1e3 / gap}
    return Scene(200, shapes, says, values)
