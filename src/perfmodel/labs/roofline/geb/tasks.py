"""Tasks: count the channels that a claim needs, and find the batch that computing bounds."""

from __future__ import annotations

import math

from perfmodel.answers.mistakes import mistakes
from perfmodel.tasks import Task

batch_of_the_bend = Task(
    "The batch at which computing takes as long as reading",
    reference=lambda bandwidth, peak, size: size * peak / (2 * bandwidth),
    cases=[(50e9, 400e9, 4), (50e9, 400e9, 0.5), (3e12, 900e12, 2)],
    mistakes=mistakes(
        lambda bandwidth, peak, size: size * peak / bandwidth,
        "one operation a weight: You counted one operation a weight. Each text needs two, a "
        "multiplication and an addition.",
        lambda bandwidth, peak, size: peak / (2 * bandwidth),
        "bytes left out: You left out `size`. The reading time depends on the bytes of a weight.",
        lambda bandwidth, peak, size: peak / (2 * bandwidth * size),
        "bytes on the wrong side: Your batch falls with the size of a weight. Larger weights take "
        "longer to read, which hides the computing of more texts.",
    ),
    hint="Set the two terms of equation (1) equal. The parameters cancel. Solve for B.",
    right="The result doesn't depend on the model. At 50 GB/s and 400 GFLOP/s it is 16 texts in 32 "
    "bits and 2 in 4 bits. So quantization helps a single user most.",
    unit="texts",
)

fewest_channels = Task(
    "Fewest memory channels that a claim allows",
    reference=lambda rate, step_bytes, transfers: math.ceil(rate * step_bytes / (8 * transfers)),
    cases=[(12, 4.859e9, 3.2e9), (12, 4.859e9, 4.8e9), (45, 2.43e9, 2.666e9)],
    mistakes=mistakes(
        lambda rate, step_bytes, transfers: rate * step_bytes / (8 * transfers),
        "not rounded: The number of channels must be whole. Round it so that it is enough.",
        lambda rate, step_bytes, transfers: round(rate * step_bytes / (8 * transfers)),
        "rounded to the nearest: You rounded to the nearest number. With 2.28 channels, two would "
        "be too slow. Round up.",
        lambda rate, step_bytes, transfers: math.ceil(rate * step_bytes / transfers),
        "a byte a transfer: You used 1 byte a transfer. A transfer moves 8 bytes on each channel.",
        lambda rate, step_bytes, transfers: math.ceil(8 * rate * step_bytes / transfers),
        "a bit a wire: You multiplied by 8. A channel is 8 bytes wide, so divide by 8.",
    ),
    hint="Equation (2) gives the bandwidth that the claim needs. One channel has 8 times "
    "`transfers` bytes/s. Divide, and round up (`np.ceil`).",
    right="With DDR4-3200 the claim needs three channels, but laptops and desktops have two. With "
    "DDR5-4800 two are enough. The bound alone divides machines into possible and impossible.",
    unit="channels",
)
