"""All measurements of this processor, repeated in fresh processes, as one machine for the labs."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from perfmodel import machines
from perfmodel.machines import Machine, MachineFigure
from perfmodel.measurement import child
from perfmodel.measurement.cpu import battery
from perfmodel.measurement.cpu.caches import Hierarchy, hierarchy
from perfmodel.measurement.cpu.pinned_threads import usable_threads
from perfmodel.measurement.errors import Unavailable
from perfmodel.measurement.provenance import provenance
from perfmodel.measurement.readings import Summary, figure, missing, summarised
from perfmodel.validation import positive, whole

_Job = tuple[Callable[..., Any], tuple[Any, ...]]


MIN_PROCESSES = 3
"""Processes that are waited for in any case."""


@dataclass(frozen=True)
class SuitePlan:
    """How much to measure."""

    name: str
    processes: int
    """Fresh processes for each part; the interval is between them."""
    limit: float
    """Seconds within which a further round of processes must end, going by the longest so far, or
    it is not begun. Three are in any case: an interval between fewer says nothing."""
    full: bool


QUICK = SuitePlan("quick", 5, 20.0, False)
FULL = SuitePlan("full", 5, 180.0, True)


@dataclass(frozen=True)
class Suite:
    """What was measured, and what could not be."""

    plan: SuitePlan
    summaries: tuple[Summary, ...]
    unavailable: tuple[Unavailable, ...]
    caches: Hierarchy
    seconds: float
    """How long it took."""
    unpinned: str
    """Why the processes were not pinned; empty where they were."""

    def __getitem__(self, quantity: str) -> Summary:
        """Return one quantity's summary; raises ValueError if it was not measured."""
        for summary in self.summaries:
            if summary.quantity == quantity:
                return summary
        known = ", ".join(summary.quantity for summary in self.summaries)
        raise ValueError(f"quantity must be one of {known}, got {quantity!r}")


def run(
    plan: SuitePlan = QUICK,
    report: Callable[[str, float], None] = lambda part, fraction: None,
    clock: Callable[[], float] = time.perf_counter,
    asked: Callable[..., child.Outcome] = child.start,
) -> Suite:
    """Measure this machine in fresh processes that are pinned to its cores, each by `asked`.

    `report` is called with the part that begins and the fraction of the work that is done. What the
    machine can't show is listed, not raised.
    """
    whole("processes", plan.processes, 1)
    positive("limit", plan.limit)
    began, slowest = clock(), 0.0
    cores = usable_threads()
    outcomes: list[child.Outcome] = []
    once, each = _jobs(plan)
    rounds = [once] + [each] * plan.processes
    total = sum(map(len, rounds))
    for number, jobs in enumerate(rounds):
        before = clock()
        if number > MIN_PROCESSES and before - began + slowest > plan.limit:
            break
        for function, arguments in jobs:
            report(f"{function.__name__}, process {max(1, number)}", len(outcomes) / total)
            outcomes.append(asked(function, *arguments, cores=cores, threads=len(cores)))
        slowest = clock() - before
    answers = [outcome.value for outcome in outcomes]
    report("done", 1.0)
    return Suite(
        plan,
        tuple(summarised(reading for answer in answers for reading in answer)),
        missing(answers),
        hierarchy(),
        clock() - began,
        outcomes[-1].unpinned,
    )


def as_machine(suite: Suite, name: str | None = None, id: str = machines.THIS) -> Machine:
    """Return the machine that `suite` measured, ready for `machines.save`.

    Rates are the capacities: the best of all runs. Times of overheads are medians with their
    interval. Cache sizes are left out where they were only assumed. It is saved as `id`; its `name`
    is the processor's if none is given.
    """
    about = provenance()
    source = f"python -m perfmodel.measurement {suite.plan.name}"
    figures = {
        summary.quantity: figure(summary, source, about.date, suite.unpinned)
        for summary in suite.summaries
    }
    sizes: dict[str, float] = {"compute_units": len(usable_threads())}
    if about.host.memory:
        sizes["memory_capacity"] = about.host.memory
    if suite.caches.source != "assumed":
        sizes |= _cache_sizes(suite.caches, len(usable_threads()))
    for quantity, value in sizes.items():
        unit = machines.QUANTITIES.get(quantity, "bytes")
        origin = f"operating system ({suite.caches.source})" if unit == "bytes" else "cores in use"
        figures[quantity] = MachineFigure(float(value), unit, "measured", origin, about.date, True)
    versions = ", ".join(f"{key} {value}" for key, value in about.versions.items())
    return machines.measured_machine(
        figures,
        name=name or about.host.processor,
        source=source,
        id=id,
        date=about.date,
        note=f"{about.host.system}, {about.host.architecture}; {versions}",
    )


def _jobs(plan: SuitePlan) -> tuple[list[_Job], list[_Job]]:
    """Return what is measured in one process, and what in each of several."""
    machinery: _Job = (battery.operating_system_costs, (plan.full,))
    each: list[_Job] = [(battery.arithmetic, (plan.full,)), (battery.memory, (plan.full,))]
    if plan.full:
        return [(battery.ladders, ())], [*each, machinery]
    return [machinery], each


def _cache_sizes(caches: Hierarchy, cores: int) -> dict[str, float]:
    """Return bytes of cache over all cores in use."""
    sizes = {
        f"l{level.level}_cache": float(level.size * -(-cores // (level.cores or cores)))
        for level in caches.levels
    }
    return {**sizes, "last_level_cache": list(sizes.values())[-1]}
