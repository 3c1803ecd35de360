"""The small simulator after each event: the clock, the queue, and the events still to come."""

from __future__ import annotations

from dataclasses import dataclass

from perfmodel.live.drawing import Box, Line, Queue, Scale, Scene, Server, Shape, Text
from perfmodel.queueing import departures
from perfmodel.units import number
from perfmodel.validation import whole

COME, NEED = (1.0, 2.0, 4.0, 9.0), (4.0, 2.0, 1.0, 2.0)
"""Seconds on the clock at which four customers come, and seconds of service that they need."""
EVENTS = 2 * len(COME)


@dataclass(frozen=True)
class _Event:
    time: float
    what: str
    customer: int

    @property
    def words(self) -> str:
        """The event as a line of the list."""
        return f"{number(self.time)} s: {self.what} {self.customer}"


def event_steps(done: int) -> Scene:
    """Draw the simulator after `done` events, 0 to 8, of a fixed example.

    >>> event_steps(3).says
    'Arrival 3 at 4 s: 3 customers are inside, and the list has 2 events.'
    """
    count = whole("done", done, high=EVENTS)
    leave = departures(COME, NEED, "FCFS")
    order = sorted(
        [_Event(t, "arrival", i) for i, t in enumerate(COME, 1)]
        + [_Event(float(t), "departure", i) for i, t in enumerate(leave, 1)],
        key=lambda event: event.time,
    )
    past = order[:count]
    departed = [e.customer for e in past if e.what == "departure"]
    inside = [e.customer for e in past if e.what == "arrival" and e.customer not in departed]
    came = len(departed) + len(inside)
    listed = [e for e in order[count:] if _is_known(e, inside, came)]
    clock = past[-1].time if past else 0.0
    shapes = [*_station(inside), *_event_list(listed), *_clock(clock, past)]
    what = f"{past[-1].what} {past[-1].customer}".capitalize() if past else "Start"
    says = (
        f"{what} at {number(clock)} s: {len(inside)} "
        f"customer{' is' if len(inside) == 1 else 's are'} inside, and the list has {len(listed)} "
        f"event{'s' * (len(listed) != 1)}."
    )
    values = {"clock (s)": clock, "customers inside": len(inside), "events to come": len(listed)}
    return Scene(196, shapes, says, values)


def _is_known(event: _Event, inside: list[int], came: int) -> bool:
    """Return whether the event is in the list: the next arrival, and who is served now."""
    if event.what == "arrival":
        return event.customer == came + 1
    return bool(inside) and event.customer == inside[0]


def _station(inside: list[int]) -> list[Shape]:
    waiting = [str(customer) for customer in inside[1:]]
    return [
        Text("line and server", 20, 14, anchor="start"),
        Queue(20, 44, 4, waiting, 1, 24.0),
        Line([(118, 44), (136, 44)], head=True),
        Server(158, 44, 20, "", float(bool(inside)), 2),
        Text(f"serves {inside[0]}" if inside else "idle", 158, 78),
    ]


def _event_list(listed: list[_Event]) -> list[Shape]:
    shapes: list[Shape] = [Text("event list", 210, 14, anchor="start")]
    for i in range(2):
        words = listed[i].words if i < len(listed) else ""
        shapes.append(Box(210, 26 + 30 * i, 140, 26, words, 3 if words else 0, "light"))
    return shapes


def _clock(clock: float, past: list[_Event]) -> list[Shape]:
    time = Scale(0, 12, 20, 340)
    shapes: list[Shape] = [*time.below(152, "clock (s)", 12)]
    for event in past:
        high = 130 if event.what == "arrival" else 142
        shapes.append(Line([(time(event.time), 152), (time(event.time), high)], 1))
    shapes.append(Line([(time(clock), 108), (time(clock), 128)], 2, "thick", head=True))
    return shapes
