"""The queue at one worker in a storm, instant by instant: who still waits for an answer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from perfmodel.labs.queueing.transient_and_metastable.client import Play, play
from perfmodel.labs.queueing.transient_and_metastable.simulated import SimulatedPort
from perfmodel.labs.queueing.transient_and_metastable.system import Clients, Incident, Service
from perfmodel.live.drawing import Box, Circle, Fill, Line, Scene, Shape, Text
from perfmodel.live.drawing.chart import legend
from perfmodel.validation import Floats, one_number, within

SERVICE, GAP, PATIENCE = 1.0, 1.4, 4.0
"""Seconds of a request, between requests, and until a client gives up."""
INCIDENT = Incident(start=3.0, outage=6.0, after=36.0)
_PLACES, _WIDE = 9, 36


@dataclass(frozen=True)
class Waiting:
    """An attempt in the queue."""

    request: int
    is_retry: bool
    given_up: bool
    """Whether its client has given it up."""


def waiting_at(time: float) -> tuple[list[Waiting], int]:
    """Return the queue at an instant, first to be served first, and the answers in time so far.

    `time` is in seconds, 0 to 45.

    >>> queue, answered = waiting_at(9.0)
    >>> [each.request for each in queue], answered
    ([3, 4, 2, 5, 3, 6], 2)
    """
    now = float(within("time", one_number("time", time), 0.0, INCIDENT.horizon))
    (run, starts), requested, queue = _storm(), set(), []
    for sent, request, start in zip(run.sent, run.request, starts, strict=True):
        if sent <= now < start:
            queue.append(Waiting(int(request), request in requested, now - sent >= PATIENCE))
        requested.add(request)
    ends = starts + SERVICE
    return queue, int(((ends <= now) & (ends - run.sent <= PATIENCE)).sum())


def storm_queue(time: float) -> Scene:
    """Draw the queue at an instant.

    >>> storm_queue(9.0).says
    'At 9 s, after the outage, 6 attempts wait, and the clients have given up 1 of them.'
    """
    queue, answered = waiting_at(time)
    nobody = sum(attempt.given_up for attempt in queue)
    shapes: list[Shape] = [
        Line([(316, 60), (292, 60)]),
        Circle(334, 60, 17, "", 0, "light"),
        Text("worker", 330, 92),
    ]
    shown = queue[: 3 * _PLACES]
    for index, attempt in enumerate(shown):
        row, column = divmod(index, _PLACES)
        fill: Fill = "hatch" if attempt.given_up else "light" if attempt.is_retry else "solid"
        colour = 3 if attempt.given_up else 2 if attempt.is_retry else 1
        x, y = 288 - (column + 1) * (_WIDE - 5), 44 + 40 * row
        shapes.append(Box(x, y, _WIDE - 9, 30, "", colour, fill))
    shapes += legend(10, 10, [("asked once", 1, "solid")])
    shapes += legend(120, 10, [("asked again", 2, "light")])
    shapes += legend(236, 10, [("given up", 3, "hatch")])
    if len(queue) > len(shown):
        shapes.append(Text(f"and {len(queue) - len(shown)} more", 150, 176))
    says = (
        f"At {time:g} s, {_phase(time)}, {len(queue)} attempts wait, and the clients have given up "
        f"{nobody} of them."
    )
    values = {"waiting": float(len(queue)), "for nobody": float(nobody), "in time": float(answered)}
    return Scene(190, shapes, says, values)


def _phase(time: float) -> str:
    if time < INCIDENT.start:
        return "before the outage"
    return "in the outage" if time < INCIDENT.end else "after the outage"


def _storm() -> tuple[Play, Floats]:
    """Return the run, and when the worker takes up each of its attempts."""
    arrivals = np.arange(0.5, INCIDENT.horizon, GAP)
    port = SimulatedPort(Service(1, SERVICE))
    clients = Clients(1 / GAP, PATIENCE)
    run = play(port, clients, INCIDENT, arrivals, np.full(arrivals.size, SERVICE))
    return run, np.array([port.started[number] for number in range(run.sent.size)])
