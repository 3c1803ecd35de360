"""Tasks, the stages that they run on, what must come before what, and what they hold meanwhile.

A task runs on one server of its stage, without a break. It may start when its release has come,
when all tasks before it have ended (and what they send has arrived), and when there is room for
what it takes. A hold takes units of a buffer from the start of one task to the end of another: the
activations of a layer from its forward to its backward pass, a place in front of a machine, an
expert's weights in the device's memory.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from perfmodel.validation import Floats, non_negative, whole

IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Holds:
    """Units of buffers that are held from the start of one task to the end of another.

    Attributes
    ----------
    buffer, first, last : array_like of int, shape (holds,)
        The buffer; the task whose start takes the units; the task whose end gives them back.
    units : array_like, shape (holds,) or ()
        0 or more, in whatever the buffer's capacity counts: bytes, places.
    """

    buffer: IntArray
    first: IntArray
    last: IntArray
    units: Floats

    def __post_init__(self) -> None:
        """Turn all into arrays of one length."""
        for name in ("buffer", "first", "last"):
            object.__setattr__(self, name, indices(name, getattr(self, name)))
        units = non_negative("units", self.units)
        object.__setattr__(self, "units", spread("units", units, self.buffer.size))
        if not self.buffer.size == self.first.size == self.last.size:
            raise ValueError(
                f"buffer, first and last must be equally many, got {self.buffer.size}, "
                f"{self.first.size} and {self.last.size}"
            )


def no_holds() -> Holds:
    """Return holds of nothing."""
    nothing = np.zeros(0, np.int64)
    return Holds(nothing, nothing, nothing, np.zeros(0))


@dataclass(frozen=True, eq=False)
class TaskGraph:
    """Tasks with their stages, seconds and order.

    Attributes
    ----------
    stage : array_like of int, shape (tasks,)
        Where each task runs; stages are numbered from 0.
    duration : array_like, shape (tasks,) or ()
        Seconds, 0 or more.
    edges : array_like of int, shape (edges, 2)
        Pairs of tasks: the second can't start before the first has ended.
    lag : array_like, shape (edges,) or ()
        Seconds that must lie between the two at least: a message's way. It takes no server.
    priority : array_like, shape (tasks,) or ()
        Of the ready tasks of a stage the least priority starts first; of equal ones the first.
    release : array_like, shape (tasks,) or ()
        Seconds before which a task can't start.
    servers : array_like of int, shape (stages,) or ()
        Tasks that a stage can run at the same time.
    in_order : array_like of bool, shape (stages,) or ()
        Whether a stage starts its tasks strictly by priority, ready or not, and so waits for one
        although another is ready. In both cases nothing overtakes a ready task for whose holds
        there is no room.
    holds : Holds
        What tasks take and give back.
    capacity : array_like, shape (buffers,)
        Units of each buffer, infinite allowed.

    Raises
    ------
    ValueError
        If a number is out of range or an array of another length; tasks that wait for each other
        are found by `simulate_tasks`.

    Examples
    --------
    A message goes from one stage to the next:

    >>> graph = TaskGraph([0, 1], [2.0, 3.0], [(0, 1)], lag=0.5)
    >>> graph.tasks, graph.stages
    (2, 2)
    """

    stage: IntArray
    duration: Floats
    edges: IntArray = field(default_factory=lambda: np.zeros((0, 2), np.int64))
    lag: Floats = field(default_factory=lambda: np.zeros(()))
    priority: Floats = field(default_factory=lambda: np.zeros(()))
    release: Floats = field(default_factory=lambda: np.zeros(()))
    servers: IntArray = field(default_factory=lambda: np.ones((), np.int64))
    in_order: NDArray[np.bool_] = field(default_factory=lambda: np.zeros((), np.bool_))
    holds: Holds = field(default_factory=no_holds)
    capacity: Floats = field(default_factory=lambda: np.zeros(0))

    def __post_init__(self) -> None:
        """Turn all into arrays and refuse what can't be played."""
        put = object.__setattr__
        put(self, "stage", indices("stage", self.stage))
        if not self.tasks:
            raise ValueError("stage must name one task or more, got none")
        for name in ("duration", "release"):
            times = non_negative(name, getattr(self, name))
            put(self, name, spread(name, times, self.tasks))
        put(self, "priority", spread("priority", _finite_or_not(self.priority), self.tasks))
        edges = np.asarray(self.edges)
        if edges.size and (edges.ndim != 2 or edges.shape[1] != 2):
            raise ValueError(f"edges must be pairs of tasks, got shape {edges.shape}")
        put(self, "edges", indices("edges", edges.reshape(-1, 2)))
        put(self, "lag", spread("lag", non_negative("lag", self.lag), len(self.edges)))
        servers = indices("servers", self.servers, low=1)
        put(self, "servers", spread("servers", servers, self.stages))
        in_order = np.asarray(self.in_order, np.bool_)
        put(self, "in_order", spread("in_order", in_order, self.stages))
        put(self, "capacity", np.atleast_1d(_capacity(self.capacity)))
        below("edges", self.edges, self.tasks, "tasks")
        below("buffer", self.holds.buffer, self.capacity.size, "buffers")
        for name in ("first", "last"):
            below(name, getattr(self.holds, name), self.tasks, "tasks")

    @property
    def tasks(self) -> int:
        """How many."""
        return int(self.stage.size)

    @property
    def stages(self) -> int:
        """How many, those without tasks before the last one counted."""
        return max(int(self.stage.max()) + 1, np.size(self.servers), np.size(self.in_order))


def indices(name: str, value: ArrayLike, low: int = 0) -> IntArray:
    """Return `value` as whole numbers of `low` or more.

    >>> indices("stage", [0, 1.0])
    array([0, 1])
    """
    array = np.asarray(value)
    if array.dtype.kind not in "iuf" or array.size == 0:
        if array.size:
            raise ValueError(f"{name} must be whole numbers, got {value!r}")
        return array.astype(np.int64)
    least = array.min()
    if array.dtype.kind == "f" and not (np.isfinite(array) & (array == np.floor(array))).all():
        raise ValueError(f"{name} must be whole numbers, got {array!r}")
    whole(f"the least of {name}", least.item(), low)
    return array.astype(np.int64)


def spread(name: str, array: NDArray[Any], length: int) -> NDArray[Any]:
    """Return one number repeated, or an array of the right length as it is.

    >>> spread("lag", np.array(2.0), 2)
    array([2., 2.])
    """
    if array.ndim == 0:
        return np.broadcast_to(array, (length,)).copy()
    if array.shape != (length,):
        raise ValueError(f"{name} must have one number or {length}, got shape {array.shape}")
    return array


def below(name: str, array: IntArray, count: int, what: str) -> None:
    """Refuse numbers that name nothing."""
    if array.size and array.max() >= count:
        raise ValueError(f"{name} must be below {count}, the number of {what}, got {array.max()}")


def _finite_or_not(priority: ArrayLike) -> Floats:
    array = np.asarray(priority, np.float64)
    if np.isnan(array).any():
        raise ValueError("priority must be numbers, got NaN")
    return array


def _capacity(capacity: ArrayLike) -> Floats:
    array = np.asarray(capacity, np.float64)
    if np.isnan(array).any() or (array < 0).any():
        raise ValueError(f"capacity must be 0 or more, got {capacity!r}")
    return array
