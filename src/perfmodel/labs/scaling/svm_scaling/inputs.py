"""Processors of the lab, and results of an independent program on the same training data.

The system is MIC-SVM (You et al., 2015). Its own machines are not modelled, because we found no
sourced figures for them. The processors here are of a later generation.
"""

from __future__ import annotations

from typing import NamedTuple

from perfmodel import machines
from perfmodel.labs.scaling.svm_scaling.step_cost import Processor


def _processor(id: str) -> Processor:
    machine = machines.get(id)
    return Processor(
        machine.name,
        flop_rate=machine.peak("fp32", "vector"),
        bandwidth=machine.memory_bandwidth,
        source=machine.page,
    )


EPYC_9654 = _processor("epyc-9654")
A100 = _processor("a100-sxm4-80gb")
H100 = _processor("h100-sxm5-80gb")
PROCESSORS = (EPYC_9654, A100, H100)

SCALAR_SHARE = 1 / (machines.get("epyc-9654").compute_units * 8)
"""One core of the EPYC with one of the eight single-precision lanes of its 256-bit pipes."""


class Run(NamedTuple):
    """A training run until it converged."""

    steps: int
    objective: float
    """Of the dual."""
    support_vectors: int


INDEPENDENT_RUNS = {
    200: Run(245, 71.1594, 153),
    400: Run(432, 130.8307, 274),
    800: Run(679, 222.2416, 424),
    1600: Run(1225, 426.2240, 750),
}
"""Results by samples n of a second, separately written implementation of first-order SMO, on
`smo.noisy_halves(n)` with d = 20, C = 1, an rbf kernel of gamma = 1/20 and tolerance 1e-3."""
