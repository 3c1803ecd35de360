"""What binds the best policy of 175B, over the size of a GPU batch and their number."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from perfmodel.labs.offloading.flexgen.calibration import BIG, disk_rate
from perfmodel.labs.offloading.flexgen.inputs import CAPACITIES, GIB, with_disk
from perfmodel.labs.offloading.flexgen.policy import Batch
from perfmodel.labs.offloading.flexgen.program import Limits, solve
from perfmodel.labs.offloading.flexgen.sizes import Job
from perfmodel.validation import Floats, positive

SIZES = (1, 4, 16, 32, 64)
COUNTS = (1, 2, 4, 8, 16, 32)
BOUND_BY: Mapping[str, tuple[str, ...]] = {
    "disk": ("from_disk", "to_disk"),
    "computing": ("compute",),
    "GPU's links": ("to_gpu", "to_cpu"),
}
"""What most of the time hangs on, by the resources that it stands for."""
NO_ROOM = len(BOUND_BY)


class PolicyMap(NamedTuple):
    """The best tokens/s of each batch and the index in `BOUND_BY` of its bound, by (size, count).

    Where nothing fits they are 0 and `NO_ROOM`.
    """

    throughput: Floats
    bound: NDArray[np.int64]

    @property
    def best(self) -> tuple[int, int]:
        """Place of the largest throughput."""
        place = np.unravel_index(int(np.argmax(self.throughput)), self.throughput.shape)
        return int(place[0]), int(place[1])


def policy_map(dram: float, disks: float, job: Job = BIG.job) -> PolicyMap:
    """Return the best policies over a grid of GPU batches.

    With `dram` GiB, all of which may be filled, and a disk `disks` times as fast as in Table 8.
    """
    rates = with_disk(float(positive("disks", disks)) * disk_rate())
    machine = {**CAPACITIES, "CPU": float(positive("dram", dram)) * GIB}
    limits = Limits.of(machine)
    throughput = np.zeros((len(SIZES), len(COUNTS)))
    bound = np.full(throughput.shape, NO_ROOM)
    for place in np.ndindex(throughput.shape):
        batch = Batch(SIZES[place[0]], COUNTS[place[1]])
        found = solve(job, batch, rates, limits)
        if found is None:
            continue
        hangs = found.shares_of_time
        parts = [sum(hangs[name] for name in names) for names in BOUND_BY.values()]
        throughput[place] = found.throughput
        bound[place] = int(np.argmax(parts))
    return PolicyMap(throughput, bound)
