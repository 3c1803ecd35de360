"""Worked examples of the chapter on communication."""

from __future__ import annotations

from perfmodel.communication import collective_cost, pipeline_bubble
from perfmodel.live import Problem, SolutionLine, WorkedExample


def ring_time(machines: int, latency: float, bandwidth: float, size: float) -> Problem:
    """Return the time of a ring all-reduce, in ms; latency in µs, bandwidth in GB/s, size in MB."""
    cost = collective_cost("all-reduce", "ring", machines, size)
    starts, stream = cost.rounds * latency / 1000, cost.volume / bandwidth
    return Problem(
        f"{machines} machines add up vectors of {size:g} MB by a ring all-reduce. A message takes "
        f"{latency:g} µs to start, and a link carries {bandwidth:g} GB/s. How many ms does it "
        "take?",
        [
            SolutionLine("Rounds 2 (n − 1)", f"2 × {machines - 1}", cost.rounds),
            SolutionLine(
                "MB that each machine sends 2 (n − 1) / n × S",
                f"2 × {machines - 1} / {machines} × {size:g} MB",
                cost.volume,
                "MB",
                {
                    "That is one half of it. The ring goes round twice: to add, and to hand "
                    "out.": cost.volume / 2,
                    "A machine sends one n-th of the vector a round, not all of it.": (
                        cost.rounds * size
                    ),
                },
            ),
            SolutionLine(
                "Time 2 (n − 1) α + bytes / B",
                f"{starts:g} ms + {stream:g} ms",
                starts + stream,
                "ms",
                {
                    "You left out the starts of the messages, α a round.": stream,
                    "That is one half. The ring goes round twice: to add, and to hand out.": (
                        (starts + stream) / 2
                    ),
                    "That is the starts alone. Add the time of the bytes.": starts,
                },
            ),
        ],
    )


RING_TIME = WorkedExample(
    "communication-ring-time",
    ring_time,
    1,
    {"machines": 5, "latency": 25, "bandwidth": 10, "size": 10},
    {"machines": 8, "latency": 10, "bandwidth": 20, "size": 40},
    {"machines": 16, "latency": 20, "bandwidth": 25, "size": 20},
)


def bubble(stages: int, micro_batches: int) -> Problem:
    """Return the fraction of a pipelined step in which a stage idles, in per cent."""
    share = 100 * float(pipeline_bubble(stages, micro_batches))
    return Problem(
        f"A pipeline has {stages} equal stages and divides a batch into {micro_batches} "
        "micro-batches. Messages are free. Which percentage of a step does a stage idle?",
        [
            SolutionLine("Idle slots p − 1", f"{stages} − 1", stages - 1),
            SolutionLine(
                "Slots of a step k + p − 1",
                f"{micro_batches} + {stages} − 1",
                micro_batches + stages - 1,
                "",
                {
                    "That is the busy slots alone. Add the p − 1 in which a stage waits.": (
                        micro_batches
                    ),
                    "The first micro-batch fills one slot itself: p − 1 are added, not p.": (
                        micro_batches + stages
                    ),
                },
            ),
            SolutionLine(
                "Bubble (p − 1) / (k + p − 1)",
                f"{stages - 1} / {micro_batches + stages - 1}",
                share,
                "%",
                {
                    "That is idle over busy slots. Divide by all slots of the step.": (
                        100 * (stages - 1) / micro_batches
                    ),
                    "That is the busy part. The question asks for the idle one.": 100 - share,
                },
            ),
        ],
    )


BUBBLE = WorkedExample(
    "communication-bubble",
    bubble,
    1,
    {"stages": 4, "micro_batches": 8},
    {"stages": 8, "micro_batches": 8},
    {"stages": 6, "micro_batches": 12},
)
