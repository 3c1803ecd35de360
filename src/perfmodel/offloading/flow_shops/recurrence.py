"""When each job is at each stage, by recurrence; the makespan of equal jobs; bounds.

Sources: Pinedo, *Scheduling*, 5th edition 2016, sections 6.1 (permutation flow shops) and 6.2
(limited room: a job that finds no place ahead blocks the stage it is on).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.communication import Holds, TaskGraph
from perfmodel.validation import Floats, non_negative, whole


@dataclass(frozen=True, eq=False)
class FlowShopRun:
    """When the jobs of a flow shop are at its stages.

    Attributes
    ----------
    start, end : ndarray, shape (..., jobs, stages)
        Seconds; jobs stand in the order in which they run.
    leave : ndarray, shape (..., jobs, stages)
        Seconds when a job sets its stage free: later than `end` where it finds no place ahead.
    """

    start: Floats
    end: Floats
    leave: Floats

    @property
    def makespan(self) -> Floats:
        """Seconds from 0 to the end of the last job, shape (...)."""
        return np.asarray(self.end[..., -1, -1])


def run_flow_shop(
    times: ArrayLike, slots: float = math.inf, buffer_size: float = math.inf
) -> FlowShopRun:
    r"""Return when each job is at each stage, all stages taking the jobs in one order.

    With p the times, S the starts, E the ends and L the moments at which stages are left,

    .. math::
        S_{jm} &= \max(L_{j-1,m},\ E_{j,m-1}), \\
        S_{j0} &\ge E_{j-k,\text{last}}, \\
        E_{jm} &= S_{jm} + p_{jm}, \\
        L_{jm} &= \max(E_{jm},\ S_{j-b,m+1}).

    Parameters
    ----------
    times : array_like, shape (..., jobs, stages)
        Seconds of each job at each stage, 0 or more, jobs in the order in which they run.
    slots : float
        k, the jobs that may be in the shop at a time, from the start at the first stage to the end
        at the last: buffers that a block keeps all the way. 1 or more, infinite allowed.
    buffer_size : float
        b, the jobs that may wait between two neighbouring stages, 0 or more, infinite allowed. A
        job that finds no place stays on its stage and blocks it.

    Raises
    ------
    ValueError
        If `times` are negative or not of two dimensions or more, or `slots` or `buffer_size` no
        whole number in range.

    Examples
    --------
    Three blocks, loaded, computed and stored in a second each, with two buffers:

    >>> run = run_flow_shop([[1.0, 1.0, 1.0]] * 3, slots=2)
    >>> run.start[:, 0], float(run.makespan)
    (array([0., 1., 3.]), 6.0)
    """
    seconds = job_times(times)
    room, free = (
        count_or_endless("slots", slots, 1),
        count_or_endless("buffer_size", buffer_size, 0),
    )
    jobs, stages = seconds.shape[-2:]
    start, end, leave = (np.zeros_like(seconds) for _ in range(3))
    for j in range(jobs):
        for m in range(stages):
            begin = start[..., j, m]
            if j:
                np.maximum(begin, leave[..., j - 1, m], out=begin)
            if m:
                np.maximum(begin, end[..., j, m - 1], out=begin)
            elif j >= room:
                np.maximum(begin, end[..., j - int(room), -1], out=begin)
            np.add(begin, seconds[..., j, m], out=end[..., j, m])
        leave[..., j, :] = end[..., j, :]
        if j >= free:
            ahead = start[..., j - int(free), 1:]
            np.maximum(leave[..., j, :-1], ahead, out=leave[..., j, :-1])
    return FlowShopRun(start, end, leave)


def flow_shop_makespan(
    times: ArrayLike, slots: float = math.inf, buffer_size: float = math.inf
) -> Floats:
    """Return the seconds until the last job has ended (`run_flow_shop`).

    Parameters
    ----------
    times : array_like, shape (..., jobs, stages)
        Seconds, 0 or more, jobs in the order in which they run.
    slots, buffer_size : float
        Jobs in the shop, and jobs between two stages, at most.

    Returns
    -------
    ndarray, shape (...)
        Seconds.

    Raises
    ------
    ValueError
        As `run_flow_shop`.

    Examples
    --------
    >>> [float(flow_shop_makespan([[1.0, 1.0, 1.0]] * 9, k)) for k in (1, 2, 3, 4)]
    [27.0, 15.0, 11.0, 11.0]
    """
    return run_flow_shop(times, slots, buffer_size).makespan


def equal_jobs_makespan(stage_times: ArrayLike, jobs: int, slots: float = math.inf) -> Floats:
    r"""Return the makespan of equal jobs: fill, then one job for each time of the slowest stage.

    With :math:`T` the sum and :math:`P` the greatest of the stage times, :math:`n` jobs take

    .. math:: T + (n - 1)\,P \quad\text{for } k \ge T/P,

    and with fewer slots :math:`k` each round of them takes :math:`T`, which makes
    :math:`(1 + \lfloor (n-1)/k \rfloor)\,T` and another :math:`((n-1) \bmod k)\,P`. As T is at
    most stages times P, one slot a stage is always enough for equal jobs.

    Parameters
    ----------
    stage_times : array_like, shape (..., stages)
        Seconds of a job at each stage, 0 or more.
    jobs : int
        n, 1 or more.
    slots : float
        k, jobs in the shop at a time, 1 or more, infinite allowed.

    Returns
    -------
    ndarray, shape (...)
        Seconds.

    Examples
    --------
    96 blocks, uploaded and stored in 145 ms each and computed in 152.6 ms:

    >>> equal_jobs_makespan([0.145, 0.1526, 0.145], 96, slots=3).round(6)
    np.float64(14.9396)
    """
    seconds = non_negative("stage_times", stage_times)
    if not seconds.ndim or not seconds.shape[-1]:
        raise ValueError(f"stage_times must name one stage or more, got {stage_times!r}")
    later, room = whole("jobs", jobs, 1) - 1, count_or_endless("slots", slots, 1)
    total, slowest = seconds.sum(-1), seconds.max(-1)
    rounds, rest = (0, later) if math.isinf(room) else divmod(later, int(room))
    limited = (1 + rounds) * total + rest * slowest
    return np.asarray(np.maximum(limited, total + later * slowest))


def flow_shop_bound(times: ArrayLike, slots: float = math.inf) -> Floats:
    """Return seconds that no order of the jobs can undercut.

    A stage works through all jobs, after the shortest way to it and before the shortest way from
    it to the end; and the slots together hold all jobs for their whole time.

    Parameters
    ----------
    times : array_like, shape (..., jobs, stages)
        Seconds, 0 or more, jobs in any order.
    slots : float
        Jobs in the shop at a time, 1 or more, infinite allowed.

    Returns
    -------
    ndarray, shape (...)
        Seconds.

    Examples
    --------
    >>> float(flow_shop_bound([[1.0, 4.0, 1.0], [2.0, 3.0, 2.0]]))
    9.0
    """
    seconds, room = job_times(times), count_or_endless("slots", slots, 1)
    through = np.cumsum(seconds, -1)
    head = (through - seconds).min(-2)
    tail = (through[..., -1:] - through).min(-2)
    stages = (head + seconds.sum(-2) + tail).max(-1)
    longest = through[..., -1].max(-1)
    return np.asarray(np.maximum(np.maximum(stages, longest), through[..., -1].sum(-1) / room))


def flow_shop_graph(
    times: ArrayLike, slots: float = math.inf, buffer_size: float = math.inf
) -> TaskGraph:
    """Return the flow shop as tasks for the event simulator (`communication.simulate_tasks`).

    Task `2 * (job * stages + stage)` has no duration and enters a stage: it takes the room that
    its job needs there, and ends the job's claim on the stage before and the place between. The
    task after it is the work.

    Parameters
    ----------
    times : array_like, shape (jobs, stages)
        Seconds, 0 or more, jobs in the order in which they run.
    slots, buffer_size : float
        As in `run_flow_shop`.

    Examples
    --------
    >>> from perfmodel.communication import simulate_tasks
    >>> simulate_tasks(flow_shop_graph([[1.0, 1.0, 1.0]] * 9, slots=2)).makespan
    15.0
    """
    seconds = job_times(times)
    if seconds.ndim != 2:
        raise ValueError(f"times must have shape (jobs, stages), got {seconds.shape}")
    room, free = (
        count_or_endless("slots", slots, 1),
        count_or_endless("buffer_size", buffer_size, 0),
    )
    jobs, stages = seconds.shape
    enter = 2 * np.arange(jobs * stages).reshape(jobs, stages)
    work = enter + 1
    holds = Holds(
        buffer=np.append(np.zeros(jobs, np.int64), np.tile(np.arange(1, stages), jobs)),
        first=np.append(enter[:, 0], enter[:, :-1]),
        last=np.append(work[:, -1], enter[:, 1:]),
        units=np.ones(()),
    )
    edges = [(enter, work), (work[:, :-1], enter[:, 1:])]
    return TaskGraph(
        stage=np.repeat(np.tile(np.arange(stages), jobs), 2),
        duration=np.column_stack([np.zeros(seconds.size), seconds.ravel()]).ravel(),
        edges=np.concatenate([np.column_stack([a.ravel(), b.ravel()]) for a, b in edges]),
        priority=np.arange(2.0 * seconds.size),
        in_order=np.array(True),
        holds=holds,
        capacity=np.array([room] + [free + 1] * (stages - 1)),
    )


def job_times(times: ArrayLike) -> Floats:
    """Return `times` as an array of two dimensions or more, or say what is wrong with them.

    >>> job_times([[1, 2]]).shape
    (1, 2)
    """
    seconds = non_negative("times", times)
    if seconds.ndim < 2 or 0 in seconds.shape[-2:]:
        raise ValueError(
            f"times must have shape (..., jobs, stages), one of each or more, got {seconds.shape}"
        )
    return seconds


def count_or_endless(name: str, value: float, low: int) -> float:
    """Return a whole number of `low` or more, or infinity.

    >>> count_or_endless("slots", math.inf, 1), count_or_endless("slots", 2, 1)
    (inf, 2)
    """
    return math.inf if np.ndim(value) == 0 and value == math.inf else whole(name, value, low)
