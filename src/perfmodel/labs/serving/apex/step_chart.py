"""A decode step on eight GPUs by plan: memory or arithmetic, exchange, and overheads."""

from __future__ import annotations

import numpy as np

from perfmodel.labs.serving.apex.plans import GPUS
from perfmodel.labs.serving.apex.replay import decoder_steps, fitted
from perfmodel.live.drawing import Box, Scale, Scene, Shape, Text
from perfmodel.live.drawing.shapes import Fill
from perfmodel.validation import Floats, whole

CONTEXT = 1000
"""Tokens that each sequence has in the cache."""
PARTS: tuple[tuple[str, Fill, int], ...] = (
    ("memory or arithmetic", "solid", 1),
    ("exchange", "hatch", 2),
    ("iteration", "light", 3),
    ("sequences", "none", 0),
)
"""Parts of a step, with their fill and colour."""
LONGEST = 50.0
"""Milliseconds that the sheet is wide."""
_LEFT, _RIGHT, _TOP, _ROW = 50.0, 350.0, 8.0, 20.0


def step_parts(tensor: int, sequences: float) -> Floats:
    """Return the seconds of the four parts of a step, in the order of `PARTS`, of one copy.

    Their sum is the step of `decoder_steps` with fitted constants, on `tensor` GPUs.
    """
    steps, each = decoder_steps(tensor, fitted()), sequences
    busy = np.maximum(steps.compute(0, each, each * CONTEXT), steps.memory(each, each * CONTEXT))
    return np.array(
        [busy, steps.exchange(each), steps.overhead, steps.sequence_overhead * each], float
    )


def plan_step(tensor: int, sequences: int) -> Scene:
    """Draw a step in which all copies, evenly dealt, give `sequences` sequences a token."""
    count = whole("sequences", sequences, 1)
    copies = GPUS // tensor
    across = Scale(0, LONGEST, _LEFT, _RIGHT)
    shapes: list[Shape] = []
    spans = []
    for copy in range(copies):
        own = count // copies + (copy < count % copies)
        ends = 1e3 * np.cumsum(step_parts(tensor, own)) if own else np.zeros(len(PARTS))
        spans.append((own, float(ends[-1])))
        for part in range(tensor):
            y = _TOP + (copy * tensor + part) * _ROW + 2 * copy
            shapes.append(Text(f"GPU {copy * tensor + part + 1}", 2, y + 13, "start"))
            for (_, fill, colour), start, end in zip(PARTS, [0, *ends[:-1]], ends, strict=True):
                if across.length(end - start) >= 1:
                    width = across.length(end - start)
                    shapes.append(Box(across(start), y, width, _ROW - 4, "", colour, fill))
    low = _TOP + GPUS * _ROW + 10
    shapes += across.below(low, "time (ms)")
    for index, (name, fill, colour) in enumerate(PARTS):
        x, y = (20.0, 210.0)[index % 2], low + 42 + 20 * (index // 2)
        shapes += [Box(x, y, 14, 12, "", colour, fill), Text(name, x + 20, y + 11, "start")]
    busy = [(own, span) for own, span in spans if own]
    rate = sum(own / span * 1e3 for own, span in busy)
    longest = max(span for _, span in busy)
    says = (
        f"{copies} cop{'ies' if copies > 1 else 'y'} on {tensor} GPUs each, {count} "
        f"sequence{'s' * (count > 1)}: a step takes {longest:.1f} ms, and all "
        f"copies together generate {rate:,.0f} tokens/s."
    )
    return Scene(low + 88, shapes, says, {"step (ms)": longest, "tokens/s": rate})
