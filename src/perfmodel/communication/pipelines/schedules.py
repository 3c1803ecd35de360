"""In which order the stages of a training pipeline take their micro-batches, and the idle time.

The layers of a model are cut into stages. A batch is cut into micro-batches, each of which goes
forward through all stages and then backward. GPipe (Huang et al., NeurIPS 2019) first lets all go
forward. 1F1B (Narayanan et al., SOSP 2019; with a flush as in MLSys 2021) alternates as soon as it
can, so it holds fewer activations. The interleaved schedule (Narayanan et al., SC 2021) gives each
stage several chunks of layers that don't follow each other, and idles less.

>>> for stage in range(2):
...     print(one_f_one_b(2, 3).text(stage))
F0 F1 B0 F2 B1 B2
F0 B0 F1 B1 F2 B2
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.communication.pipelines.task_graph import Holds, IntArray, TaskGraph
from perfmodel.communication.pipelines.task_run import TaskRun, simulate_tasks
from perfmodel.validation import Floats, at_least, non_negative, whole


@dataclass(frozen=True, eq=False)
class PipelineSchedule:
    """The order of tasks on each stage; made by `gpipe`, `one_f_one_b` and `interleaved`.

    Attributes
    ----------
    micro_batches, chunks : int
        A stage takes each micro-batch forward and backward through each of its chunks of layers.
        Chunk c of stage s is the part c p + s of the model, p being the number of stages.
    backward : ndarray of bool, shape (stages, tasks of a stage)
        Whether the task is a backward pass.
    micro_batch, chunk : ndarray of int, shape (stages, tasks of a stage)
        Of which micro-batch and through which chunk.
    """

    micro_batches: int
    chunks: int
    backward: np.ndarray
    micro_batch: IntArray
    chunk: IntArray

    @property
    def stages(self) -> int:
        """How many."""
        return len(self.backward)

    @property
    def task(self) -> IntArray:
        """The number of each task in the graph, shape (stages, tasks of a stage)."""
        half = self.micro_batches * self.chunks
        inside = self.backward * half + self.chunk * self.micro_batches + self.micro_batch
        return np.asarray(2 * half * np.arange(self.stages)[:, None] + inside)

    def text(self, stage: int) -> str:
        """Return the order of a stage in words: F for forward and B for backward passes."""
        parts = zip(self.backward[stage], self.micro_batch[stage], self.chunk[stage], strict=True)
        shown = (f"{'FB'[int(b)]}{i}" + "'" * int(c) for b, i, c in parts)
        return " ".join(shown)


def gpipe(stages: int, micro_batches: int) -> PipelineSchedule:
    """Return the schedule that sends all `micro_batches` forward through the `stages` first.

    >>> gpipe(4, 2).text(0)
    'F0 F1 B0 B1'
    """
    count = whole("micro_batches", micro_batches, 1)
    return _schedule(whole("stages", stages, 1), count, 1, lambda stage: count)


def one_f_one_b(stages: int, micro_batches: int) -> PipelineSchedule:
    """Return the schedule that goes backward as soon as it can.

    Stage s of the `stages` p has at most p - s of the `micro_batches` in flight.

    >>> one_f_one_b(4, 4).text(1)
    'F0 F1 F2 B0 F3 B1 B2 B3'
    """
    p = whole("stages", stages, 1)
    return _schedule(p, whole("micro_batches", micro_batches, 1), 1, lambda stage: p - stage - 1)


def interleaved(stages: int, micro_batches: int, chunks: int) -> PipelineSchedule:
    """Return 1F1B with several chunks of layers on each stage.

    Parameters
    ----------
    stages, micro_batches : int
        Micro-batches go in groups as large as there are stages, which must divide them.
    chunks : int
        1 or more; with 1 it is `one_f_one_b`.

    Examples
    --------
    >>> interleaved(2, 2, 2).text(1)
    "F0 F1 F0' B0' F1' B1' B0 B1"
    """
    p, m = whole("stages", stages, 1), whole("micro_batches", micro_batches, 1)
    v = whole("chunks", chunks, 1)
    if v == 1:
        return one_f_one_b(p, m)
    if m % p:
        raise ValueError(f"micro_batches must be a multiple of the {p} stages, got {m}")
    return _schedule(p, m, v, lambda stage: 2 * (p - stage - 1) + (v - 1) * p)


def pipeline_graph(
    schedule: PipelineSchedule,
    forward: ArrayLike,
    backward: ArrayLike,
    transfer: float = 0.0,
    activation: ArrayLike = 1.0,
) -> TaskGraph:
    """Return the tasks of a schedule, for `simulate_tasks`.

    Parameters
    ----------
    schedule : PipelineSchedule
    forward, backward : array_like, shape (stages,) or ()
        Seconds of a stage for one micro-batch, its chunks together.
    transfer : float
        Seconds that a message takes from stage to stage, besides their work.
    activation : array_like, shape (stages,) or ()
        Bytes that a stage keeps for one micro-batch from its forward to its backward pass, its
        chunks together. Buffer s is the memory of stage s; without limit, so that its level says
        what is needed.
    """
    p, m, v = schedule.stages, schedule.micro_batches, schedule.chunks
    work = [non_negative("forward", forward), non_negative("backward", backward)]
    times = np.stack([np.broadcast_to(_by_stage(w, p) / v, (m * v, p)).T for w in work], axis=1)
    number = np.arange(2 * p * m * v).reshape(p, 2, v, m)
    ahead, back = (number[:, i].transpose(1, 0, 2).reshape(p * v, m) for i in (0, 1))
    pairs = [(ahead[:-1], ahead[1:]), (back[1:], back[:-1]), (ahead[-1], back[-1])]
    edges = np.concatenate([np.stack([a.ravel(), b.ravel()], 1) for a, b in pairs])
    stage = np.repeat(np.arange(p), 2 * m * v)
    priority = np.empty(stage.size)
    priority[schedule.task.ravel()] = np.tile(np.arange(2 * m * v), p)
    units = _by_stage(non_negative("activation", activation), p) / v
    return TaskGraph(
        stage=stage,
        duration=times.ravel(),
        edges=edges,
        lag=float(non_negative("transfer", transfer)) * (stage[edges[:, 0]] != stage[edges[:, 1]]),
        priority=priority,
        in_order=np.ones(p, np.bool_),
        holds=Holds(
            np.repeat(np.arange(p), m * v),
            number[:, 0].ravel(),
            number[:, 1].ravel(),
            np.repeat(units, m * v),
        ),
        capacity=np.full(p, np.inf),
    )


def simulate_pipeline(
    schedule: PipelineSchedule,
    forward: ArrayLike,
    backward: ArrayLike,
    transfer: float = 0.0,
    activation: ArrayLike = 1.0,
) -> TaskRun:
    """Play a schedule through: seconds, idle shares and memory by stage over time.

    Parameters
    ----------
    schedule : PipelineSchedule
    forward, backward, transfer, activation
        As `pipeline_graph` takes them.

    Returns
    -------
    TaskRun
        Its buffer s is the memory of stage s.

    Examples
    --------
    >>> run = simulate_pipeline(one_f_one_b(4, 8), 1.0, 2.0)
    >>> run.makespan, [run.peak(stage) for stage in range(4)]
    (33.0, [4.0, 3.0, 2.0, 1.0])
    """
    return simulate_tasks(pipeline_graph(schedule, forward, backward, transfer, activation))


def pipeline_bubble(stages: ArrayLike, micro_batches: ArrayLike, chunks: ArrayLike = 1) -> Floats:
    """Return the share of a step in which a stage idles: (p - 1) / (v m + p - 1).

    Exact for GPipe, 1F1B and (with v chunks) the interleaved schedule where all stages take
    equally long and messages no time; Narayanan et al. (SC 2021) print it over the useful time
    instead, (p - 1) / (v m).

    Parameters
    ----------
    stages, micro_batches, chunks : array_like
        p, m and v, 1 or more.

    Examples
    --------
    >>> pipeline_bubble(64, [64, 1600]).round(4)
    array([0.4961, 0.0379])
    """
    idle = at_least("stages", stages, 1) - 1
    useful = at_least("chunks", chunks, 1) * at_least("micro_batches", micro_batches, 1)
    return np.asarray(idle / (useful + idle))


def _schedule(p: int, m: int, v: int, warm_up: Callable[[int], int]) -> PipelineSchedule:
    """Return the schedule that begins with `warm_up(stage)` forward passes, then alternates."""
    group = p if v > 1 else m
    turn = np.arange(m * v)
    chunk = turn % (group * v) // group
    micro = turn // (group * v) * group + turn % group
    orders = np.array([_alternating(m * v, warm_up(stage)) for stage in range(p)])
    backward = orders >= m * v
    place = orders % (m * v)
    chunks = np.where(backward, v - 1 - chunk[place], chunk[place])
    return PipelineSchedule(m, v, backward, micro[place], chunks)


def _alternating(count: int, warm_up: int) -> IntArray:
    """Return forward passes 0, 1, ... and backward passes `count`, `count` + 1, ... in order."""
    first = min(warm_up, count)
    ahead, back = np.arange(count), count + np.arange(count)
    pairs = np.stack([ahead[first:], back[: count - first]], axis=1).ravel()
    return np.concatenate([ahead[:first], pairs, back[count - first :]])


def _by_stage(value: Floats, stages: int) -> Floats:
    if value.shape not in ((), (stages,)):
        raise ValueError(
            f"forward, backward and activation must be one number or one for each of the "
            f"{stages} stages, got shape {value.shape}"
        )
    return np.broadcast_to(value, (stages,))
