"""An image server around a neural network: how much of its time is not the network.

Take a bakery with a fast oven. Customers still queue while dough is kneaded by hand, and a faster
oven sells no more bread. In an image server the oven is the accelerator; decoding and resizing are
the dough. A pipeline of stages says which one limits the rate, what is left of the latency when
the network takes no time at all, and from how many requests in flight on they only wait.

Source: A. F. AbouElhamayed et al., "Beyond Inference: Performance Analysis of DNN Server Overheads
for Computer Vision", arXiv 2403.12981, 2024. The pipeline is ours; its batching stage is in
`perfmodel.queueing.station.batch_service`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.queueing.distributions.service import Deterministic, Exponential, Service
from perfmodel.queueing.network.model import JobClass, Network, Station
from perfmodel.queueing.simulation import SimulationResult, simulate
from perfmodel.queueing.station.batch_service import batch_capacity, stretched_batch
from perfmodel.validation import Floats, at_least, non_negative, positive, whole


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
        """Refuse times and counts that no server has."""
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
        """Share of `latency` that is not the network."""
        return self.preprocess_time / self.latency

    @property
    def knee(self) -> float:
        """Images in flight from which on some must wait, capacity times latency."""
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
