"""A graph of tasks and its trace on p processors, compared with the bounds of work and span."""

from __future__ import annotations

from perfmodel.live.drawing import Box, Fill, Line, Scale, Scene, Shape, Text
from perfmodel.scaling import greedy_schedule, work_and_span
from perfmodel.scaling.task_graph import Needs
from perfmodel.validation import whole

SECONDS = {"a": 1, "b": 2, "c": 3, "d": 2, "e": 2, "f": 1, "g": 3, "h": 1}
NEEDS: Needs = {
    "b": ("a",),
    "c": ("a",),
    "d": ("a",),
    "e": ("b",),
    "f": ("b", "c"),
    "g": ("d",),
    "h": ("e", "f", "g"),
}
_PLACES = {
    "a": (30, 70),
    "b": (110, 26),
    "c": (110, 70),
    "d": (110, 114),
    "e": (200, 26),
    "f": (200, 70),
    "g": (200, 114),
    "h": (285, 70),
}


def task_trace(processors: int) -> Scene:
    """Draw a graph of eight tasks, and a greedy schedule of them.

    Parameters
    ----------
    processors : int
        1 to 4.

    Examples
    --------
    >>> task_trace(1).values["time (s)"]
    15.0
    """
    count = whole("processors", processors, 1)
    work, span = work_and_span(SECONDS, NEEDS)
    trace = greedy_schedule(SECONDS, NEEDS, count)
    end = max(task.end for task in trace.values())
    time = Scale(0, 16, 30, 346)
    chain = _critical()
    shapes = _graph(chain)
    for name, task in trace.items():
        y, colour = 160 + task.processor * 24, (2 if name in chain else 1)
        wide = time.length(task.end - task.start)
        fill: Fill = "solid" if name in chain else "light"
        shapes.append(Box(time(task.start), y, wide, 20, name, colour, fill))
    shapes += [Text(str(i + 1), 22, 170 + i * 24, anchor="end") for i in range(count)]
    shapes += time.below(262, "time (s), one row a processor")
    bound = (work - span) / count + span
    low = max(span, work / count)
    says = (
        f"{count} processor{'s take' if count > 1 else ' takes'} {end:g} s. No schedule takes less "
        f"than {low:.3g} s, and no greedy one more than {bound:.3g} s. The span is {span:g} s and "
        f"the work {work:g} s."
    )
    return Scene(300, shapes, says, {"time (s)": end, "at least (s)": low, "at most (s)": bound})


def _critical() -> set[str]:
    """Return the longest chain, from its end backwards."""
    trace = greedy_schedule(SECONDS, NEEDS, len(SECONDS))
    chain = [max(trace, key=lambda task: trace[task].end)]
    while NEEDS.get(chain[-1]):
        chain.append(max(NEEDS[chain[-1]], key=lambda task: trace[task].end))
    return set(chain)


def _graph(chain: set[str]) -> list[Shape]:
    shapes: list[Shape] = []
    for task, others in NEEDS.items():
        for other in others:
            (x, y), (far, low) = _PLACES[other], _PLACES[task]
            heavy = task in chain and other in chain
            shapes.append(Line([(x + 44, y), (far - 2, low)], 2 if heavy else 0, head=True))
    for task, (x, y) in _PLACES.items():
        heavy = task in chain
        label = f"{task} {SECONDS[task]} s"
        fill: Fill = "solid" if heavy else "light"
        shapes.append(Box(x, y - 12, 44, 24, label, 2 if heavy else 1, fill))
    return shapes
