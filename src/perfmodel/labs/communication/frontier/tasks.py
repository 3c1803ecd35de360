"""What the reader does: micro-batches against the bubble, what a stage holds, the share of sums."""

from __future__ import annotations

from perfmodel.answers.mistakes import mistakes
from perfmodel.tasks import Task

micro_batches = Task(
    "The micro-batches for a bubble",
    reference=lambda stages, bubble: (stages - 1) * (1 - bubble) / bubble,
    cases=[(64, 0.05), (8, 0.2)],
    mistakes=mistakes(
        lambda stages, bubble: stages * (1 - bubble) / bubble,
        "stages, not one less: The first micro-batch passes p - 1 others' stages before the last "
        "stage begins: a single stage has no bubble.",
        lambda stages, bubble: (stages - 1) / bubble - stages,
        "a slot too many: The step has m + p - 1 slots: what you take off is p - 1, not p.",
        lambda stages, bubble: (stages - 1) / bubble,
        "bubble over useful time: That makes the bubble a share of the useful time, or counts all "
        "m + p - 1 slots. It is a share of the whole step, and m is what is left.",
        lambda stages, bubble: (stages - 1) * bubble / (1 - bubble),
        "upside down: That grows with the bubble. A small bubble takes many micro-batches.",
        lambda stages, bubble: (stages - 1) / (1 - bubble),
        "share of the useful time that is left: A bubble of a half must give as many micro-batches "
        "as p - 1, and a small bubble many.",
    ),
    hint="Solve (2) for m.",
    right="64 stages need about 1,200 micro-batches for 5 %: a pipeline is cheap where batches "
    "are large.",
)

held = Task(
    "Micro-batches that a stage holds under 1F1B",
    reference=lambda stages, stage, count: float(min(stages - stage, count)),
    cases=[(8, 0, 32), (8, 5, 32), (8, 0, 4)],
    mistakes=mistakes(
        lambda stages, stage, count: float(count),
        "GPipe's: GPipe holds all of them. 1F1B lets one go for each that it takes.",
        lambda stages, stage, count: float(min(stages, count)),
        "same on all stages: The last stage goes backward at once, and holds one. Which stage "
        "waits longest?",
        lambda stages, stage, count: float(min(stages - stage - 1, count)),
        "one too few: Those are the forward passes before the first pair. The pair's own is held, "
        "too.",
        lambda stages, stage, count: float(min(stages - stage + 1, count)),
        "counted from 1: Stages are counted from 0 here: stage 0 has `stages - 1` behind it, and "
        "holds `stages` at most.",
        lambda stages, stage, count: float(min(stage + 1, count)),
        "stages before: You count the stages before this one. A micro-batch is held until it comes "
        "back from those after it: stage 0 waits longest.",
        lambda stages, stage, count: float(stages - stage),
        "more than there are: It can't hold more micro-batches than there are.",
    ),
    hint="Step the drawing through 1F1B and count the filled cells of each stage.",
    right="So memory depends on the number of stages, not on the batch: that is what lets a batch "
    "be large.",
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
        "work not shared: The products are shared: each GPU has one part of `group`. The sums "
        "aren't.",
        lambda group, work, size, bandwidth: _sum_share(group, work, size / 4, bandwidth),
        "one sum: A layer has four sums: two forward, two backward.",
        lambda group, work, size, bandwidth: _sum_share(group, work, size / 2, bandwidth),
        "one pass: That is half of an all-reduce: parts are summed in one pass, and handed out in "
        "another.",
        lambda group, work, size, bandwidth: _sum_share(
            group, work, size * group / (group - 1), bandwidth
        ),
        "whole vector twice: A GPU keeps its own part: (t - 1)/t of the bytes move in each pass.",
        lambda group, work, size, bandwidth: 1 - _sum_share(group, work, size, bandwidth),
        "share of the products: That is the share of the products. Asked for is that of the sums, "
        "the rest to 1.",
        lambda group, work, size, bandwidth: (
            8 * (group - 1) / group * size / bandwidth / (work / group)
        ),
        "over the products: Asked for is a share of the whole time, products and sums.",
    ),
    hint="One sum is `2 * (group - 1) / group * size / bandwidth`; the products take "
    "`work / group`.",
    right="Sharing shortens the products and not the sums, so that the share grows with the group "
    "even before any link gets slower.",
)
