"""A job's visit to the only station of a network: begun, ended, counted."""

from __future__ import annotations

from perfmodel.engine.fields import Ints
from perfmodel.queueing.simulation.state import (
    DEPARTED,
    DONE,
    FREE,
    PAUSE,
    RESPONSE,
    SEQUENCE,
    SPARE,
    WORK,
    Jobs,
    Plan,
    Record,
)
from perfmodel.queueing.simulation.transitions import keep


def begin_visit(count: Ints, jobs: Jobs, size: float, now: float) -> int:
    """Return a new job that comes now."""
    job = count[FREE]
    count[FREE] = jobs.link[job]
    count[SPARE] -= 1
    if count[SPARE] <= 0:
        count[PAUSE] = 1
    jobs.size[job] = size
    jobs.arrived[job] = now
    jobs.sequence[job] = count[SEQUENCE]
    count[SEQUENCE] += 1
    return job


def end_visit(plan: Plan, count: Ints, jobs: Jobs, record: Record, job: int, now: float) -> None:
    """Count a job that leaves the station now, and free its slot."""
    response = now - jobs.arrived[job]
    record.tally[WORK] += jobs.size[job]
    record.tally[DEPARTED] += 1.0
    record.tally[RESPONSE] += response
    keep(plan, count, record, 0, response)
    count[DONE] += 1
    jobs.link[job] = count[FREE]
    count[FREE] = job
    count[SPARE] += 1
