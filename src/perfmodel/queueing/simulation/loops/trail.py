"""What the loops write down at regular moments, the general one and those that count at the end."""

from __future__ import annotations

from perfmodel.engine.fields import Ints, outlined
from perfmodel.queueing.simulation.state import (
    AREA,
    ARRIVED,
    DEPARTED,
    DONE,
    DUE,
    PRESENT,
    RESPONSE,
    ROW,
    TALLY,
    Plan,
    Record,
)


@outlined
def note(plan: Plan, count: Ints, record: Record, now: float) -> None:
    """Write the sums up to now into the trail."""
    tally, trail = record.tally, record.trail
    width = TALLY * plan.classes * (plan.nodes + 1)
    at = count[ROW] * (width + 1)
    trail[at] = now
    for i in range(0, width, TALLY):
        for field in range(TALLY):
            trail[at + 1 + i + field] = tally[i + field]
        trail[at + 1 + i + AREA] = tally[i + PRESENT] * now - tally[i + AREA]
    count[DUE] = count[DONE] + plan.every
    count[ROW] += 1


def take_stock_of_one(record: Record, present: int, since: float) -> None:
    """Bring the tally of a network of one station up to date: what holds for it holds for all."""
    for field in (DEPARTED, RESPONSE):
        record.tally[TALLY + field] = record.tally[field]
    take_stock(record, 0, present, since)
    take_stock(record, 1, present, since)


def take_stock(record: Record, place: int, present: int, since: float) -> None:
    """Update a row of the tally: the number present, and the sum of their arrival times."""
    row = TALLY * place
    record.tally[row + PRESENT] = present * 1.0
    record.tally[row + AREA] = since - record.tally[row + RESPONSE]
    record.tally[row + ARRIVED] = record.tally[row + DEPARTED] + present
