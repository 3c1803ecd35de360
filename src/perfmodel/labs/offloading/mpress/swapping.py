"""What the stages of a pipeline under 1F1B hold, and where activations wait: a linear program.

Of each micro-batch a stage may leave a share on its own GPU, park shares on others, send a share to
the host, or throw it away and compute it again. Once the pipeline is full, each period sees one
micro-batch go and one come back, so that every link carries a share's bytes once in each direction.
The period is that of the busiest stage, link or host link; the memory of each GPU limits it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from perfmodel.communication import TransformerShape
from perfmodel.labs.offloading.mpress.inputs import GPUS, SHAPE, GpuServer
from perfmodel.offloading import Placement, PlacementProblem, best_placement
from perfmodel.validation import Floats, one_of, positive, whole


@dataclass(frozen=True)
class PipelineJob:
    """A model cut into equal stages, and the micro-batches of a step; words' tables left out."""

    shape: TransformerShape = SHAPE
    stages: int = 8
    micro_batch: int = 2
    """Sequences."""
    micro_batches: int = 32
    state: float = 16.0
    """Bytes a parameter: weights and gradients in 16 bits, 12 for Adam."""

    def __post_init__(self) -> None:
        """Refuse jobs that can't be cut."""
        for name in ("stages", "micro_batch", "micro_batches"):
            whole(name, getattr(self, name), 1)
        if self.shape.layers % self.stages:
            raise ValueError(
                f"stages must divide the {self.shape.layers} layers, got {self.stages}"
            )

    @property
    def parameters(self) -> float:
        """Of all layers."""
        return self.shape.layers * self.shape.layer_parameters

    @property
    def tokens(self) -> int:
        """Of a step."""
        return self.micro_batches * self.micro_batch * self.shape.sequence

    @property
    def states(self) -> float:
        """Bytes of weights, gradients and optimizer on a stage."""
        return float(positive("state", self.state)) * self.parameters / self.stages

    @property
    def activation(self) -> float:
        """Bytes that a stage keeps of a micro-batch from its forward to its backward pass."""
        layers = self.shape.layers / self.stages
        return layers * float(self.shape.layer_activations(self.micro_batch))

    @property
    def kept(self) -> float:
        """Bytes of it that are left where layers are computed again: their inputs."""
        layers = self.shape.layers / self.stages
        return layers * float(self.shape.layer_activations(self.micro_batch, recompute=True))

    @property
    def in_flight(self) -> np.ndarray:
        """Micro-batches that each stage holds at most, shape (stages,): min(p - s, m)."""
        return np.minimum(self.stages - np.arange(self.stages), self.micro_batches)

    @property
    def needs(self) -> Floats:
        """Bytes of each stage, shape (stages,)."""
        return np.asarray(self.states + self.in_flight * self.activation)

    def forward(self, rate: float) -> float:
        """Return the seconds of a stage's forward pass for a micro-batch; backward takes twice."""
        again = self.shape.operations_per_token(True) - self.shape.operations_per_token(False)
        tokens = self.micro_batch * self.shape.sequence
        return float(again * tokens / self.stages / positive("rate", rate))

    def step(self, period: float) -> float:
        """Return the seconds of a step whose stages take a `period` (s) for a micro-batch."""
        return (self.micro_batches + self.stages - 1) * float(positive("period", period))

    def with_layers(self, layers: int) -> PipelineJob:
        """Return the same job with `layers` layers."""
        return replace(self, shape=replace(self.shape, layers=layers))


def balanced_saving(stages: int) -> float:
    """Return the share of the first stage's activations that perfect balance takes away.

    1 - (p + 1) / (2 p): stage s holds p - s micro-batches, on average (p + 1) / 2.

    >>> balanced_saving(8)
    0.4375
    """
    count = whole("stages", stages, 1)
    return 1 - (count + 1) / (2 * count)


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
        sent = self.placement.fractions[:, GPUS] * self.problem.work[:, :, GPUS]
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
    gpu_of = np.array(order)
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
    has_waiting = waiting > 0
    if "peers" in ways:
        allowed[:, :GPUS] |= server.reachable[np.ix_(gpu_of, gpu_of)] & has_waiting[:, None]
    soon = job.stages - np.arange(GPUS) - 1 < 2
    allowed[:, GPUS] = ("host" in ways) & has_waiting & ~(soon & in_time)
    allowed[:, GPUS + 1] = again & has_waiting
    work, rate, names = _links(job, server, gpu_of, parked)
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
    one_of("policy", policy, POLICIES)
    ways = POLICIES[policy]
    plans = []
    for allowed in dict.fromkeys([ways, tuple(way for way in ways if way != "again")]):
        try:
            problem = swap_problem(job, server, allowed, order, in_time)
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
    job: PipelineJob, server: GpuServer, gpu_of: np.ndarray, parked: float
) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Return work, rates and names of stages, links between GPUs, and links to the host."""
    groups = sorted(set(server.groups))
    count = GPUS + len(server.peer_rates) + len(groups)
    work = np.zeros((count, GPUS, GPUS + 2))
    work[np.arange(GPUS), np.arange(GPUS), GPUS + 1] = job.forward(server.rate)
    paths = server.peer_paths[:, gpu_of][:, :, gpu_of].astype(float)
    back = paths.transpose(0, 2, 1)
    work[GPUS : GPUS + len(paths), :, :GPUS] = parked * (paths + back)
    for row, group in enumerate(groups, start=GPUS + len(paths)):
        shared = np.array(server.groups)[gpu_of] == group
        work[row, shared, GPUS] = parked
    rate = np.concatenate(
        [np.ones(GPUS), server.peer_rates, np.full(len(groups), server.host_link)]
    )
    names = [f"stage {s}" for s in range(GPUS)]
    names += [f"peer link {number}" for number in range(len(paths))]
    return work, rate, [*names, *(f"host link {group}" for group in groups)]
