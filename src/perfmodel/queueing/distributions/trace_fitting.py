"""Arrival processes fitted to a measured trace by likelihood, with the EM algorithm.

The times between arrivals are taken in their order, so that what is fitted knows whether short ones
follow short ones. Where the chain of phases went, and for how long, is not seen; each step takes
what is expected of it, given the whole trace, and makes the rates those under which this would be
the average. No step makes the trace less likely.

Sources: T. Ryden, "An EM algorithm for estimation in Markov-modulated Poisson processes",
Computational Statistics and Data Analysis 21(4), 1996; L. Breuer, "An EM algorithm for batch
Markovian arrival processes and its comparison to a simpler estimation procedure", Annals of
Operations Research 112, 2002; P. Buchholz, "An EM-algorithm for MAP fitting from real traffic
data", TOOLS 2003; C. F. Van Loan, "Computing integrals involving the matrix exponential", IEEE
Trans. Automatic Control 23(3), 1978.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.compilation import compiled_if_long
from perfmodel.queueing.distributions.phase_type import ArrivalProcess
from perfmodel.queueing.distributions.trace_recursions import TERMS, exponentiate, walk
from perfmodel.validation import Floats, positive, sample, whole, within

_MOST_PHASES, _MOST_STEPS = 8, 10_000
_MOST_WORK = 6_400_000
"""Times, times the phases cubed."""
_RANGE = 1e-100, 1e100
"""Of a time, in seconds."""
_SETTLED = 1e-9
_PIECE = 2**14
"""Times whose exponentials are held at once."""
_USUAL_STEPS = 100
_HIDDEN = 0.1
"""Share of a phase's moves that bring no arrival, to start from."""


@dataclass(frozen=True, eq=False)
class MapFit:
    """An arrival process and how likely it makes the trace that it was fitted to.

    >>> fit = fit_map_em([1.0, 2.0, 3.0], phases=1)
    >>> print(fit.process.rate, fit.start)
    0.5 [1.]
    """

    process: ArrivalProcess
    start: Floats
    """Probability of each phase when the trace begins, shape (phases,)."""
    log_likelihood: Floats
    """Log of the probability density of the trace, at the start and after each step."""
    times: int
    """How many times it was fitted to."""

    @property
    def determined(self) -> bool:
        """Whether there were more times than the p (2 p - 1) rates of p phases."""
        size = self.start.size
        return self.times > size * (2 * size - 1)


@dataclass(frozen=True)
class _Expected:
    """Statistics of the phases that produced a trace."""

    log_density: float
    stays: Floats
    """Seconds in each phase on the diagonal; off it, moves from column to row over their rate."""
    marked: Floats
    """Moves with an arrival, from row to column."""
    start: Floats


def fit_map_em(times: ArrayLike, phases: int | ArrivalProcess, max_iterations: int = 500) -> MapFit:
    """Fit a Markovian arrival process to the measured times between arrivals, in their order.

    Parameters
    ----------
    times : array_like, shape (n,)
        2 or more times between arrivals in seconds, 1e-100 to 1e100; at most 6.4 million over the
        cube of the phases: 800,000 for two, 237,000 for three.
    phases : int or ArrivalProcess
        How many, from 1 to 8, or a process to start from, whose rates of 0 stay 0. A number starts
        with as many of the times in each phase, the shortest in the first, and with phases that
        take turns as these times do.
    max_iterations : int
        Of the algorithm, 1 to 10,000.

    Returns
    -------
    MapFit
        After `max_iterations`, or when a step gains less than 1e-9 of the log-likelihood. EM finds
        a maximum nearby, not always the highest. Rounding grows with the fastest rate times the
        longest time: at 10^6, to 1e-10 of each time's density.

    Raises
    ------
    ValueError
        If a time or a number is out of range, or a process to start from could hardly
        have brought the times.

    Examples
    --------
    Ten seconds with ten arrivals each, ten seconds with one each, and again:

    >>> gaps = np.tile(np.repeat([0.1, 1.0], [100, 10]), 20)
    >>> fit = fit_map_em(gaps, phases=2)
    >>> print(round(fit.process.rate, 2), round(fit.process.correlation(1), 2))
    5.4 0.35
    """
    seconds, limit = (
        _checked(times, phases),
        whole("max_iterations", max_iterations, 1, _MOST_STEPS),
    )
    process = phases if isinstance(phases, ArrivalProcess) else _guess(seconds, int(phases))
    expected = _expected(seconds, process, process.start)
    start, levels = process.start, [expected.log_density]
    for _ in range(limit):
        process, start = _likeliest(process, expected), expected.start
        expected = _expected(seconds, process, start)
        levels.append(expected.log_density)
        if levels[-1] - levels[-2] < _SETTLED * abs(levels[-1]):
            break
    return MapFit(process, start, np.array(levels), seconds.size)


