"""The backward phase of a step, its layers in groups that pass the channels, up to a moment."""

from __future__ import annotations

from functools import cache

import numpy as np

from perfmodel.communication import TaskRun, simulate_tasks
from perfmodel.labs.offloading.fuyou.activations import CHANNELS, paper_server, phase_times
from perfmodel.labs.offloading.fuyou.inputs import GPT_13B
from perfmodel.live.drawing import Box, Line, Scale, Scene, Shape, Text
from perfmodel.offloading import chunk_graph, even_chunks, overlap_fraction
from perfmodel.validation import Floats, whole, within

BATCH, DRIVES = 32, 6
GROUPS = (1, 2, 4, 8)
ROWS = ("SSDs", "link in", "GPU", "link out", "CPU")
_VISITS = (0, 1, 2, 3, 4, 0)
"""Rows that a group of layers visits: states are read, used, updated by the CPU and written."""
_LEFT, _RIGHT, _TOP, _ROW = 56.0, 352.0, 22.0, 26.0


def visits() -> Floats:
    """Return the seconds of the six visits, all layers together, at batch 32 with six SSDs.

    What more SSDs don't shorten is taken for the CPU's part.

    >>> visits().round(1)
    array([ 4.3,  2.4, 16.2,  1.2,  7.9,  4.3])
    """
    server = paper_server(DRIVES)
    busy = dict(
        zip(CHANNELS, phase_times(GPT_13B, server, BATCH, 0.0).backward.tolist(), strict=True)
    )
    half = (busy["SSDs"] - server.fixed) / 2
    return np.array([half, busy["link in"], busy["GPU"], busy["link out"], server.fixed, half])


def row_times() -> Floats:
    """Return the seconds for which each of `ROWS` is busy."""
    return np.asarray(np.bincount(_VISITS, weights=visits()), np.float64)


def end() -> float:
    """Return the seconds of the phase if nothing overlaps."""
    return float(visits().sum())


@cache
def played(groups: int) -> TaskRun:
    """Return the run of the phase with its layers in equal groups, 1 or more.

    >>> [round(played(groups).makespan, 1) for groups in GROUPS]
    [36.2, 26.2, 21.2, 18.7]
    """
    return simulate_tasks(chunk_graph(even_chunks(visits(), whole("groups", groups, 1)), _VISITS))


def layer_steps(groups: int, moment: float) -> Scene:
    """Draw which channel works for which group of layers up to a moment.

    Parameters
    ----------
    groups : int
        Into which the layers are cut, 1 or more.
    moment : float
        Seconds, 0 to `end`.

    Returns
    -------
    Scene

    Examples
    --------
    >>> [layer_steps(groups, 30.0).values["overlap"] for groups in (1, 8)]
    [0.0, 0.875]
    """
    run = played(groups)
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
            Box(
                across(first),
                _middle(_VISITS[visit]) - 10,
                across.length(last - first),
                20,
                label,
                2 if written else 1,
                "solid" if group % 2 else "light",
            )
        )
    shapes.append(Line([(across(now), _TOP - 6), (across(now), low)], style="thin"))
    shapes += across.below(low, "time (s)")
    overlap = round(float(overlap_fraction(row_times(), run.makespan)), 3)
    done = int(np.sum(run.end[len(_VISITS) - 1 :: len(_VISITS)] <= now))
    says = (
        f"{groups} group{'s' * (groups > 1)}: after {now:g} s, {done} written back. The phase "
        f"takes {run.makespan:.1f} s; sum {end():.1f} s, largest {row_times().max():.1f} s."
    )
    values = {"phase (s)": run.makespan, "overlap": overlap, "groups done": float(done)}
    return Scene(low + 36, shapes, says, values)


def _middle(row: int) -> float:
    return _TOP + (row + 0.5) * _ROW
