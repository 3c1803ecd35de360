"""The calendar: a tree of winners that shows which source has the next event."""

from __future__ import annotations

from perfmodel.queueing.simulation.state import Calendar


def schedule(calendar: Calendar, source: int, time: float) -> None:
    """Set the time of the next event of `source` and play its matches again, up to the root.

    Each winner goes on to its next match at once, so that a match waits for no other's result to be
    stored and loaded. Of equal times the first source wins.
    """
    times, winner = calendar.time, calendar.winner
    node = source + calendar.leaves
    times[node] = time
    while node > 1:
        rival = node ^ 1
        other, rival_source = times[rival], winner[rival]
        loses = (other < time) | ((other <= time) & (rival_source < source))
        source = rival_source if loses else source
        time = min(time, other)
        node >>= 1
        times[node] = time
        winner[node] = source
