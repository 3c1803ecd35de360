"""What the reader does: the memory of a stage, and what of a swap is exposed."""

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
        "itself forgotten: The one that the stage works on lies there too: the last stage holds "
        "one.",
        lambda stage, stages, micro_batches, states, activation: (
            states + min(stages - stage + 1, micro_batches) * activation
        ),
        "counted from 1: One too many. Stages count from 0: stage 0 of eight holds eight.",
        lambda stage, stages, micro_batches, states, activation: (
            states + max(stages - stage, micro_batches) * activation
        ),
        "the larger of the two: The schedule and the step each set a limit: the smaller of the two "
        "holds.",
        lambda stage, stages, micro_batches, states, activation: (
            (states + activation) * min(stages - stage, micro_batches)
        ),
        "states of each micro-batch: The states lie there once; micro-batches share them.",
        lambda stage, stages, micro_batches, states, activation: (
            states + min(stages, micro_batches) * activation
        ),
        "stage 0 everywhere: That is stage 0. Later stages wait for fewer others, and hold fewer.",
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
        "the other end: The last stage goes backward at once; the first waits for all that come "
        "after it.",
        lambda stage, stages, micro_batches, states, activation: (
            min(stages - stage, micro_batches) * activation
        ),
        "states forgotten: Weights, gradients and optimizer states lie there as well.",
    ),
    hint="Count the stages from this one to the end, itself included. What limits it besides?",
    right="With equal layers the first stage runs out first, and the last has the most to spare.",
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
    ],
    mistakes=mistakes(
        lambda stage, stages, pass_time, size, bandwidth, sharers: max(
            size * sharers / bandwidth - (stages - stage - 1) * pass_time, 0.0
        ),
        "one way: It goes out and must come back before the backward pass: twice the bytes.",
        lambda stage, stages, pass_time, size, bandwidth, sharers: max(
            2 * size / bandwidth - (stages - stage - 1) * pass_time, 0.0
        ),
        "link to itself: `sharers` GPUs use the link at once: each gets its part of the bandwidth.",
        lambda stage, stages, pass_time, size, bandwidth, sharers: 2 * size * sharers / bandwidth,
        "nothing hidden: Meanwhile other micro-batches are computed; only what exceeds that is "
        "waited for.",
        lambda stage, stages, pass_time, size, bandwidth, sharers: max(
            2 * size * sharers / bandwidth - (stages - stage) * pass_time, 0.0
        ),
        "window too long: Between a micro-batch's own passes at stage s lie p - s - 1 of the "
        "others.",
        lambda stage, stages, pass_time, size, bandwidth, sharers: (
            2 * size * sharers / bandwidth - (stages - stage - 1) * pass_time
        ),
        "below zero: What is over early is hidden: 0, and never less.",
        lambda stage, stages, pass_time, size, bandwidth, sharers: max(
            2 * size * sharers / bandwidth - 3 * (stages - stage - 1) * pass_time, 0.0
        ),
        "window of three passes each: `pass_time` is a forward and a backward pass together "
        "already.",
        lambda stage, stages, pass_time, size, bandwidth, sharers: min(
            2 * size * sharers / bandwidth - (stages - stage - 1) * pass_time, 0.0
        ),
        "the smaller of the two: Waiting is never less than 0: take the larger of 0 and what is "
        "left.",
        lambda stage, stages, pass_time, size, bandwidth, sharers: max(
            2 * size / (bandwidth * sharers) - (stages - stage - 1) * pass_time, 0.0
        ),
        "more sharers, more bandwidth: Sharers divide the bandwidth of the link.",
        lambda stage, stages, pass_time, size, bandwidth, sharers: max(
            (stages - stage - 1) * pass_time - 2 * size * sharers / bandwidth, 0.0
        ),
        "what is left of the window: That is the room to spare. Exposed is what the swap takes "
        "beyond the window.",
    ),
    hint="Draw what stage s does between a micro-batch's own two passes: how many others fill it? "
    "Then the link: which bytes cross it meanwhile, there and back, of how many GPUs?",
    right="The stage that has to swap most, the first, has the longest window as well.",
    unit="s",
)
