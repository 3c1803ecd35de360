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
            "counted from 1",
            lambda stage, stages, micro_batches, states, activation: (
                states + min(stages - stage - 1, micro_batches) * activation
            ),
            "Stages count from 0: stage 0 holds as many micro-batches as there are stages.",
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
    hint="Stage s of p has p - s micro-batches in flight, but no more than there are.",
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
    ],
    hint="Out and back take `2 * size * sharers / bandwidth`; hidden are `(stages - stage - 1)` "
    "passes of `pass_time`.",
    right="The stage that has to swap most, the first, has the longest window as well.",
    unit="s",
)
