"""Laws in phase-type form: what a solver of Markov chains can take, and what it must refuse.

An exponential stage is one phase, stages in a row or side by side are several. A constant, a
lognormal or a measured law has no finite form; a phase-type law with its moments stands in for it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from perfmodel.queueing.distributions.light_tail import Erlang, Exponential, Hyperexponential
from perfmodel.queueing.distributions.phase_type import ArrivalProcess, PhaseType
from perfmodel.queueing.distributions.service import Service, scv
from perfmodel.validation import Floats

_LEAST_SCV = 0.01


def phase_type_of(distribution: PhaseType | Service, name: str = "distribution") -> PhaseType:
    """Return a distribution of times in seconds as chain of phases, where it is one.

    Another one is refused under the `name`; the message says how to fit one to its moments.

    >>> print(phase_type_of(Hyperexponential((0.5, 0.5), (1.0, 3.0))).generator.diagonal())
    [-1.         -0.33333333]
    """
    if isinstance(distribution, PhaseType):
        return distribution
    if isinstance(distribution, Exponential):
        return PhaseType.exponential(distribution.mean)
    if isinstance(distribution, Erlang):
        return PhaseType.erlang(distribution.mean, distribution.stages)
    if isinstance(distribution, Hyperexponential):
        chances = np.array(distribution.probabilities)
        return PhaseType(chances / chances.sum(), -np.diag(1 / np.array(distribution.means)))
    raise ValueError(
        f"{name} must be a PhaseType, Exponential, Erlang or Hyperexponential law, got "
        f"{_shown(distribution)}{_advice(distribution)}"
    )


def arrivals_of(arrivals: ArrivalProcess | PhaseType | Service) -> ArrivalProcess:
    """Return an arrival process, of a distribution the renewal process, its times in seconds.

    >>> print(arrivals_of(Erlang(0.5, 2)).rate)
    2.0
    """
    if isinstance(arrivals, ArrivalProcess):
        return arrivals
    return ArrivalProcess.renewal(phase_type_of(arrivals, "arrivals"))


def branched_erlangs(weights: Floats, stages: Sequence[int], rates: Floats) -> PhaseType:
    """Return a mixture of Erlang laws: branch i, of stages[i] at rates[i] 1/s, with weights[i].

    >>> law = branched_erlangs(np.array([0.5, 0.5]), [1, 2], np.array([1.0, 2.0]))
    >>> print(law.moment(1), law.start)
    1.0 [0.5 0.5 0. ]
    """
    first = np.cumsum([0, *stages[:-1]])
    size = int(sum(stages))
    start, generator = np.zeros(size), np.zeros((size, size))
    start[first] = weights / weights.sum()
    for begin, count, rate in zip(first, stages, rates, strict=True):
        block = slice(begin, begin + count)
        generator[block, block] = rate * (np.eye(count, k=1) - np.eye(count))
    return PhaseType(start, generator)


def _shown(law: object) -> str:
    text = repr(law)
    return text if len(text) <= 80 else text[:77] + "..."


def _advice(law: Service) -> str:
    if not callable(getattr(law, "moment", None)):
        return ""
    squared_cv = max(scv(law), _LEAST_SCV)
    return (
        f"; fit one to it: PhaseType.of_two_moments({law.moment(1):.6g}, {squared_cv:.6g}) by mean "
        "and variance, fit_phase_type by three moments"
    )
