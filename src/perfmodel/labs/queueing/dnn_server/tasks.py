"""What the reader does: a knee by hand, the network to buy, and the smallest limit of a batch."""

from __future__ import annotations

import numpy as np

from perfmodel.labs.queueing.dnn_server.server import EXAMPLE
from perfmodel.tasks import Mistake, Task

fixed_part = Task(
    "A knee at 20 images in flight",
    reference=lambda: (
        1e3 * (20 / EXAMPLE.cpu_capacity - EXAMPLE.preprocess_time - EXAMPLE.image_time)
    ),
    mistakes=[
        Mistake(
            "the whole latency",
            lambda: 1e3 * 20 / EXAMPLE.cpu_capacity,
            "You computed the whole latency of an image alone. Subtract its preparation and the "
            "0.3 ms for the image.",
        ),
        Mistake(
            "image forgotten",
            lambda: 1e3 * (20 / EXAMPLE.cpu_capacity - EXAMPLE.preprocess_time),
            "You left out the 0.3 ms that the accelerator takes for the image itself.",
        ),
        Mistake(
            "by the accelerator",
            lambda: (
                1e3
                * (20 / EXAMPLE.accelerator_capacity - EXAMPLE.preprocess_time - EXAMPLE.image_time)
            ),
            "You took the accelerator's capacity. With eight cores the cores are the slower stage.",
        ),
    ],
    hint="N* is the capacity times the latency of an image alone. The cores set the capacity, "
    "8 / 6 ms. Solve for the latency, then for its fixed part.",
    right="The knee moved, and the capacity didn't. With a longer latency you need more images in "
    "flight for the same rate. A load test with ten clients would now call the server slow.",
    tolerance=0.01,
    unit="ms",
)

network_speedup = Task(
    "How fast a network must be bought",
    reference=lambda overhead, target: (1 - overhead) / (1 / target - overhead),
    cases=[(0.3, 2.0), (0.56, 1.5), (0.1, 5.0)],
    mistakes=[
        Mistake(
            "network alone",
            lambda overhead, target: target,
            "Only the network gets faster. The rest of the latency stays the same.",
        ),
        Mistake(
            "in proportion",
            lambda overhead, target: target / (1 - overhead),
            "Amdahl's law isn't a proportion. By your formula a target of 1 needs a faster "
            "network.",
        ),
        Mistake(
            "shares swapped",
            lambda overhead, target: overhead / (1 / target - (1 - overhead)),
            "`overhead` is the fraction that is not the network. It stays the same.",
        ),
    ],
    hint="By (2), 1/target = overhead + (1 - overhead)/k. Solve for k.",
    right="At an overhead of 10 %, an answer five times as fast needs a network nine times as "
    "fast. No network makes it ten times as fast.",
    unit="times",
)

smallest_limit = Task(
    "The smallest limit that carries a rate",
    reference=lambda rate, fixed, each: np.ceil(rate * fixed / (1 - rate * each)),
    cases=[(0.3, 2.0, 1.0), (0.7, 2.0, 1.0), (2000.0, 0.0015, 0.0003), (0.45, 2.0, 1.0)],
    mistakes=[
        Mistake(
            "one short",
            lambda rate, fixed, each: np.floor(rate * fixed / (1 - rate * each)),
            "At this limit the capacity is still below the rate. Round up.",
        ),
        Mistake(
            "not rounded",
            lambda rate, fixed, each: rate * fixed / (1 - rate * each),
            "At this limit capacity and rate are equal. A limit is a whole number of images.",
        ),
        Mistake(
            "arrivals of the fixed part",
            lambda rate, fixed, each: np.ceil(rate * fixed),
            "You counted the arrivals during the fixed part. More images come during the rest.",
        ),
        Mistake(
            "arrivals of one image's batch",
            lambda rate, fixed, each: np.ceil(rate * (fixed + each)),
            "You counted the arrivals during a batch of one image. A batch of B lasts longer.",
        ),
    ],
    hint="The capacity in (1), B / (fixed + each * B), must be at least `rate`. Solve for B. "
    "`np.ceil` rounds up.",
    right="With a smaller limit the queue grows without bound. Near a load of 1 the limit becomes "
    "very large, and so does the memory that it needs.",
    unit="images",
)
