"""The stratified bootstrap beside rliable's: the same intervals, and how long either takes.

`.venv/bin/python benchmarks/bootstrap.py` builds the peer's environment in _build/peers once. The
data are 498 tasks x 7 runs, the logarithms of the speedup ratios of the lab on SWE-fficiency. Both
sides resample runs, or tasks and runs, in turn, several rounds; times are seconds of processor
time, best of all rounds, imports left out. An end of rliable's interval agrees where it is off from
ours by what the choice of random numbers explains: `LIMIT` standard deviations, which ours show
from seed to seed.

The bar on speed is for the mean and for the score distribution. A median or a trimmed mean is the
same call of NumPy's or SciPy's on either side, and takes longer than the resampling.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy import stats

from perfmodel.benchmarking import performance_profile, stratified_bootstrap
from perfmodel.labs.benchmarking.swe_fficiency.results import OPENHANDS, SWE_AGENT, speedup_ratios

HERE = Path(__file__).parent
HOME = HERE.parent / "_build" / "peers" / "bootstrap"
PACKAGES = ("rliable==1.2.0", "arch==7.2.0", "pandas<3")
"""The newest that run together."""
ROUNDS, SEEDS = 5, 16
LIMIT = 4.5
"""One of the 412 ends compared would be beyond it once in 350 benchmarks by chance."""
LEAST_RATIO, MOST_SECONDS = 5.0, 2.0
BARRED = ("mean", "score distribution")
"""What has to be `LEAST_RATIO` times as fast: where resampling is most of the work."""
THRESHOLDS = np.linspace(-3, 2, 101)


def mean_of_all(scores: np.ndarray) -> np.ndarray:
    """Return the mean over tasks and runs."""
    return scores.mean(axis=(-2, -1))


def median_of_tasks(scores: np.ndarray) -> np.ndarray:
    """Return the median of the tasks' means over their runs."""
    return np.median(scores.mean(axis=-1), axis=-1)


def middle_half(scores: np.ndarray) -> np.ndarray:
    """Return the interquartile mean over tasks and runs."""
    return stats.trim_mean(scores.reshape(*scores.shape[:-2], -1), 0.25, axis=-1)


def above(scores: np.ndarray) -> np.ndarray:
    """Return the share of the scores above each threshold."""
    return 1 - performance_profile(scores.reshape(*scores.shape[:-2], -1), THRESHOLDS)


CASES: dict[str, tuple[Callable[[np.ndarray], np.ndarray], bool, int]] = {
    "mean, runs": (mean_of_all, False, 10_000),
    "mean, tasks and runs": (mean_of_all, True, 10_000),
    "median of tasks, tasks and runs": (median_of_tasks, True, 10_000),
    "interquartile mean, tasks and runs": (middle_half, True, 10_000),
    "score distribution, runs": (above, False, 2000),
    "score distribution, tasks and runs": (above, True, 2000),
}
"""Statistic, whether tasks are resampled, and resamples; peers/bootstrap.py has the same names."""


def main() -> int:
    """Print one table and return 1 if a bar is missed."""
    python = peer()
    runs = [*OPENHANDS.values(), *SWE_AGENT.values()]
    scores = np.log10([speedup_ratios(run) for run in runs]).T
    table = Table("498 tasks x 7 runs", "resamples", "ours, s", "rliable, s", "times", "apart, sd")
    missed = False
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "scores.npy"
        np.save(file, scores.T)
        np.save(Path(folder) / "thresholds.npy", THRESHOLDS)
        for name, (_, _, resamples) in CASES.items():
            ends = [ours(name, scores, seed)[1] for seed in range(1, SEEDS + 1)]
            mine = peers = np.inf
            for k in range(ROUNDS):
                mine = min(mine, ours(name, scores, k)[0])
                seconds, found = theirs(name, file, resamples, k, python)
                peers = min(peers, seconds)
            apart = distance(np.array(ends), found)
            slow = name.startswith(BARRED) and peers / mine < LEAST_RATIO
            slow |= resamples == 10_000 and mine > MOST_SECONDS
            missed |= apart > LIMIT or slow
            row = (f"{mine:.3f}", f"{peers:.2f}", f"{peers / mine:.1f}", f"{apart:.1f}")
            table.add_row(name, f"{resamples:,}", *row)
    Console(width=100).print(table)
    print(f"bars: {LEAST_RATIO:g} times as fast for {' and '.join(BARRED)}, {MOST_SECONDS:g} s for")
    print(f"10,000 resamples, ends {LIMIT:g} standard deviations apart")
    return int(missed)


def ours(name: str, scores: np.ndarray, seed: int) -> tuple[float, np.ndarray]:
    """Return our seconds of processor time and the ends of our interval, shape (2, k)."""
    statistic, tasks, resamples = CASES[name]
    began = time.process_time()
    found = stratified_bootstrap(scores, statistic, tasks=tasks, resamples=resamples, seed=seed)
    ends = found.interval()
    return time.process_time() - began, np.reshape(ends, (2, -1))


def theirs(
    name: str, file: Path, resamples: int, seed: int, python: Path
) -> tuple[float, np.ndarray]:
    """Return the same of rliable, in its own environment."""
    script = [str(python), str(HERE / "peers" / "bootstrap.py"), name, str(file)]
    done = subprocess.run(
        [*script, str(resamples), str(seed)], capture_output=True, text=True, check=True
    )
    seconds, ends = json.loads(done.stdout.splitlines()[-1])
    return seconds, np.reshape(ends, (2, -1))


def distance(ends: np.ndarray, found: np.ndarray) -> float:
    """Return how many standard deviations rliable's ends are from ours at most.

    An end of a share moves in steps of one score; less than a step is no difference.
    """
    step = 1 / (498 * 7)
    apart = np.maximum(np.abs(found - ends.mean(axis=0)) - step, 0)
    spread = np.maximum(ends.std(axis=0, ddof=1), step / 4) * np.sqrt(1 + 1 / len(ends))
    return float((apart / spread).max())


def peer() -> Path:
    """Build the peer's environment once and return its Python."""
    python = HOME / "bin" / "python"
    if not python.exists():
        venv.create(HOME, with_pip=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
    return python


if __name__ == "__main__":
    sys.exit(main())
