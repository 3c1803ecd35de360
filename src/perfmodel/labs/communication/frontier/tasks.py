"""Tasks: micro-batches for a bubble, micro-batches held by a stage, the fraction of sums."""

from __future__ import annotations

from perfmodel.answers.mistakes import mistakes
from perfmodel.tasks import Task

micro_batches = Task(
    "The micro-batches for a bubble",
    reference=lambda stages, bubble: (stages - 1) * (1 - bubble) / bubble,
    cases=[(64, 0.05), (8, 0.2)],
    mistakes=mistakes(
        lambda stages, bubble: stages * (1 - bubble) / bubble,
        "stages, not one less: The first micro-batch passes p - 1 stages before the last stage "
        "begins. A single stage has no bubble.",
        lambda stages, bubble: (stages - 1) / bubble - stages,
        "a slot too many: The step has m + p - 1 slots. Subtract p - 1, not p.",
        lambda stages, bubble: (stages - 1) / bubble,
        "bubble over useful time: You took the bubble as a fraction of the useful time, or counted "
        "all m + p - 1 slots. It is a fraction of the whole step, and m is the useful part.",
        lambda stages, bubble: (stages - 1) * bubble / (1 - bubble),
        "upside down: That grows with the bubble. A small bubble needs many micro-batches.",
        lambda stages, bubble: (stages - 1) / (1 - bubble),
        "share of the useful time: Test your formula: a bubble of 0.5 needs p - 1 micro-batches, "
        "and a small bubble needs many.",
    ),
    hint="Solve (2) for m.",
    right="64 stages need about 1,200 micro-batches for 5 %. A pipeline is cheap if batches are "
    "large.",
)

held = Task(
    "Micro-batches that a stage holds under 1F1B",
    reference=lambda stages, stage, count: float(min(stages - stage, count)),
    cases=[(8, 0, 32), (8, 5, 32), (8, 0, 4)],
    mistakes=mistakes(
        lambda stages, stage, count: float(count),
        "GPipe's: GPipe holds all of them. 1F1B releases one for each that it accepts.",
        lambda stages, stage, count: float(min(stages, count)),
        "same on all stages: The last stage goes backward at once and holds one. Which stage waits "
        "longest?",
        lambda stages, stage, count: float(min(stages - stage - 1, count)),
        "one too few: Those are the forward passes before the first pair. The stage also holds the "
        "pair's own micro-batch.",
        lambda stages, stage, count: float(min(stages - stage + 1, count)),
        "counted from 1: Stages count from 0. Stage 0 has `stages - 1` stages behind it and holds "
        "at most `stages`.",
        lambda stages, stage, count: float(min(stage + 1, count)),
        "stages before: You counted the stages before this one. A micro-batch is held until it "
        "comes back from the stages after it, so stage 0 waits longest.",
        lambda stages, stage, count: float(stages - stage),
        "more than there are: A stage can't hold more micro-batches than `count`.",
    ),
    hint="Step the drawing through 1F1B and count the filled cells of each stage.",
    right="So memory depends on the number of stages, not on the batch. Therefore batches can be "
    "large.",
)


def _sum_share(group: float, work: float, size: float, bandwidth: float) -> float:
    sums = 4 * 2 * (group - 1) / group * size / bandwidth
    return sums / (sums + work / group)


sum_share = Task(
    "The share of a layer's time that its sums take",
    reference=_sum_share,
    cases=[(8, 0.24, 50e6, 50e9), (2, 0.24, 50e6, 200e9)],
    mistakes=mistakes(
        lambda group, work, size, bandwidth: _sum_share(group, work * group, size, bandwidth),
        "work not shared: The GPUs share the products, so each GPU does one part of `group`. They "
        "don't share the sums.",
        lambda group, work, size, bandwidth: _sum_share(group, work, size / 4, bandwidth),
        "one sum: A layer has four sums, two forward and two backward.",
        lambda group, work, size, bandwidth: _sum_share(group, work, size / 2, bandwidth),
        "one pass: That is half of an all-reduce. One pass sums the parts, and another distributes "
        "them.",
        lambda group, work, size, bandwidth: _sum_share(
            group, work, size * group / (group - 1), bandwidth
        ),
        "whole vector twice: A GPU keeps its own part. (t - 1)/t of the bytes move in each pass.",
        lambda group, work, size, bandwidth: _sum_share(
            group, work, size * group / (group - 1) / 2, bandwidth
        ),
        "whole vector once: In a ring each GPU sends 2 (t - 1)/t vectors for one sum.",
        lambda group, work, size, bandwidth: 1 - _sum_share(group, work, size, bandwidth),
        "share of the products: That is the fraction of the products. The question asks for the "
        "sums, the rest to 1.",
        lambda group, work, size, bandwidth: (
            8 * (group - 1) / group * size / bandwidth / (work / group)
        ),
        "over the products: Divide by the whole time, products and sums.",
    ),
    hint="One sum takes `2 * (group - 1) / group * size / bandwidth`, and there are four. The "
    "products take `work / group`.",
    right="Sharing shortens the products but not the sums. So the sums' fraction grows with the "
    "group, even before any link gets slower.",
)
