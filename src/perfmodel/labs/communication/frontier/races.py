"""How soon a good plan of 175B is found by trying: by chance, by a search that learns, by a line.

The runs that are tried are the planner's own times, so that the best is known; a plan that needs
more memory than there is fails without a time.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from perfmodel.communication import PlanSearch, plan_steps, search_plans
from perfmodel.labs.communication.frontier.calibration import calibrated, job_of, plans_of
from perfmodel.labs.communication.frontier.inputs import frontier
from perfmodel.validation import Floats, whole

MODEL = "175B"
TRIALS = 40
LEARN_FROM = 10
SEEDS = (0, 1, 2)


@dataclass(frozen=True)
class PlanField:
    """All plans, their seconds (infinite where they fail), and their numbers as logarithms."""

    seconds: Floats
    numbers: Floats

    @property
    def best(self) -> float:
        """Seconds of the best plan that fits."""
        return float(self.seconds.min())

    @property
    def failing(self) -> float:
        """Share of the plans that fail."""
        return float(np.isinf(self.seconds).mean())


@cache
def plan_field() -> PlanField:
    """Return the plans of 175B on 1,024 GPUs."""
    plans = plans_of(MODEL)
    steps = plan_steps(job_of(MODEL, calibrated()), frontier(), plans)
    columns = (plans.tensor, plans.pipeline, plans.micro_batch, 1 + plans.recompute)
    return PlanField(np.where(steps.fits, steps.time, np.inf), np.log2(np.stack(columns, axis=1)))


def tried(place: int) -> float | None:
    """Return the seconds of a plan by its place, or None if it fails."""
    seconds = float(plan_field().seconds[place])
    return seconds if np.isfinite(seconds) else None


@cache
def race(learning: bool, seed: int) -> PlanSearch:
    """Return 40 trials of a search that learns from the tenth on, or of one by chance."""
    first = LEARN_FROM if learning else TRIALS
    return search_plans(tried, plans_of(MODEL), TRIALS, whole("seed", seed), at_random=first)


def regressed(seed: int) -> tuple[float, int]:
    """Return the plan that a regression picks after chance's 40 trials, and how many had failed.

    The regression is of the logarithm of the seconds on the numbers' logarithms, their squares and
    products; it knows nothing of memory, so that its picks are tried from the best on until one
    runs. Returned are that one's seconds over the best's, and the failures on the way.
    """
    from sklearn.linear_model import LinearRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import PolynomialFeatures

    field, trials = plan_field(), race(False, seed)
    ran = trials.tried[np.isfinite(trials.time)]
    line = make_pipeline(PolynomialFeatures(2), LinearRegression())
    line.fit(field.numbers[ran], np.log(field.seconds[ran]))
    order = np.argsort(line.predict(field.numbers), kind="stable")
    failures = int(np.argmax(np.isfinite(field.seconds[order])))
    return float(field.seconds[order[failures]] / field.best), failures


def median_over_best(learning: bool) -> Floats:
    """Return the best time so far over the best of all, the median of three searches by trial."""
    runs = [race(learning, seed).best_so_far / plan_field().best for seed in SEEDS]
    return np.asarray(np.median(runs, axis=0))


def stairs(learning: bool, first: int, most: float) -> tuple[Floats, Floats]:
    """Return `median_over_best` as the corners of stairs, from a trial on and cut off at a height.

    A best time stays until the trial that beats it.

    >>> trials, heights = stairs(True, first=38, most=2.0)
    >>> trials.tolist(), heights.shape
    ([38.0, 39.0, 39.0, 40.0, 40.0], (5,))
    """
    trials = np.arange(whole("first", first, 1), TRIALS + 1, dtype=np.float64)
    heights = np.minimum(median_over_best(learning)[first - 1 :], most)
    return np.repeat(trials, 2)[1:], np.repeat(heights, 2)[:-1]


def standings() -> list[tuple[str, float, float, float, float]]:
    """Return for each seeker its runs and failures (means), and its plan's time (median, worst).

    Times are over the best plan's. The regression's runs and failures are chance's and its own.
    """
    rows = []
    for name, learning in (("chance", False), ("learning", True)):
        runs = [race(learning, seed) for seed in SEEDS]
        failures = float(np.mean([run.failures for run in runs]))
        times = [float(run.best_so_far[-1]) / plan_field().best for run in runs]
        rows.append((name, float(TRIALS), round(failures, 1), float(np.median(times)), max(times)))
    picks = [regressed(seed) for seed in SEEDS]
    times = [time for time, _ in picks]
    more = float(np.mean([failures for _, failures in picks]))
    line = ("regression", TRIALS + more + 1, rows[0][2] + more, float(np.median(times)), max(times))
    return [rows[0], line, rows[1], ("whitebox", 1.0, 0.0, 1.0, 1.0)]
