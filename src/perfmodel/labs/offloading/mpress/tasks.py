"""What the reader does: the memory of a stage, and what of a swap is exposed."""

from __future__ import annotations

from perfmodel.tasks import Mistake, Task


def _memory(stage: int, stages: int, micro_batches: int, states: float, activation: float) -> float:
    return states + min(stages - stage, micro_batches) * activation


stage_memory = Task(
    "The memory that a stage needs under 1F1B",
    reference=_memory,
    cases=[(0, 8, 32, 19.3e9, 3.7e9), (6, 8, 32, 19.3e9, 3.7e9), (1, 8, 4, 19.3e9, 3.7e9)],
    mistakes=[
        Mistake(
            "itself forgotten",
            lambda stage, stages, micro_batches, states, activation: (
                states + min(stages - stage - 1, micro_batches) * activation
            ),
            "The one that the stage works on lies there too: the last stage holds one.",
        ),
        Mistake(
            "counted from 1",
            lambda stage, stages, micro_batches, states, activation: (
                states + min(stages - stage + 1, micro_batches) * activation
            ),
            "One too many. Stages count from 0: stage 0 of eight holds eight.",
        ),
        Mistake(
            "the larger of the two",
            lambda stage, stages, micro_batches, states, activation: (
                states + max(stages - stage, micro_batches) * activation
            ),
            "The schedule and the step each set a limit: the smaller of the two holds.",
        ),
        Mistake(
            "states of each micro-batch",
            lambda stage, stages, micro_batches, states, activation: (
                (states + activation) * min(stages - stage, micro_batches)
            ),
            "The states lie there once; micro-batches share them.",
        ),
        Mistake(
            "stage 0 everywhere",
            lambda stage, stages, micro_batches, states, activation: (
                states + min(stages, micro_batches) * activation
            ),
            "That is stage 0. Later stages wait for fewer others, and hold fewer.",
        ),
        Mistake(
            "all micro-batches",
            lambda stage, stages, micro_batches, states, activation: (
                states + micro_batches * activation
            ),
            "That is GPipe. 1F1B goes backward as soon as it can.",
        ),
        Mistake(
            "more than there are",
            lambda stage, stages, micro_batches, states, activation: (
                states + (stages - stage) * activation
            ),
            "A stage holds no more micro-batches than a step has.",
        ),
        Mistake(
            "the other end",
            lambda stage, stages, micro_batches, states, activation: (
                states + min(stage + 1, micro_batches) * activation
            ),
            "The last stage goes backward at once; the first waits for all that come after it.",
        ),
        Mistake(
            "states forgotten",
            lambda stage, stages, micro_batches, states, activation: (
                min(stages - stage, micro_batches) * activation
            ),
            "Weights, gradients and optimizer states lie there as well.",
        ),
    ],
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
    mistakes=[
        Mistake(
            "one way",
            lambda stage, stages, pass_time, size, bandwidth, sharers: max(
                size * sharers / bandwidth - (stages - stage - 1) * pass_time, 0.0
            ),
            "It goes out and must come back before the backward pass: twice the bytes.",
        ),
        Mistake(
            "link to itself",
            lambda stage, stages, pass_time, size, bandwidth, sharers: max(
                2 * size / bandwidth - (stages - stage - 1) * pass_time, 0.0
            ),
            "`sharers` GPUs use the link at once: each gets its part of the bandwidth.",
        ),
        Mistake(
            "nothing hidden",
            lambda stage, stages, pass_time, size, bandwidth, sharers: (
                2 * size * sharers / bandwidth
            ),
            "Meanwhile other micro-batches are computed; only what exceeds that is waited for.",
        ),
        Mistake(
            "window too long",
            lambda stage, stages, pass_time, size, bandwidth, sharers: max(
                2 * size * sharers / bandwidth - (stages - stage) * pass_time, 0.0
            ),
            "Between a micro-batch's own passes at stage s lie p - s - 1 of the others.",
        ),
        Mistake(
            "below zero",
            lambda stage, stages, pass_time, size, bandwidth, sharers: (
                2 * size * sharers / bandwidth - (stages - stage - 1) * pass_time
            ),
            "What is over early is hidden: 0, and never less.",
        ),
        Mistake(
            "window of three passes each",
            lambda stage, stages, pass_time, size, bandwidth, sharers: max(
                2 * size * sharers / bandwidth - 3 * (stages - stage - 1) * pass_time, 0.0
            ),
            "`pass_time` is a forward and a backward pass together already.",
        ),
        Mistake(
            "the smaller of the two",
            lambda stage, stages, pass_time, size, bandwidth, sharers: min(
                2 * size * sharers / bandwidth - (stages - stage - 1) * pass_time, 0.0
            ),
            "Waiting is never less than 0: take the larger of 0 and what is left.",
        ),
        Mistake(
            "more sharers, more bandwidth",
            lambda stage, stages, pass_time, size, bandwidth, sharers: max(
                2 * size / (bandwidth * sharers) - (stages - stage - 1) * pass_time, 0.0
            ),
            "Sharers divide the bandwidth of the link.",
        ),
        Mistake(
            "what is left of the window",
            lambda stage, stages, pass_time, size, bandwidth, sharers: max(
                (stages - stage - 1) * pass_time - 2 * size * sharers / bandwidth, 0.0
            ),
            "That is the room to spare. Exposed is what the swap takes beyond the window.",
        ),
    ],
    hint="Draw what stage s does between a micro-batch's own two passes: how many others fill it? "
    "Then the link: which bytes cross it meanwhile, there and back, of how many GPUs?",
    right="The stage that has to swap most, the first, has the longest window as well.",
    unit="s",
)
