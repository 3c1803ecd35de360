"""The calendar: a tree of winners that tells which source has the next event."""

from __future__ import annotations

from perfmodel.queueing.simulation.state import Calendar


def schedule(calendar: Calendar, source: int, time: float) -> None:
    """Set the time of the next event of `source` and play its matches in the tree again."""
    time_of, winner = calendar.time, calendar.winner
    time_of[source] = time
    node = (source + calendar.leaves) >> 1
    while node > 0:
        left, right = winner[2 * node], winner[2 * node + 1]
        winner[node] = left if time_of[left] <= time_of[right] else right
        node >>= 1
