"""Where activations wait between forward and backward pass: a linear program over a server's links.

Of each micro-batch a stage may leave a share on its own GPU, park shares on others, send a share to
the host, or throw it away and compute it again. Once the pipeline is full, each period sees one
micro-batch go and one come back, so that every link carries a share's bytes once in each direction.
The period is that of the busiest stage, link or host link; the memory of each GPU limits it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from perfmodel.labs.offloading.mpress.inputs import GPUS, GpuServer
from perfmodel.labs.offloading.mpress.stages import PipelineJob
from perfmodel.offloading import Placement, PlacementProblem, best_placement
from perfmodel.validation import Floats

WAYS = ("own", "peers", "host", "again")
POLICIES = {
    "nothing": ("own",),
    "compute again": ("own", "again"),
    "host": ("own", "host"),
    "host + again": ("own", "host", "again"),
    "peers": ("own", "peers"),
    "all": WAYS,
}
"""Which ways each policy may use."""
RESOLUTION = 1e-6
"""How far above the least capacity the one found may lie, as a share of the largest need."""


@dataclass(frozen=True, eq=False)
class SwapPlan:
    """A plan that fits: shares by stage, over the GPUs, the host, and computed again."""

    job: PipelineJob
    problem: PlacementProblem
    placement: Placement

    @property
    def period(self) -> float:
        """Seconds for a micro-batch."""
        return self.placement.time

    @property
    def throughput(self) -> float:
        """Tokens/s."""
        return self.job.tokens / self.job.step(self.period)

    @property
    def loads(self) -> dict[str, float]:
        """Share of the period that the busiest of each kind works; peers are links between GPUs."""
        shares = self.placement.link_times / self.period
        return {
            kind: float(max(s for s, n in zip(shares, self.problem.links, strict=True) if k in n))
            for kind, k in (("stages", "stage"), ("peers", "peer"), ("host", "host"))
        }

    @property
    def late(self) -> Floats:
        """Seconds by which each stage's swap to the host exceeds its window, shape (stages,).

        Out and back take as long as the host link needs for all that its stages send; the window of
        stage s is p - s - 1 periods.
        """
        sent = self.placement.shares[:, GPUS] * self.problem.work[:, :, GPUS]
        seconds = sent / self.problem.rate[:, None]
        both_ways = 2 * np.where(sent > 1.0, seconds.sum(axis=1)[:, None], 0.0).max(axis=0)
        window = (self.job.stages - np.arange(self.job.stages) - 1) * self.period
        return np.asarray(np.maximum(both_ways - window, 0.0))


def swap_problem(
    job: PipelineJob,
    server: GpuServer,
    ways: Collection[str] = WAYS,
    order: Sequence[int] = range(GPUS),
    in_time: bool = False,
) -> PlacementProblem:
    """Return the linear program of some ways in which a micro-batch may wait.

    With 'again' layers keep their inputs in any case. `order` has the GPU of each stage; `in_time`
    says whether stages send to the host only if they wait two periods or more. As a link works for
    a period at most in each direction, no swap to the host is late then.
    """
    if not set(ways) <= set(WAYS):
        raise ValueError(f"ways must be of {', '.join(WAYS)}, got {ways!r}")
    if job.stages != GPUS or sorted(order) != list(range(GPUS)):
        raise ValueError(f"order must have a GPU for each of {GPUS} stages, got {order!r}")
    place = np.array(order)
    again = "again" in ways
    kept = job.kept if again else 0.0
    parked, waiting = job.activation - kept, job.in_flight - 1
    spare = server.capacity - job.states - kept * job.in_flight - parked
    if min(spare) < 0:
        raise ValueError(
            f"capacity must hold states and a micro-batch, {max(server.capacity - spare):.4g} "
            f"bytes, got {server.capacity:.4g}"
        )
    tiers = GPUS + 2
    size = np.zeros((GPUS, tiers))
    size[:, :GPUS] = parked * waiting[:, None]
    allowed = np.zeros((GPUS, tiers), bool)
    allowed[:, :GPUS] = np.eye(GPUS, dtype=bool)
    some = waiting > 0
    if "peers" in ways:
        allowed[:, :GPUS] |= server.reachable[np.ix_(place, place)] & some[:, None]
    soon = job.stages - np.arange(GPUS) - 1 < 2
    allowed[:, GPUS] = ("host" in ways) & some & ~(soon & in_time)
    allowed[:, GPUS + 1] = again & some
    work, rate, names = _links(job, server, place, parked)
    forward = job.forward(server.rate)
    return PlacementProblem(
        size=size,
        capacity=np.concatenate([spare, [np.inf, np.inf]]),
        work=work,
        rate=rate,
        busy=np.concatenate([np.full(GPUS, 3 * forward), np.zeros(len(rate) - GPUS)]),
        allowed=allowed,
        items=[f"stage {s}" for s in range(GPUS)],
        tiers=[*(f"stage {s}" for s in range(GPUS)), "host", "again"],
        links=names,
    )


def swap_plan(
    job: PipelineJob,
    server: GpuServer,
    policy: str,
    order: Sequence[int] = range(GPUS),
    in_time: bool = False,
) -> SwapPlan | None:
    """Return the plan with the shortest period under a policy, None where nothing fits.

    Where layers may be computed again, the plan without is tried as well, as only that can park the
    layers' inputs.
    """
    if policy not in POLICIES:
        raise ValueError(f"policy must be one of {', '.join(POLICIES)}, got {policy!r}")
    ways = POLICIES[policy]
    plans = []
    for some in dict.fromkeys([ways, tuple(way for way in ways if way != "again")]):
        try:
            problem = swap_problem(job, server, some, order, in_time)
            plans.append(SwapPlan(job, problem, best_placement(problem)))
        except ValueError as error:
            if "capacity" not in str(error):
                raise
    return min(plans, key=lambda plan: plan.period, default=None)


def most_layers(
    server: GpuServer, policy: str, job: PipelineJob | None = None, step: int = 8
) -> int:
    """Return how many layers, a multiple of `step`, fit at most, 0 where none do."""
    given, layers = PipelineJob() if job is None else job, 0
    while swap_plan(given.with_layers(layers + step), server, policy):
        layers += step
    return layers


def least_capacity(
    job: PipelineJob, server: GpuServer, policy: str, order: Sequence[int] = range(GPUS)
) -> float:
    """Return the least memory (bytes) of a GPU with which a job fits, to `RESOLUTION`."""
    low, high = job.states, float(job.needs.max())
    finest = RESOLUTION * high
    while high - low > finest:
        middle = (low + high) / 2
        if swap_plan(job, replace(server, capacity=middle), policy, order):
            high = middle
        else:
            low = middle
    return high


def _links(
    job: PipelineJob, server: GpuServer, place: np.ndarray, parked: float
) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Return work, rates and names of stages, links between GPUs, and links to the host."""
    groups = sorted(set(server.groups))
    count = GPUS + len(server.peer_rates) + len(groups)
    work = np.zeros((count, GPUS, GPUS + 2))
    work[np.arange(GPUS), np.arange(GPUS), GPUS + 1] = job.forward(server.rate)
    paths = server.peer_paths[:, place][:, :, place].astype(float)
    back = paths.transpose(0, 2, 1)
    work[GPUS : GPUS + len(paths), :, :GPUS] = parked * (paths + back)
    for row, group in enumerate(groups, start=GPUS + len(paths)):
        shared = np.array(server.groups)[place] == group
        work[row, shared, GPUS] = parked
    rate = np.concatenate(
        [np.ones(GPUS), server.peer_rates, np.full(len(groups), server.host_link)]
    )
    names = [f"stage {s}" for s in range(GPUS)]
    names += [f"peer link {number}" for number in range(len(paths))]
    return work, rate, [*names, *(f"host link {group}" for group in groups)]
