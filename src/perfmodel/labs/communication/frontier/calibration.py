"""One efficiency fitted to one published number, two predictions, and searches for good plans.

`Assumptions` holds everything else that a prediction depends on, so you can change it. The runs
that a search tries are the planner's own times, so the optimum is known. A plan that needs too much
memory fails without a time.

Throughput by the number of GPUs that share a layer is fitted inside a node and predicted beyond it.
A token costs the seconds of its products, whose total doesn't change with sharing, and the seconds
of its sums. With t GPUs each waits for all sums, so t GPUs pay t times.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from perfmodel import machines
from perfmodel.communication import (
    ParallelPlans,
    Tier,
    TieredCluster,
    TrainingJob,
    best_plan,
    enumerate_plans,
    plan_steps,
)
from perfmodel.labs.communication.frontier.inputs import (
    GPUS,
    H100_NETWORK,
    NODE,
    PRINTED,
    SEQUENCES_PER_GPU,
    SHAPES,
    STATES,
    TENSOR_THROUGHPUT,
    frontier,
)
from perfmodel.labs.communication.frontier.plan_search import PlanSearch, search_plans
from perfmodel.validation import Floats, one_of, whole

FITTED = "22B"
"""The model whose printed number the efficiency is fitted to."""
PREDICTED = ("175B", "1T")


@dataclass(frozen=True)
class Assumptions:
    """What the paper doesn't say, as far as it is known here."""

    links: float = 1.0
    """All bandwidths, over those assumed."""
    recompute: tuple[bool, ...] = (False, True)
    """Whether activations may be, must be or must not be computed again."""
    chunks: tuple[int, ...] = (1,)
    """Chunks of layers that a stage may have."""
    sequences: float = SEQUENCES_PER_GPU
    """Sequences of a step for each GPU."""
    memory: float = 1.0
    """Share of a GPU's memory that a plan may fill."""


BASE = Assumptions()
ALTERNATIVES = [
    Assumptions(*choices)
    for choices in product(
        (0.5, 1.0, 2.0), ((False, True), (True,)), ((1,), (1, 2, 4)), (1.0, 2.0, 4.0), (1.0, 0.9)
    )
]
"""72 sets: links half or twice as fast, activations always computed again, interleaved chunks, two
or four times as many sequences, a tenth of the memory kept free, in all combinations."""


@dataclass(frozen=True)
class Prediction:
    """The best plan of a model under the assumptions, and what it reaches."""

    plan: ParallelPlans
    utilization: float
    """Share of the peak, recomputed operations not counted."""
    shares: dict[str, float]
    """Parts of the step's time by name."""
    memory: float
    """Bytes on a GPU."""


def job_of(name: str, efficiency: float, assumptions: Assumptions = BASE) -> TrainingJob:
    """Return the training of a model at an efficiency of its matrix products."""
    one_of("name", name, SHAPES)
    batch = round(GPUS[name] * assumptions.sequences)
    return TrainingJob(SHAPES[name], batch, efficiency, STATES)


def plans_of(name: str, assumptions: Assumptions = BASE) -> ParallelPlans:
    """Return all plans of a model on its GPUs, optimizer states shared out over replicas."""
    return enumerate_plans(
        job_of(name, 1.0, assumptions),
        GPUS[name],
        chunks=assumptions.chunks,
        recompute=assumptions.recompute,
    )


def predict(name: str, efficiency: float, assumptions: Assumptions = BASE) -> Prediction:
    """Return the best plan that fits, and its utilization, at an efficiency.

    >>> plan = predict("1T", 0.5).plan
    >>> int(plan.tensor), int(plan.pipeline), bool(plan.recompute)
    (8, 32, True)
    """
    job = job_of(name, efficiency, assumptions)
    cluster = frontier(assumptions.links, assumptions.memory)
    plan = best_plan(job, cluster, plans_of(name, assumptions))
    steps = plan_steps(job, cluster, plan)
    parts = ("compute", "tensor", "bubble", "messages", "exchange")
    shares = {part: float(getattr(steps, part) / steps.time) for part in parts}
    return Prediction(plan, float(steps.utilization), shares, float(steps.memory))


