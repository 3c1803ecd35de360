"""A machine with a clock of its own: noise of a known kind, so that methods can be put to the test.

>>> machine = SimulatedMachine(log_deviation=0.0)
>>> job = machine.job(0.5)
>>> job(), machine.clock()
(None, 500000000)
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from perfmodel.validation import non_negative, positive


class SimulatedMachine:
    """A clock that only jobs advance, at a speed that changes as on a shared machine.

    Parameters
    ----------
    spread : float
        Standard deviation of the logarithm of a job's time: about its coefficient of variation.
        Each job draws its own.
    drift : float
        Slowdown gained a second, relative to the speed at the start: 0.001 is 6 % a minute.
    step : float
        Extra relative time of a job while the machine is in its slow state.
    dwell : float
        Mean seconds, exponential, that the machine stays in its fast or its slow state.
    seed : int

    Attributes
    ----------
    seconds : float
        The time on the machine's clock.
    """

    def __init__(
        self,
        log_deviation: float = 0.2,
        drift: float = 0.0,
        step: float = 0.0,
        dwell: float = 20.0,
        seed: int = 1,
    ) -> None:
        self.spread = float(non_negative("log_deviation", log_deviation))
        self.drift = float(non_negative("drift", drift))
        self.step = float(non_negative("step", step))
        self.dwell = float(positive("dwell", dwell))
        self.seconds = 0.0
        self._rng = np.random.default_rng(seed)
        self._slow = False
        self._switch = float(self._rng.exponential(self.dwell))

    def clock(self) -> int:
        """Return the time in nanoseconds; reading it takes none."""
        return round(1e9 * self.seconds)

    def job(self, seconds: float) -> Callable[[], None]:
        """Return a function that takes `seconds` on this machine when nothing disturbs it."""
        length = float(positive("seconds", seconds))

        def work() -> None:
            noise = float(np.exp(self.spread * self._rng.standard_normal()))
            slowdown = (1 + self.drift * self.seconds) * (1 + self.step * self._is_slow())
            self.seconds += length * noise * slowdown

        return work

    def _is_slow(self) -> bool:
        while self.seconds >= self._switch:
            self._slow = not self._slow
            self._switch += float(self._rng.exponential(self.dwell))
        return self._slow
