"""Who has the message after some rounds, sent in a loop or along a tree."""

from __future__ import annotations

from perfmodel.communication import collective_schedule, message_time
from perfmodel.labs.benchmarking.mpirigen.pipes import WAYS
from perfmodel.live.drawing import Circle, Fill, Line, Scene, Shape, Text
from perfmodel.validation import one_of, whole

PROCESSES = 8
ROUNDS = PROCESSES - 1
_MESSAGE = float(message_time(1e6, 2e-6, 1e10))
_GAP, _TOP = 40.0, 62.0


def spreading(scheme: str, rounds: int) -> Scene:
    """Draw eight processes after some rounds, with the messages sent so far.

    A tree is done after three rounds of the seven, and stays so.

    >>> spreading("loop", 3).values["have it"], spreading("tree", 3).values["have it"]
    (4.0, 8.0)
    """
    one_of("scheme", scheme, WAYS)
    plan = collective_schedule("broadcast", WAYS[scheme], PROCESSES).rounds
    done = min(whole("rounds", rounds), len(plan))
    have = {0} | {message.receiver for sent in plan[:done] for message in sent}
    shapes: list[Shape] = [Text("process", 40, 14, "start")]
    for process in range(PROCESSES):
        shapes.append(Text(str(process), _across(process), 34))
    for level in range(ROUNDS + 1):
        y = _TOP + 24 * level
        shapes.append(Text(str(level), 16, y))
        if level <= done:
            holding = {0} | {s.receiver for sent in plan[:level] for s in sent}
            for process in range(PROCESSES):
                fill: Fill = "solid" if process in holding else "none"
                shapes.append(Circle(_across(process), y, 6, "", 1, fill))
    for level, sent in enumerate(plan[:done]):
        for sender, receiver, *_ in sent:
            start, end = (
                (_across(sender) + 7, _TOP + 24 * level + 2),
                (_across(receiver) - 6, _TOP + 24 * (level + 1) - 4),
            )
            shapes.append(Line([start, end], 2, head=True))
    time = done * _MESSAGE
    says = (
        f"After {done} round{'s' * (done != 1)} of {1e6 * _MESSAGE:.0f} µs, {len(have)} of "
        f"{PROCESSES} processes have the message ({1e6 * time:.0f} µs)."
    )
    values = {"have it": float(len(have)), "time (µs)": 1e6 * time}
    return Scene(_TOP + 24 * ROUNDS + 14, shapes, says, values)


def _across(process: int) -> float:
    return 50 + _GAP * process
