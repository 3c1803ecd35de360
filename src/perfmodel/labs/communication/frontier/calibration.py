"""One efficiency fitted to one printed number, and the other two predicted.

Everything else that a prediction hangs on is in `Assumptions`, so that it can be changed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
from scipy.optimize import brentq

from perfmodel.communication import (
    ParallelPlans,
    TieredCluster,
    TrainingJob,
    best_plan,
    enumerate_plans,
    plan_steps,
)
from perfmodel.labs.communication.frontier.inputs import (
    GPUS,
    PRINTED,
    SEQUENCES_PER_GPU,
    SHAPES,
    STATES,
    frontier,
)

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
    if name not in SHAPES:
        raise ValueError(f"name must be one of {', '.join(SHAPES)}, got {name!r}")
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
