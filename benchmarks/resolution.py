"""Plant a slowdown of 10 %, and none, and count how often each is called what it is.

Run `.venv/bin/python benchmarks/resolution.py`. First on simulated machines with noise of 11 to
31 % a second of work, with drift and with steps between a fast and a slow state; then on this
machine, ten trials of each kind. The bar is nine of ten both ways, and it exits with 1 below it.
"""

from __future__ import annotations

import sys
import time
from functools import partial

import numpy as np

from perfmodel.measurement.clock import Clock
from perfmodel.measurement.simulated import SimulatedMachine
from perfmodel.measurement.statistics.comparison import compare
from perfmodel.measurement.statistics.resolution import resolution

SLOWDOWN = 0.1
TRIALS = 10
SIMULATED_TRIALS = 40
MACHINES = {
    "11 % noise": {"spread": 0.11},
    "20 % noise": {"spread": 0.20},
    "31 % noise": {"spread": 0.31},
    "20 % noise, drift of 1.2 % a minute": {"spread": 0.20, "drift": 2e-4},
    "20 % noise, steps of 30 %": {"spread": 0.20, "step": 0.3},
    "31 % noise, drift and steps": {"spread": 0.31, "drift": 2e-4, "step": 0.3},
}
CLOCKS = {"time that passes": time.perf_counter_ns, "time on a core": time.thread_time_ns}


def main() -> int:
    """Print one line for each machine and return 1 if one misses the bar."""
    good = True
    for name, noise in MACHINES.items():
        trials = [simulated(noise, seed) for seed in range(SIMULATED_TRIALS)]
        good &= report(name, trials)
    for name, clock in CLOCKS.items():
        good &= report(f"this machine, {name}", [here(clock) for _ in range(TRIALS)])
    return 0 if good else 1


def simulated(noise: dict[str, float], seed: int) -> tuple[str, str, float, float]:
    """Return the verdicts on a 10 % slowdown and on none, the resolution, and the time taken."""
    machine = SimulatedMachine(**noise, seed=seed)
    work, slow = machine.job(1.0), machine.job(1.0 + SLOWDOWN)
    ask = partial(compare, clock=machine.clock, detect=SLOWDOWN, power=0.98, max_seconds=3600)
    known = resolution(work, clock=machine.clock, detect=SLOWDOWN, power=0.98, max_seconds=3600)
    return judged(known, ask(work, slow), ask(work, work))


def here(clock: Clock) -> tuple[str, str, float, float]:
    """Return the same on this machine, where the slowdown is 10 % more steps of a loop."""
    work, slow = partial(steps, 2000), partial(steps, round(2000 * (1 + SLOWDOWN)))
    settings = {"detect": SLOWDOWN / 2, "power": 0.98, "max_seconds": 5.0, "clock": clock}
    known = resolution(work, **settings)
    return judged(known, compare(work, slow, **settings), compare(work, work, **settings))


def steps(count: int) -> int:
    """Return the last state of a chain of `count` integer steps."""
    state = 1
    for _ in range(count):
        state = (1103515245 * state + 12345) % 2147483648
    return state


def judged(known, slow, same) -> tuple[str, str, float, float]:
    """Return both verdicts, the resolution and the seconds that a comparison took."""
    seconds = float(slow.times.sum()) * slow.inner
    return known.verdict(slow), known.verdict(same), known.smallest, seconds


def report(name: str, trials: list[tuple[str, str, float, float]]) -> bool:
    """Print a line for the trials of one machine and return whether they pass the bar."""
    found = sum(slow == "slower" for slow, *_ in trials)
    false = sum(same in ("slower", "faster") for _, same, *_ in trials)
    smallest, seconds = np.median([trial[2:] for trial in trials], axis=0)
    print(
        f"{name}: found {found} of {len(trials)}, false alarms {false} of {len(trials)}, "
        f"resolution {100 * smallest:.2g} %, {seconds:.3g} s a comparison",
        flush=True,
    )
    return found >= 0.9 * len(trials) and false <= 0.1 * len(trials)


if __name__ == "__main__":
    sys.exit(main())
