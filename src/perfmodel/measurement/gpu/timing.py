"""Times of kernels on the GPU, without the gaps in which it waits for the next launch.

The host needs some microseconds for a launch. A kernel that is shorter leaves the GPU idle between
two of them, and marks around many launches then show the launches, not the kernels. So before the
first mark goes *cover*: work that keeps the GPU busy until everything behind it has been launched.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from perfmodel.measurement.gpu.device import Device
from perfmodel.measurement.runs import RUNS, Runs, timed
from perfmodel.validation import positive, whole

SECONDS = 2e-3
"""About the length of one run."""
MOST = 200
"""Launches in a run, of the kernel and of the cover each: fewer than fit in a GPU's queue."""
COVER = 128 << 20
"""Bytes of the arrays that the cover copies."""


class Watch:
    """Times kernels of one device.

    Parameters
    ----------
    device : Device

    Examples
    --------
    >>> from perfmodel.measurement.gpu.simulated import SimulatedGpu
    >>> gpu = SimulatedGpu(launch_time=5e-6, least_duration=2e-6)
    >>> round(1e6 * Watch(gpu).seconds(gpu.nothing, 100) / 100, 3)
    2.0
    """

    def __init__(self, device: Device) -> None:
        self.device = device
        self._from, self._to = (device.random((COVER // 4,), "fp32") for _ in range(2))
        self._covers = 1
        device.wait()

    def seconds(self, launch: Callable[[], object], count: int = 1) -> float:
        """Return the seconds that the GPU takes for `count` launches, one after the other.

        Where the most cover is not enough, because the host takes part in the work (a copy from
        pageable memory), the time includes the host's.
        """
        while True:
            for _ in range(self._covers):
                self.device.copy(self._to, self._from)
            first = self.device.mark()
            for _ in range(count):
                launch()
            late = self.device.passed(first)
            last = self.device.mark()
            self.device.wait()
            if not late or self._covers == MOST:
                return self.device.between(first, last)
            self._covers = min(2 * self._covers, MOST)

    def runs(
        self,
        name: str,
        launch: Callable[[], object],
        work: float,
        unit: str,
        runs: int = RUNS,
        seconds: float = SECONDS,
        note: str = "",
    ) -> Runs:
        """Measure a kernel in many short runs, each of as many launches as it takes.

        Parameters
        ----------
        name : str
        launch : callable
            Launches the kernel once.
        work : float
            Of one launch, in `unit`.
        unit : str
            `FLOP` or `bytes`.
        runs : int
            How many to time.
        seconds : float
            About the length of a run; shorter ones are the kernel's own length or 200 launches.
        note : str

        Returns
        -------
        Runs
        """
        positive("seconds", seconds)
        whole("runs", runs, 1)
        # What one kernel needed, after a pause of the host say, would slow down all others.
        self._covers = 1
        self.seconds(launch, 2)
        once = min(self.seconds(launch, 3) for _ in range(3)) / 3
        count = int(np.clip(np.ceil(seconds / max(once, 1e-9)), 1, MOST))
        found = timed(lambda: self.seconds(launch, count), runs)
        return Runs(name, float(work) * count, unit, found, 1, False, note)
