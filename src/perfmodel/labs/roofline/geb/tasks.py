"""What the reader does: count the channels that a claim needs, and find where computing decides."""

from __future__ import annotations

import math

from perfmodel.answers.mistakes import mistakes
from perfmodel.tasks import Task

batch_of_the_bend = Task(
    "The batch from which computing decides",
    reference=lambda bandwidth, peak, size: size * peak / (2 * bandwidth),
    cases=[(50e9, 400e9, 4), (50e9, 400e9, 0.5), (3e12, 900e12, 2)],
    mistakes=mistakes(
        lambda bandwidth, peak, size: size * peak / bandwidth,
        "one operation a weight: Each weight is used for a multiplication and an addition: two "
        "operations a text.",
        lambda bandwidth, peak, size: peak / (2 * bandwidth),
        "bytes left out: How long reading takes depends on the bytes of a weight.",
        lambda bandwidth, peak, size: peak / (2 * bandwidth * size),
        "bytes on the wrong side: Larger weights take longer to read, so computing can hide behind "
        "them for more texts. Yours falls with their size.",
    ),
    hint="Set the two terms of equation (1) equal. The parameters cancel; solve for B.",
    right="No property of the model is in it. At 50 GB/s and 400 GFLOP/s that is 16 texts in 32 "
    "bits, and 2 in 4 bits: squeezing weights helps one user most.",
    unit="texts",
)

fewest_channels = Task(
    "Fewest memory channels that a claim allows",
    reference=lambda rate, step_bytes, transfers: math.ceil(rate * step_bytes / (8 * transfers)),
    cases=[(12, 4.859e9, 3.2e9), (12, 4.859e9, 4.8e9), (45, 2.43e9, 2.666e9)],
    mistakes=mistakes(
        lambda rate, step_bytes, transfers: rate * step_bytes / (8 * transfers),
        "not rounded: Nobody builds a part of a channel. Return a whole number that suffices.",
        lambda rate, step_bytes, transfers: round(rate * step_bytes / (8 * transfers)),
        "rounded to the nearest: 2.28 channels are not two: two would be too slow. Which way must "
        "you round?",
        lambda rate, step_bytes, transfers: math.ceil(rate * step_bytes / transfers),
        "a byte a transfer: A transfer brings 8 bytes on each channel.",
        lambda rate, step_bytes, transfers: math.ceil(8 * rate * step_bytes / transfers),
        "a bit a wire: You multiplied by 8. A channel is 8 bytes wide, so fewer channels do.",
    ),
    hint="Equation (2) gives the bandwidth that the claim needs. One channel has 8 times "
    "`transfers` bytes/s. Divide, and round so that the result suffices (`np.ceil`).",
    right="With DDR4-3200 the claim needs three channels, where laptops and desktops have two. "
    "With DDR5-4800 two do. A bound alone has divided machines into possible and impossible.",
    unit="channels",
)
