"""One round of the simulated users as bars of time, one row a user."""

from __future__ import annotations

from perfmodel.labs.scaling.universal_scalability.rounds import RoundCosts, simulate_rounds
from perfmodel.live.drawing import Box, Scale, Scene, Shape, Text
from perfmodel.live.drawing.chart import legend
from perfmodel.validation import whole

MOST = 8
"""Users that the sheet has rows for."""
_END = 0.26
_TOP, _ROW = 58.0, 19.0


def round_trace(users: int, tell: float = 0.002, work: float = 0.06, lock: float = 0.01) -> Scene:
    """Draw a round: all work side by side, then one at a time through the lock, then messages.

    It is for 1 to 8 users; times are in seconds.

    >>> round(round_trace(2).values["round (ms)"], 3)
    84.0
    """
    count = whole("users", users, 1)
    costs = RoundCosts(work, lock, tell)
    rate = float(simulate_rounds([count], costs, rounds=1)[0])
    time = Scale(0, 1e3 * _END, 30, 348)
    shapes: list[Shape] = legend(30, 14, [("work", 3, "light")])
    shapes += legend(110, 14, [("lock", 2, "hatch")])
    shapes += legend(190, 14, [("messages", 1, "solid")])
    shapes.append(Text("user", 30, 42, anchor="start"))
    for user in range(count):
        shapes += _row(time, user, count, costs)
    shapes += time.below(_TOP + MOST * _ROW + 6, "time (ms), one row a user")
    length = 1e3 * count / rate
    says = (
        f"{count} user{'s' * (count > 1)}: {count} job{'s' * (count > 1)} in {length:.0f} ms, "
        f"{rate:.1f} jobs/s; from {1e3 * work:.0f} ms on, only one at a time does anything."
    )
    return Scene(258, shapes, says, {"round (ms)": length, "jobs/s": rate})


def _row(time: Scale, user: int, count: int, costs: RoundCosts) -> list[Shape]:
    """Return a user's work, its turn in the lock, and its turn to tell the others."""
    y, height = _TOP + user * _ROW, _ROW - 4
    tells = (count - 1) * costs.tell
    locked = costs.work + user * costs.lock
    told = costs.work + count * costs.lock + user * tells
    shapes: list[Shape] = [
        Text(str(user + 1), 22, y + height / 2, anchor="end"),
        Box(time(0), y, time.length(1e3 * costs.work), height, "", 3, "light"),
        Box(time(1e3 * locked), y, time.length(1e3 * costs.lock), height, "", 2, "hatch"),
    ]
    if tells:
        shapes.append(Box(time(1e3 * told), y, time.length(1e3 * tells), height, "", 1, "solid"))
    return shapes
