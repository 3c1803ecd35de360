"""Mixtures of Erlang laws fitted to measured times by likelihood, with the EM algorithm.

Each measured time is divided among the branches of the mixture by their probabilities of having
produced it. Each branch then takes the mean of its part. No step makes the measurement less likely.
Unlike moments, of which the third depends on the few longest times, this looks at the whole sample.

Sources: A. P. Dempster, N. M. Laird and D. B. Rubin, "Maximum likelihood from incomplete data via
the EM algorithm", J. Royal Statistical Society B 39(1), 1977; A. Thuemmler, P. Buchholz and M.
Telek, "A novel approach for phase-type fitting with the EM algorithm", IEEE Trans. Dependable and
Secure Computing 3(3), 2006 (hyper-Erlang laws, G-FIT).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln, logsumexp

from perfmodel.measurement.statistics.least_squares import standard_errors
from perfmodel.queueing.distributions.phase_forms import branched_erlangs
from perfmodel.queueing.distributions.phase_type import PhaseType
from perfmodel.validation import Floats, positive, sample, whole

_MOST_PHASES, _MOST_SHARED = 200, 12
_MOST_STEPS, _SETTLED = 2000, 1e-9


@dataclass(frozen=True, eq=False)
class HyperErlangFit:
    """A mixture of Erlang laws and how likely it makes the times that it was fitted to.

    >>> fit = fit_hyper_erlang([1.0, 2.0, 3.0], stages=[1])
    >>> print(fit.means, fit.distribution.moment(1))
    [2.] 2.0
    """

    weights: Floats
    """Share of the times that each branch brings."""
    stages: tuple[int, ...]
    """Number of exponential stages of each branch."""
    means: Floats
    """Mean of each branch in seconds."""
    log_likelihood: Floats
    """Log of the probability density of all times, at the start and after each step."""
    weight_errors: Floats
    """Standard errors of `weights`; infinite where the times don't determine one, as when two
    branches have come out the same, or there are fewer times than parameters."""
    mean_errors: Floats
    """Standard errors of `means` in seconds; infinite where the times don't determine one."""

    @property
    def distribution(self) -> PhaseType:
        """The mixture as a phase-type law."""
        return branched_erlangs(self.weights, self.stages, np.array(self.stages) / self.means)


def fit_hyper_erlang(times: ArrayLike, stages: Sequence[int]) -> HyperErlangFit:
    """Fit a mixture of Erlang laws with given numbers of stages to measured times.

    Parameters
    ----------
    times : array_like, shape (n,)
        Two or more measured times in seconds, above 0.
    stages : sequence of int
        Stages of each branch, 200 in all at most, 1 or more: (1, 1) is a hyperexponential
        distribution. Branches start with as many of the times each, the first with the shortest.

    Returns
    -------
    HyperErlangFit
        After 2,000 steps, or when a step gains less than 1e-9 of the log-likelihood. It has the
        mean of the times; EM finds a maximum nearby, not always the highest.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> times = np.concatenate([rng.exponential(1.0, 3000), 10 + rng.gamma(4, 0.5, 1000)])
    >>> fit = fit_hyper_erlang(times, stages=[1, 40])
    >>> print(fit.weights.round(2), fit.means.round(1))
    [0.75 0.25] [ 1. 12.]
    """
    seconds = positive("times", sample("times", times, 2))
    shapes = tuple(whole("stages", count, 1) for count in sample("stages", stages))
    if sum(shapes) > _MOST_PHASES:
        raise ValueError(f"stages must be 1 to {_MOST_PHASES} in all, got {list(shapes)!r}")
    parts = np.array_split(np.sort(seconds), len(shapes))
    means = np.array([part.mean() if part.size else seconds.mean() for part in parts])
    weights, levels = np.full(len(shapes), 1 / len(shapes)), [-np.inf]
    for _ in range(_MOST_STEPS):
        shares, level = _shares(seconds, weights, np.array(shapes), means)
        levels.append(level)
        if level - levels[-2] < _SETTLED * abs(level):
            break
        given = shares.sum(0)
        weights = given / seconds.size
        means = np.where(given > 0, seconds @ shares / np.where(given > 0, given, 1.0), means)
    errors = _errors(seconds, weights, np.array(shapes), means)
    return HyperErlangFit(weights, shapes, means, np.array(levels[1:]), *errors)


def best_hyper_erlang(times: ArrayLike, phases: int) -> HyperErlangFit:
    """Return the likeliest mixture of Erlang laws with this many phases in all.

    Parameters
    ----------
    times : array_like, shape (n,)
        Two or more measured times in seconds, above 0.
    phases : int
        From 1 to 12; every way to share them among branches is fitted.

    Returns
    -------
    HyperErlangFit
        The one with the highest likelihood.

    Examples
    --------
    >>> times = np.random.default_rng(2).gamma(3, 1 / 3, 2000)
    >>> best_hyper_erlang(times, 3).stages
    (3,)
    """
    most = whole("phases", phases, 1)
    if most > _MOST_SHARED:
        raise ValueError(f"phases must be at most {_MOST_SHARED}, got {phases}")
    fits = [fit_hyper_erlang(times, stages) for stages in _partitions(most, most)]
    return max(fits, key=lambda fit: float(fit.log_likelihood[-1]))


def _shares(
    seconds: Floats, weights: Floats, stages: Floats, means: Floats
) -> tuple[Floats, float]:
    """Return each branch's share of each time, and the log-likelihood of all times."""
    rates = stages / means
    with np.errstate(divide="ignore"):
        logs = np.log(weights) + stages * np.log(rates) - gammaln(stages)
    logs = logs + np.log(seconds)[:, np.newaxis] * (stages - 1) - np.outer(seconds, rates)
    totals = logsumexp(logs, axis=1, keepdims=True)
    return np.exp(logs - totals), float(totals.sum())


def _errors(
    seconds: Floats, weights: Floats, stages: Floats, means: Floats
) -> tuple[Floats, Floats]:
    """Return the standard errors of weights and means, from each time's scores.

    A weight is free but that all sum to 1; the scores are slopes of a time's log-likelihood.
    """
    shares, _ = _shares(seconds, weights, stages, means)
    by_mean = shares * stages * (seconds[:, np.newaxis] / means - 1)
    known = np.where(weights > 0, weights, 1.0)
    by_weight = np.where(weights > 0, shares / known, 0.0)
    last = int(weights.argmax())
    free = np.arange(weights.size) != last
    scores = np.hstack([(by_weight - by_weight[:, [last]])[:, free], by_mean])
    count = weights.size
    toward = np.zeros((2 * count, 2 * count - 1))
    toward[np.flatnonzero(free), np.arange(count - 1)] = 1
    toward[last, : count - 1] = -1
    toward[count:, count - 1 :] = np.eye(count)
    errors = standard_errors(scores, toward)
    return errors[:count], errors[count:] * means


def _partitions(phases: int, most: int) -> Iterator[tuple[int, ...]]:
    """Yield the ways to write `phases` as a sum of numbers up to `most`, the smallest first."""
    if phases == 0:
        yield ()
    for last in range(min(phases, most), 0, -1):
        for before in _partitions(phases - last, last):
            yield (*before, last)
