"""Times of kernels on the GPU, without the gaps in which it waits for the next launch.

The host needs some microseconds for a launch. A kernel that is shorter leaves the GPU idle between
two of them, and marks around many launches then show the launches, not the kernels. So before the
first mark goes *cover*: work that keeps the GPU busy until everything behind it has been launched.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import nan

import numpy as np

from perfmodel.measurement.gpu.device import Device
from perfmodel.measurement.runs import RUNS, Runs, timed
from perfmodel.validation import positive, whole

SECONDS = 2e-3
"""About the length of one run."""
LAUNCHES = 50
"""Most launches of a kernel in a run: even short ones then last long enough for the marks."""
MAX_COVER_LAUNCHES = 200
"""Most launches of cover; with the kernel's, fewer than fit in a GPU's queue."""
DEEPEST = 800
"""Most launches of a kernel while the state is read; with the cover, fewer than fit in a queue."""
COVER = 512 << 20
"""Bytes of the arrays that the cover copies, or a 32nd of a small memory."""
UNCOVERED = "the host's pace is in it"

_State = Callable[[], Mapping[str, float]]
"""Returns what the GPU does at the moment, for example its clocks: always the same names."""


class Watch:
    """Times kernels of one device.

    Parameters
    ----------
    device : Device
        The GPU.
    state : callable
        Asked after a kernel's runs, while the GPU works on it once more.

    Attributes
    ----------
    seen : dict
        What `state` said last; NaN where its answer took longer than the work that it was to
        be about.

    Examples
    --------
    >>> from perfmodel.measurement.gpu.simulated import SimulatedGpu
    >>> gpu = SimulatedGpu(launch_time=5e-6, least_duration=2e-6)
    >>> round(1e6 * Watch(gpu).seconds(gpu.empty_kernel, 100) / 100, 3)
    2.0
    """

    def __init__(self, device: Device, state: _State = dict) -> None:
        self.device = device
        self.state = state
        self.seen: dict[str, float] = dict(state())
        numbers = min(COVER, device.about().memory // 32) // 4
        self._from, self._to = (device.random((numbers,), "fp32") for _ in range(2))
        self._covers = 1
        self._late = False
        device.synchronize_event()

    def seconds(self, launch: Callable[[], object], count: int = 1, covered: bool = True) -> float:
        """Return the seconds that the GPU takes for `count` launches, one after the other.

        The work isn't `covered` where the host takes part in it, as in a copy from pageable memory:
        no cover is enough then, and the host's time belongs to it.
        """
        while True:
            if covered:
                self._cover()
            first = self.device.record_event()
            for _ in range(count):
                launch()
            late = self.device.query_event(first)
            last = self.device.record_event()
            self.device.synchronize_event()
            if not late or not covered or self._covers == MAX_COVER_LAUNCHES:
                self._late |= late and covered
                return self.device.elapsed_time(first, last)
            self._covers = min(2 * self._covers, MAX_COVER_LAUNCHES)

    def runs(
        self,
        name: str,
        launch: Callable[[], object],
        work: float,
        unit: str,
        runs: int = RUNS,
        seconds: float = SECONDS,
        note: str = "",
        covered: bool = True,
    ) -> Runs:
        """Measure a kernel in many short runs, each of as many launches as it takes.

        The `name` is for a table; one `launch` does `work` in its `unit`, `FLOP` or `bytes`. A run
        lasts about `seconds` seconds; it may be 50 launches of a short kernel, or one of a long. Of
        the `runs` the `note` says what the reader must know, and where no cover was enough;
        `covered` is as in `seconds`.
        """
        positive("seconds", seconds)
        whole("runs", runs, 1)
        # What one kernel needed, after a pause of the host say, would slow down all others.
        self._covers, self._late = 1, False
        self.seconds(launch, 2, covered)
        once = min(self.seconds(launch, 3, covered) for _ in range(3)) / 3
        count = int(np.clip(np.ceil(seconds / max(once, 1e-9)), 1, LAUNCHES))
        lengths = timed(lambda: self.seconds(launch, count, covered), runs)
        self._look(launch, count)
        words = "; ".join(text for text in (note, UNCOVERED if self._late else "") if text)
        return Runs(name, float(work) * count, unit, lengths, 1, False, words)

    def warm_up(self, seconds: float = 1.0) -> None:
        """Keep the GPU busy for `seconds` seconds, so that its clocks are those of a busy one."""
        end = self.device.now() + seconds
        while self.device.now() < end:
            self._cover()
            self.device.synchronize_event()

    def _cover(self) -> None:
        for _ in range(self._covers):
            self.device.copy(self._to, self._from)

    def _look(self, launch: Callable[[], object], count: int) -> None:
        """Read the GPU's state while it works on the kernel, neither before nor after.

        The driver may take longer to answer than the work lasts. Then the answer is of an idle GPU;
        it is dropped, and asked for again with twice the work, as long as that fits in the queue.
        """
        while True:
            self._cover()
            first = self.device.record_event()
            for _ in range(count):
                launch()
            last = self.device.record_event()
            self.device.synchronize_event(first)
            told = dict(self.state())
            outlasted = self.device.query_event(last)
            self.device.synchronize_event()
            if not outlasted or 2 * count > DEEPEST:
                self.seen = dict.fromkeys(told, nan) if outlasted else told
                return
            count *= 2
