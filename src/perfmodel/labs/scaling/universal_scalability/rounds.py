"""Users that work in rounds, simulated: the system that the Universal Scalability Law describes.

In a round each of N users does one job. They work in parallel, pass one at a time through a lock,
and then each tells every other user what it changed. With jobs of one length the throughput is the
law itself. `work_variation` adds the waiting for the slowest user.

Source: N. J. Gunther, "Guerrilla Capacity Planning", Springer, 2007, chapters 4-6, for the law.
The course adds the model of a round.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.live.drawing import Scale, Scene, Shape, Text
from perfmodel.live.drawing.chart import legend
from perfmodel.validation import Floats, non_negative, positive, sample, whole


@dataclass(frozen=True)
class RoundCosts:
    """Mean times of a job in seconds, and how much they vary from job to job.

    >>> costs = RoundCosts(work=0.095, lock=0.005, tell=0.0001)
    >>> round(costs.rate_one, 3), round(costs.contention, 3), round(costs.coherency, 4)
    (10.0, 0.05, 0.001)
    """

    work: float
    """Time that overlaps with the other users' work, above 0."""
    lock: float = 0.0
    """Time in the lock, where one user is at a time, 0 or more."""
    tell: float = 0.0
    """Time to tell one other user what changed, 0 or more."""
    variation: float = 0.0
    """Standard deviation over mean of a time in the lock and of a message, 0 or more; gamma."""
    work_variation: float = 0.0
    """The same of the work. Above 0 a round waits for its slowest user."""

    def __post_init__(self) -> None:
        positive("work", self.work)
        for name in ("lock", "tell", "variation", "work_variation"):
            non_negative(name, getattr(self, name))

    @property
    def rate_one(self) -> float:
        """The law's lambda in jobs per second: the throughput of one user alone."""
        return 1 / (self.work + self.lock)

    @property
    def contention(self) -> float:
        """The law's sigma."""
        return self.lock * self.rate_one

    @property
    def coherency(self) -> float:
        """The law's kappa."""
        return self.tell * self.rate_one


def simulate_rounds(load: ArrayLike, costs: RoundCosts, rounds: int = 100, seed: int = 0) -> Floats:
    """Return the throughput of users working in rounds, measured over some rounds at each load.

    A round of N users takes max(work) + sum of N locks + sum of N (N - 1) messages. It is in jobs
    per second, shape (k,), for numbers of users N; each has a stream of random numbers of its own,
    so that a repeated load is a repeated measurement.

    >>> costs = RoundCosts(work=0.095, lock=0.005, tell=0.0001)
    >>> print(simulate_rounds([1, 5, 40], costs, rounds=1).round(2))
    [10.   40.98 88.69]
    """
    users = [whole("load", n, 1) for n in sample("load", load)]
    count = whole("rounds", rounds, 1)
    streams = np.random.default_rng(whole("seed", seed)).spawn(len(users))
    return np.array(
        [_throughput(n, costs, count, rng) for n, rng in zip(users, streams, strict=True)]
    )


def _throughput(users: int, costs: RoundCosts, rounds: int, rng: np.random.Generator) -> float:
    work = _total(rng, costs.work, 1, costs.work_variation, (rounds, users)).max(axis=1)
    lock = _total(rng, costs.lock, users, costs.variation, (rounds,))
    tell = _total(rng, costs.tell, users * (users - 1), costs.variation, (rounds,))
    return float(users * rounds / np.sum(work + lock + tell))


def _total(
    rng: np.random.Generator, mean: float, count: int, variation: float, shape: tuple[int, ...]
) -> Floats:
    """Return sums of `count` independent gamma times, which are gamma times themselves."""
    if variation == 0 or mean == 0 or count == 0:
        return np.full(shape, mean * count, dtype=np.float64)
    return rng.gamma(count / variation**2, mean * variation**2, shape)


MOST = 8
"""Users that the sheet has rows for."""
_END = 0.26
_TOP, _ROW = 58.0, 19.0


def round_trace(users: int, tell: float = 0.002, work: float = 0.06, lock: float = 0.01) -> Scene:
    """Draw a round: all work side by side, then one at a time through the lock, then messages.

    It is for 1 to 8 users; times are in seconds.

    >>> round(round_trace(2).values["round (ms)"], 3)
    84.0
    """
    count = whole("users", users, 1)
    costs = RoundCosts(work, lock, tell)
    rate = float(simulate_rounds([count], costs, rounds=1)[0])
    time = Scale(0, 1e3 * _END, 30, 348)
    shapes: list[Shape] = legend(30, 14, [("work", 3, "light")])
    shapes += legend(110, 14, [("lock", 2, "hatch")])
    shapes += legend(190, 14, [("messages", 1, "solid")])
    shapes.append(Text("user", 30, 42, anchor="start"))
    for user in range(count):
        shapes += _row(time, user, count, costs)
    shapes += time.below(_TOP + MOST * _ROW + 6, "time (ms), one row a user")
    length = 1e3 * count / rate
    says = (
        f"{count} user{'s' * (count > 1)} finish{'es' * (count == 1)} a round in {length:.0f} ms, "
        f"or {rate:.1f} jobs/s. After {1e3 * work:.0f} ms only one user at a time is active."
    )
    return Scene(258, shapes, says, {"round (ms)": length, "jobs/s": rate})


def _row(time: Scale, user: int, count: int, costs: RoundCosts) -> list[Shape]:
    """Return a user's work, its turn in the lock, and its turn to tell the others."""
    y, height = _TOP + user * _ROW, _ROW - 4
    tells = (count - 1) * costs.tell
    locked = costs.work + user * costs.lock
    messages_start = costs.work + count * costs.lock + user * tells
    shapes: list[Shape] = [
        Text(str(user + 1), 22, y + height / 2, anchor="end"),
        time.bar(0, y, 1e3 * costs.work, height, "", 3, "light"),
        time.bar(1e3 * locked, y, 1e3 * costs.lock, height, "", 2, "hatch"),
    ]
    if tells:
        shapes.append(time.bar(1e3 * messages_start, y, 1e3 * tells, height, "", 1, "solid"))
    return shapes
