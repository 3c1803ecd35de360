"""Tasks: compute two constants from two batches, the experts read, and the energy under a cap."""

from __future__ import annotations

from perfmodel.answers.mistakes import mistakes
from perfmodel.tasks import Task


def _two_batches(
    small: float, small_energy: float, large: float, large_energy: float
) -> tuple[float, float]:
    step = (small_energy - large_energy) / (1 / small - 1 / large)
    return step, small_energy - step / small


two_batches = Task(
    "Two constants from two batches",
    reference=_two_batches,
    cases=[(8.0, 0.455, 32.0, 0.165), (16.0, 0.6, 64.0, 0.2), (1.0, 4.0, 4.0, 1.5)],
    mistakes=mistakes(
        lambda small, small_energy, large, large_energy: (
            (small_energy - large_energy) / (large - small),
            small_energy - (small_energy - large_energy) / (large - small) * small,
        ),
        "a line in the batch: You used a straight line in B. The energy is a straight line in 1/B.",
        lambda small, small_energy, large, large_energy: (small * small_energy, 0.0),
        "no floor: With your constants a token costs nothing in a large batch. Use both batches.",
        lambda small, small_energy, large, large_energy: (
            small * (small_energy - large_energy),
            large_energy,
        ),
        "the large batch as floor: You used the larger batch as the floor. It still contains its "
        "part of the step.",
    ),
    hint="Write the law for both batches and subtract. The floor cancels.",
    right="Two batches are enough to predict all others, on a card whose steps grow evenly.",
    unit="J",
)

experts_read = Task(
    "Experts that a step reads",
    reference=lambda experts, chosen, batch: experts * (1 - (1 - chosen / experts) ** batch),
    cases=[(128, 8, 8), (128, 8, 64), (16, 1, 4), (8, 2, 1)],
    mistakes=mistakes(
        lambda experts, chosen, batch: min(experts, chosen * batch),
        "no sharing: You counted each choice. Tokens often choose the same expert, and it is read "
        "once.",
        lambda experts, chosen, batch: chosen,
        "active experts only: You counted one token. Other tokens of the batch choose other "
        "experts.",
        lambda experts, chosen, batch: experts,
        "all experts: Your answer is right only for large batches. Use `batch`.",
    ),
    hint="A token misses an expert with probability 1 - chosen/experts.",
    right="Eight tokens already read 40 % of 128 experts, so active weights don't set the energy.",
)

cap_cost = Task(
    "Energy under a cap",
    reference=lambda power, memory, compute, static: (
        power * (memory + compute * (power - static) ** (-1 / 3))
    ),
    cases=[(150.0, 2000.0, 12000.0, 60.0), (250.0, 1500.0, 9000.0, 20.0), (100.0, 0.0, 5e3, 40.0)],
    mistakes=mistakes(
        lambda power, memory, compute, static: memory + compute * (power - static) ** (-1 / 3),
        "time alone: You computed the time. Energy is power times time.",
        lambda power, memory, compute, static: power * (memory + compute * power ** (-1 / 3)),
        "static power ignored: You left out the static power. It drives no clock, so subtract it "
        "before the root.",
        lambda power, memory, compute, static: (
            (power - static) * (memory + compute * (power - static) ** (-1 / 3))
        ),
        "only the part above: You multiplied by the power above the static part. Use the whole "
        "power.",
    ),
    hint="Equation (2) gives the time. Multiply it by the whole power.",
    right="A low cap makes the run longer, and the static power flows all this time.",
    unit="J",
)
