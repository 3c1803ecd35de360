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
            "That is the latency of an image alone. Its preparation and its own share of the "
            "batch are in it.",
        ),
        Mistake(
            "image forgotten",
            lambda: 1e3 * (20 / EXAMPLE.cpu_capacity - EXAMPLE.preprocess_time),
            "An image alone takes the fixed part and 0.3 ms for itself.",
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
    "8 / 6 ms, and go on doing so: solve for the latency, then for its fixed part.",
    right="The knee moved and the capacity didn't: a longer latency needs more images in flight to "
    "reach the same rate. A load test with ten clients would now blame the server.",
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
            "So only the network's share gets faster by that. The rest of the latency stays.",
        ),
        Mistake(
            "in proportion",
            lambda overhead, target: target / (1 - overhead),
            "Amdahl's law isn't a proportion: with a target of 1 you would buy something too.",
        ),
        Mistake(
            "shares swapped",
            lambda overhead, target: overhead / (1 / target - (1 - overhead)),
            "`overhead` is the share that the network does not take; it stays as it is.",
        ),
    ],
    hint="(2) says 1/target = overhead + (1 - overhead)/k. Solve for k.",
    right="At an overhead of 10 % an answer five times as fast needs a network nine times as fast; "
    "ten times as fast is out of reach for any network.",
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
            "With that limit the capacity is still below the rate: round up.",
        ),
        Mistake(
            "not rounded",
            lambda rate, fixed, each: rate * fixed / (1 - rate * each),
            "There both are equal. A limit is a whole number of images.",
        ),
        Mistake(
            "arrivals of the fixed part",
            lambda rate, fixed, each: np.ceil(rate * fixed),
            "That many come during the fixed part. More come while their images are inferred.",
        ),
        Mistake(
            "arrivals of one image's batch",
            lambda rate, fixed, each: np.ceil(rate * (fixed + each)),
            "That many come during a batch of one. A batch of B lasts longer.",
        ),
    ],
    hint="The capacity in (1), B / (fixed + each * B), must be `rate` or more. Solve for B; "
    "`np.ceil` rounds up.",
    right="Below it the queue grows without end, whatever the cores do. Near a load of 1 the limit "
    "that is needed explodes, and with it the memory.",
    unit="images",
)
