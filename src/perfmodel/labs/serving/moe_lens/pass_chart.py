"""A pass, layer by layer: weights come over the link, the GPU works, the CPU reads the cache.

A layer's tokens visit the GPU (queries, keys, values), the CPU (attention to the cache of decoding
sequences) and the GPU again (the rest, mainly experts). With two halves of a batch, one half is on
the GPU while the other is on the CPU. When a half has passed a layer, the GPU does the part of the
next layer that the CPU waits for. The link brings a layer when a buffer is free. There are two or
three buffers of one layer each.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from perfmodel.communication import TaskGraph, TaskRun, simulate_tasks
from perfmodel.labs.serving.moe_lens.inputs import FULL, LAYERS, MIXTRAL, server
from perfmodel.live.drawing import Box, Line, Scale, Scene, Shape, Text
from perfmodel.serving import saturating_cache
from perfmodel.validation import Floats, one_of, within

ANSWERS, WHOLE, HALVES, THIRD = "answers alone", "one batch", "two halves", "a third buffer"
MODES = {ANSWERS: (1, 2), WHOLE: (1, 2), HALVES: (2, 2), THIRD: (2, 3)}
"""Parts of the batch, and buffers. The first has sequences of one age and no prompts."""
P, G = 98, 64
"""Tokens of each request drawn."""
DRAWN = 1.0
"""Seconds of the pass that are drawn."""
ROWS = ("link", "GPU", "CPU")
_BEFORE = (MIXTRAL.attention_weights - MIXTRAL.hidden**2) / MIXTRAL.active_weights
"""Share of the GPU's work that comes before attention."""
_LEFT, _RIGHT, _TOP, _ROW = 42.0, 352.0, 22.0, 28.0


def layer_times(mode: str) -> Floats:
    """Return the seconds of a layer on link, GPU and CPU, the cache being what fills a pass.

    >>> 1e3 * layer_times(HALVES).round(3)
    array([151., 151.,  26.])
    >>> 1e3 * layer_times(ANSWERS).round(3)
    array([151.,  49.,  26.])
    """
    one_of("mode", mode, MODES)
    times = server()
    capacity = float(saturating_cache(FULL, P, G))
    tokens = capacity / (P + G) if mode == ANSWERS else FULL
    link, gpu, _ = times.channels(tokens)
    return np.array([link, gpu, capacity * times.cache_bytes / times.memory]) / LAYERS


@cache
def played(mode: str, layers: int = LAYERS) -> TaskRun:
    """Return the run of a pass of this many layers.

    Tasks of a layer are the link's, and for each half those before attention, on the CPU, after it.

    >>> [round(played(mode).makespan, 2) for mode in MODES]
    [4.9, 5.81, 5.24, 5.05]
    """
    link, gpu, cpu = layer_times(mode)
    halves, buffers = MODES[mode]
    visits = [gpu * _BEFORE / halves, cpu / halves, gpu * (1 - _BEFORE) / halves]
    size = 1 + 3 * halves
    edges, priority = [], np.arange(size * layers, dtype=np.float64)
    for layer in range(layers):
        at = size * layer
        for half in range(halves):
            first = at + 1 + 3 * half
            edges += [(at, first), (first, first + 1), (first + 1, first + 2)]
            if layer:
                edges.append((first - size + 2, first))
                priority[first] = first - size + 2.5
            if layer >= buffers:
                edges.append((first - buffers * size + 2, at))
    return simulate_tasks(
        TaskGraph(
            np.tile([0, *[1, 2, 1] * halves], layers),
            np.tile([link, *visits * halves], layers),
            np.array(edges, np.int64),
            priority=priority,
        )
    )


def pass_steps(mode: str, moment: float) -> Scene:
    """Draw the work of link, GPU and CPU by layer, up to a moment of the pass's first second.

    >>> [pass_steps(mode, 1.0).values["GPU busy (%)"] for mode in MODES]
    [31.7, 82.9, 92.0, 95.5]
    """
    run = played(mode)
    now = float(within("moment", moment, 0, DRAWN))
    halves = MODES[mode][0]
    size = 1 + 3 * halves
    across = Scale(0, DRAWN, _LEFT, _RIGHT)
    low = _TOP + len(ROWS) * _ROW + 4
    shapes: list[Shape] = [
        Text(name, 2, _TOP + (row + 0.5) * _ROW + 4, "start") for row, name in enumerate(ROWS)
    ]
    for task in np.flatnonzero(run.start < now):
        layer, index = divmod(int(task), size)
        first, last = float(run.start[task]), min(float(run.end[task]), now)
        row = int(run.graph.stage[task])
        width = across.length(last - first)
        label = str(layer + 1) if width > 14 + 7 * (layer > 8) else ""
        solid = (layer if index == 0 else (index - 1) // 3) % 2
        shapes.append(
            Box(
                across(first),
                _TOP + row * _ROW + 3,
                width,
                _ROW - 6,
                label,
                row + 1,
                "solid" if solid else "light",
            )
        )
    shapes.append(Line([(across(now), _TOP - 6), (across(now), low)], style="thin"))
    shapes += across.below(low, "time (s)")
    busy = np.bincount(run.graph.stage, weights=run.graph.duration) / run.makespan
    done = int(np.sum(run.end[size - 1 :: size] <= now))
    says = (
        f"{mode.capitalize()}: after {now:g} s the GPU has finished {done} of {LAYERS} layers. "
        f"The whole pass takes {run.makespan:.2f} s. The link is busy {100 * busy[0]:.0f} % of "
        f"it, the GPU {100 * busy[1]:.0f} % and the CPU {100 * busy[2]:.0f} %."
    )
    values = {"pass (s)": run.makespan, "GPU busy (%)": round(100 * float(busy[1]), 1)}
    return Scene(low + 36, shapes, says, values)
