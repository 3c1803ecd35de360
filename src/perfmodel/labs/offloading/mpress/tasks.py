"""Tasks: the memory of a stage, and the exposed time of a swap."""

from __future__ import annotations

from perfmodel.answers.mistakes import mistakes
from perfmodel.tasks import Task


def _memory(stage: int, stages: int, micro_batches: int, states: float, activation: float) -> float:
    return states + min(stages - stage, micro_batches) * activation


stage_memory = Task(
    "The memory that a stage needs under 1F1B",
    reference=_memory,
    cases=[(0, 8, 32, 19.3e9, 3.7e9), (6, 8, 32, 19.3e9, 3.7e9), (1, 8, 4, 19.3e9, 3.7e9)],
    mistakes=mistakes(
        lambda stage, stages, micro_batches, states, activation: (
            states + min(stages - stage - 1, micro_batches) * activation
        ),
        "itself forgotten: Count the micro-batch that the stage works on, too. The last stage "
        "holds one.",
        lambda stage, stages, micro_batches, states, activation: (
            states + min(stages - stage + 1, micro_batches) * activation
        ),
        "counted from 1: One too many. Stages count from 0, and stage 0 of eight holds eight.",
        lambda stage, stages, micro_batches, states, activation: (
            states + max(stages - stage, micro_batches) * activation
        ),
        "the larger of the two: The schedule and the step each set an upper limit. Take the "
        "smaller.",
        lambda stage, stages, micro_batches, states, activation: (
            (states + activation) * min(stages - stage, micro_batches)
        ),
        "states of each micro-batch: A stage has its states once. Micro-batches share them.",
        lambda stage, stages, micro_batches, states, activation: (
            states + min(stages, micro_batches) * activation
        ),
        "stage 0 everywhere: That is stage 0. Later stages hold fewer micro-batches.",
        lambda stage, stages, micro_batches, states, activation: (
            states + micro_batches * activation
        ),
        "all micro-batches: That is GPipe. 1F1B goes backward as soon as it can.",
        lambda stage, stages, micro_batches, states, activation: (
            states + (stages - stage) * activation
        ),
        "more than there are: A stage holds no more micro-batches than a step has.",
        lambda stage, stages, micro_batches, states, activation: (
            states + min(stage + 1, micro_batches) * activation
        ),
        "the other end: The last stage goes backward at once and holds one. The first stage waits "
        "for all stages after it.",
        lambda stage, stages, micro_batches, states, activation: (
            min(stages - stage, micro_batches) * activation
        ),
        "states forgotten: Add the weights, gradients and optimizer states.",
    ),
    hint="Count the stages from this one to the end, this one included. What else limits the "
    "number of micro-batches?",
    right="With equal layers the first stage runs out first, and the last stage has most to spare.",
    unit="bytes",
)


def _exposed(
    stage: int, stages: int, pass_time: float, size: float, bandwidth: float, sharers: int
) -> float:
    window = (stages - stage - 1) * pass_time
    return max(2 * size * sharers / bandwidth - window, 0.0)


exposed = Task(
    "What of a swap is exposed",
    reference=_exposed,
    cases=[
        (2, 8, 0.30, 3.72e9, 12e9, 1),
        (2, 8, 0.30, 3.72e9, 12e9, 4),
        (6, 8, 0.30, 3.72e9, 12e9, 3),
        (6, 8, 0.30, 3.72e9, 4e9, 2),
    ],
    mistakes=mistakes(
        lambda stage, stages, pass_time, size, bandwidth, sharers: max(
            size * sharers / bandwidth - (stages - stage - 1) * pass_time, 0.0
        ),
        "one way: The bytes go out and must come back before the backward pass. Count them twice.",
        lambda stage, stages, pass_time, size, bandwidth, sharers: max(
            2 * size / bandwidth - (stages - stage - 1) * pass_time, 0.0
        ),
        "link to itself: `sharers` GPUs use the link at once, so each gets a part of it.",
        lambda stage, stages, pass_time, size, bandwidth, sharers: 2 * size * sharers / bandwidth,
        "nothing hidden: Meanwhile the stage computes other micro-batches. Only the time beyond "
        "this window is exposed.",
        lambda stage, stages, pass_time, size, bandwidth, sharers: max(
            2 * size * sharers / bandwidth - (stages - stage) * pass_time, 0.0
        ),
        "window too long: Stage s computes p - s - 1 other micro-batches between a micro-batch's "
        "own two passes.",
        lambda stage, stages, pass_time, size, bandwidth, sharers: (
            2 * size * sharers / bandwidth - (stages - stage - 1) * pass_time
        ),
        "below zero: A swap that ends early exposes 0 s, never less.",
        lambda stage, stages, pass_time, size, bandwidth, sharers: max(
            2 * size * sharers / bandwidth - 3 * (stages - stage - 1) * pass_time, 0.0
        ),
        "window of three passes each: `pass_time` already contains a forward and a backward pass.",
        lambda stage, stages, pass_time, size, bandwidth, sharers: min(
            2 * size * sharers / bandwidth - (stages - stage - 1) * pass_time, 0.0
        ),
        "the smaller of the two: A wait is never negative. Take the larger of 0 and the "
        "difference.",
        lambda stage, stages, pass_time, size, bandwidth, sharers: max(
            2 * size / (bandwidth * sharers) - (stages - stage - 1) * pass_time, 0.0
        ),
        "more sharers, more bandwidth: Sharers divide the bandwidth of the link.",
        lambda stage, stages, pass_time, size, bandwidth, sharers: max(
            (stages - stage - 1) * pass_time - 2 * size * sharers / bandwidth, 0.0
        ),
        "the rest of the window: That is the unused part of the window. The exposed time is the "
        "swap's time beyond the window.",
    ),
    hint="Draw what stage s does between a micro-batch's own two passes. How many others does it "
    "compute? Then draw the link. Whose bytes cross it meanwhile, out and back?",
    right="The first stage has to swap most, and it also has the longest window.",
    unit="s",
)