@cache
def calibrated(assumptions: Assumptions = BASE) -> float:
    """Return the efficiency at which the best plan of 22B reaches its printed share of the peak."""
    return float(
        brentq(lambda e: predict(FITTED, e, assumptions).utilization - PRINTED[FITTED], 0.2, 1.0)
    )


@cache
def predicted(name: str, assumptions: Assumptions = BASE) -> Prediction:
    """Return the prediction for a model at the calibrated efficiency."""
    return predict(name, calibrated(assumptions), assumptions)


@cache
def under_alternatives() -> np.ndarray:
    """Return utilizations of 22B, 175B and 1T under each of the alternatives, shape (72, 3)."""
    return np.array([[predicted(name, a).utilization for name in SHAPES] for a in ALTERNATIVES])


def tensor_shares(
    groups: tuple[int, ...], cluster: TieredCluster | None = None, name: str = "175B"
) -> np.ndarray:
    """Return the share of a layer's time that its sums take, by the GPUs that share it.

    Half of the peak is reached in the products, and one sequence goes through at a time.
    """
    job = TrainingJob(SHAPES[name], 1, 0.5, STATES)
    steps = plan_steps(job, cluster or frontier(), ParallelPlans(np.array(groups), np.array(1)))
    return np.asarray(steps.tensor / (steps.tensor + steps.compute))


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


def tried(index: int) -> float | None:
    """Return the seconds of a plan by its place, or None if it fails."""
    seconds = float(plan_field().seconds[index])
    return seconds if np.isfinite(seconds) else None


@cache
def race(learning: bool, seed: int) -> PlanSearch:
    """Return 40 trials of a search that starts to learn at the tenth, or of a random search."""
    first = LEARN_FROM if learning else TRIALS
    return search_plans(tried, plans_of(MODEL), TRIALS, whole("seed", seed), at_random=first)


def regressed(seed: int) -> tuple[float, int]:
    """Return the plan that a regression picks after 40 random trials, and the number of failures.

    The regression predicts the logarithm of the seconds from the numbers' logarithms, their squares
    and products. It knows nothing about memory, so its picks are tried, best first, until one runs.
    The result is the seconds of this plan over the optimum's, and the failures before it.
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


def best_so_far(learning: bool, first: int, most: float) -> tuple[Floats, Floats]:
    """Return `median_over_best` as the corners of stairs, starting at `first`, cut off at `most`.

    A best time stays until the trial that beats it.

    >>> trials, heights = best_so_far(True, first=38, most=2.0)
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


def h100_nodes() -> TieredCluster:
    """Return nodes of eight H100, with half of the two-way figure of their links each way."""
    gpu = machines.get("h100-sxm5-80gb")
    tiers = [Tier(NODE, gpu.peer_link_two_way / 2), Tier(64, H100_NETWORK)]
    memory = 80e9  # not from the registry: what training can use of 80 GiB
    return TieredCluster(gpu.peak("fp16"), memory, tiers)


@dataclass(frozen=True)
class TensorFit:
    """Seconds of a GPU for a token: `products` + t `size` (time of a sum of one byte)."""

    products: float
    size: float
    """Bytes summed for a token, all layers and passes together, as far as they are waited for."""

    def throughput(self, group: ArrayLike) -> Floats:
        """Return tokens/s of each GPU in a `group` of t."""
        t = np.asarray(group, np.float64)
        return np.asarray(
            1 / (self.products + t * self.size * h100_nodes().all_reduce_time(1.0, t))
        )


@cache
def fit_inside_node() -> TensorFit:
    """Return the least-squares fit to the measured groups of 2, 4 and 8, which share a node.

    >>> fit = fit_inside_node()
    >>> bool(0.5 < fit.products * TENSOR_THROUGHPUT[2] < 1)
    True
    """
    inside = [t for t in TENSOR_THROUGHPUT if t <= NODE]
    sums = np.array(inside) * h100_nodes().all_reduce_time(1.0, inside)
    seconds = 1 / np.array([TENSOR_THROUGHPUT[t] for t in inside])
    size, products = np.polyfit(sums, seconds, 1)
    return TensorFit(float(products), float(size))