def _checked(times: ArrayLike, phases: int | ArrivalProcess) -> Floats:
    """Return the times, if there are not too many for this many phases."""
    seconds = within("times", positive("times", sample("times", times, 2)), *_RANGE)
    given = phases.start.size if isinstance(phases, ArrivalProcess) else phases
    most = _MOST_WORK // whole("phases", given, 1, _MOST_PHASES) ** 3
    if seconds.size > most:
        raise ValueError(f"times must be at most {most} for {given} phases, got {seconds.size}")
    return seconds


def _guess(seconds: Floats, size: int) -> ArrivalProcess:
    """Return a process whose phases take turns as equal shares of the times, by length, do."""
    ranks = seconds.argsort(kind="stable").argsort(kind="stable")
    group = ranks * size // seconds.size
    rates = np.array([1 / seconds[group == i].mean() if i in group else 0.0 for i in range(size)])
    rates = np.where(rates > 0, rates, 1 / seconds.mean())[:, np.newaxis]
    turns = np.ones((size, size))
    np.add.at(turns, (group[:-1], group[1:]), 1)
    shown = 1.0 if size == 1 else 1 - _HIDDEN
    marked = shown * rates * turns / turns.sum(axis=1, keepdims=True)
    hidden = _HIDDEN * rates * (1 - np.eye(size)) / max(1, size - 1)
    return ArrivalProcess(_filled(hidden, marked), marked)


def _expected(seconds: Floats, process: ArrivalProcess, start: Floats) -> _Expected:
    """Return the expected stays and moves of the process, given that it produced the trace."""
    size, count = start.size, seconds.size
    work = _USUAL_STEPS * count * TERMS * size**3
    jumps, logs = _exponentials(seconds, np.broadcast_to(process.quiet, (count, size, size)), work)
    before, after = np.zeros((2, count + 1, size))
    before[0], after[-1] = start, 1.0
    density = compiled_if_long(walk, work)(jumps @ process.marked, before, after) + logs.sum()
    if not np.isfinite(density):
        raise ValueError(
            f"times must be likelier than 1e-300 for the process, got times from "
            f"{seconds.min():g} to {seconds.max():g} s for rates up to {-process.quiet.min():g} /s"
        )
    stays, marked = np.zeros((2, size, size))
    for begin in range(0, count, _PIECE):
        piece = slice(begin, begin + _PIECE)
        ahead = after[1:][piece] @ process.marked.T
        inside, ends = _inside(seconds[piece], process.quiet, before[:-1][piece], ahead, work)
        stays += inside
        marked += process.marked * (ends.T @ after[1:][piece])
    first = before[0] * after[0]
    return _Expected(density, stays, marked, first / first.sum())


def _inside(
    seconds: Floats, quiet: Floats, before: Floats, ahead: Floats, work: float
) -> tuple[Floats, Floats]:
    """Return the stays within these times, and the law of the phase at their ends over `ahead`.

    The integral of exp(quiet (x - u)) ahead before exp(quiet u) over u from 0 to x is a block of
    the exponential of a matrix of twice the size (Van Loan, theorem 1).
    """
    count, size = before.shape
    twice = np.zeros((count, 2 * size, 2 * size))
    twice[:, :size, :size] = twice[:, size:, size:] = quiet
    twice[:, :size, size:] = ahead[:, :, np.newaxis] * before[:, np.newaxis, :]
    moved, _ = _exponentials(seconds, twice, work)
    ends = np.einsum("ni,nij->nj", before, moved[:, :size, :size])
    chance = (ends * ahead).sum(axis=1, keepdims=True)
    return np.asarray((moved[:, :size, size:] / chance[..., np.newaxis]).sum(axis=0)), ends / chance


def _exponentials(seconds: Floats, rates: Floats, work: float) -> tuple[Floats, Floats]:
    """Return exp(rates times seconds) over exp(log), for each time, and that log."""
    matrices, logs = rates * seconds[:, np.newaxis, np.newaxis], np.zeros(seconds.size)
    compiled_if_long(exponentiate, work)(matrices, logs)
    return matrices, logs


def _likeliest(process: ArrivalProcess, expected: _Expected) -> ArrivalProcess:
    """Return the process whose rates are the expected moves over the expected stays."""
    stays = expected.stays.diagonal()[:, np.newaxis]
    seen = stays > 0
    spent = np.where(seen, stays, 1.0)
    hidden = process.quiet * (1 - np.eye(len(stays)))
    hidden = np.where(seen, hidden * expected.stays.T / spent, hidden)
    marked = np.where(seen, expected.marked / spent, process.marked)
    return ArrivalProcess(_filled(hidden, marked), marked)


def _filled(hidden: Floats, marked: Floats) -> Floats:
    """Return the moves without an arrival with a diagonal that makes all rows sum to 0."""
    return np.asarray(hidden - np.diag(hidden.sum(axis=1) + marked.sum(axis=1)))
