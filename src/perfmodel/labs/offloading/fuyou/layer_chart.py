"""The backward phase of a step up to a moment, with its layers in groups that pass the channels.

The phase belongs to the form "two phases", with its constants. SSDs and CPU take turns there; the
text also says what they would reach at once. The CPU stands for the time that SSDs don't shorten.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from perfmodel.communication import TaskRun, simulate_tasks
from perfmodel.labs.offloading.fuyou.inputs import FORWARD_WORK, GPT_13B, LINK
from perfmodel.labs.offloading.fuyou.step_models import FORWARD_BYTES, PHASES, fitted
from perfmodel.live.drawing import Line, Scale, Scene, Shape, Text
from perfmodel.offloading import chunk_graph, even_chunks, overlap_fraction
from perfmodel.validation import Floats, whole, within

BATCH, DRIVES = 32, 6
GROUPS = (1, 2, 4, 8)
ROWS = ("SSDs", "link in", "GPU", "link out", "CPU")
_VISITS = (0, 1, 2, 3, 4, 0)
"""Rows that a group of layers visits: states are read, used, updated by the CPU and written."""
_CHANNELS = {1: (0, 1, 2, 3, 0, 0), 2: _VISITS}
"""The channel of each visit, if SSDs and CPU are one channel or two."""
_LEFT, _RIGHT, _TOP, _ROW = 56.0, 352.0, 22.0, 26.0


def visits() -> Floats:
    """Return the seconds of the six visits, all layers together, at batch 32 with six SSDs.

    Nothing is computed again. What more SSDs don't shorten is taken for the CPU's part.

    >>> visits().round(1)
    array([ 4.3,  1.2, 10.8,  1.2,  7.9,  4.3])
    """
    model = fitted(PHASES)
    gpu, ssds = (float(seconds) for seconds in model.channels(BATCH, DRIVES))
    half, link = ssds * (1 - FORWARD_BYTES) / 2, 2 * GPT_13B.parameters / LINK
    return np.array([half, link, gpu * (1 - FORWARD_WORK), link, model.fixed, half])


def channel_times(channels: int = 1) -> Floats:
    """Return the busy seconds of each channel, SSDs and CPU being 1 or 2 `channels`.

    >>> channel_times(1).round(1)
    array([16.4,  1.2, 10.8,  1.2])
    """
    return np.asarray(np.bincount(_channels(channels), weights=visits()), np.float64)


def end() -> float:
    """Return the seconds of the phase if nothing overlaps."""
    return float(visits().sum())


@cache
def played(groups: int, channels: int = 1) -> TaskRun:
    """Return the run of the phase with its layers in equal groups, 1 or more.

    SSDs and CPU are 1 or 2 `channels`.

    >>> [round(played(groups).makespan, 1) for groups in GROUPS]
    [29.5, 20.8, 16.5, 17.0]
    """
    parts = even_chunks(visits(), whole("groups", groups, 1))
    return simulate_tasks(chunk_graph(parts, _channels(channels)))


def layer_steps(groups: int, moment: float) -> Scene:
    """Draw which channel works for which of `groups` of layers up to a moment (s).

    >>> [layer_steps(groups, 28.0).values["overlap"] for groups in (1, 8)]
    [0.0, 0.957]
    """
    run, busy = played(groups), channel_times()
    now = float(within("moment", moment, 0, np.ceil(end())))
    across = Scale(0, np.ceil(end()), _LEFT, _RIGHT)
    low = _TOP + len(ROWS) * _ROW + 4
    shapes: list[Shape] = [
        Text(name, 2, _middle(row) + 4, "start") for row, name in enumerate(ROWS)
    ]
    for task in np.flatnonzero(run.start < now):
        first, last = float(run.start[task]), min(float(run.end[task]), now)
        group, visit = divmod(int(task), len(_VISITS))
        label = str(group + 1) if across.length(last - first) > 14 else ""
        written = visit == len(_VISITS) - 1
        shapes.append(
            across.bar(
                first,
                _middle(_VISITS[visit]) - 10,
                last - first,
                20,
                label,
                2 if written else 1,
                "solid" if group % 2 else "light",
            )
        )
    shapes.append(Line([(across(now), _TOP - 6), (across(now), low)], style="thin"))
    shapes += across.below(low, "time (s)")
    overlap = abs(round(float(overlap_fraction(busy, run.makespan)), 3))
    done = int(np.sum(run.end[len(_VISITS) - 1 :: len(_VISITS)] <= now))
    says = (
        f"After {now:g} s {done} of {groups} group{'s' * (groups > 1)} "
        f"{'are' if groups > 1 else 'is'} written back. The phase takes {run.makespan:.1f} s. Its "
        f"times sum to {end():.1f} s, and the busiest channel (SSDs and CPU in turn) has "
        f"{busy.max():.1f} s. If SSDs and CPU worked at once, it would take "
        f"{played(groups, 2).makespan:.1f} s, and the busiest channel "
        f"{channel_times(2).max():.1f} s."
    )
    values = {"phase (s)": run.makespan, "overlap": overlap, "groups done": float(done)}
    return Scene(low + 36, shapes, says, values)


def _channels(channels: int) -> tuple[int, ...]:
    return _CHANNELS[int(within("channels", whole("channels", channels, 1), 1, 2))]


def _middle(row: int) -> float:
    return _TOP + (row + 0.5) * _ROW
