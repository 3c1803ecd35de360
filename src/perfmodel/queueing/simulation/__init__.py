"""Event simulation of queueing networks: a compiled core, honest intervals, repeatable seeds.

Say what to simulate with `perfmodel.queueing.network.model`; `simulate` makes one long run,
`replicate` several independent ones, `difference` compares two systems under common random numbers.
Short runs are plain Python; long ones are compiled by numba, once, with the same numbers to the
last bit.
"""

from perfmodel.queueing.simulation.options import Batch, JoinShortestQueue
from perfmodel.queueing.simulation.replications import difference, replicate
from perfmodel.queueing.simulation.result import SimulationResult
from perfmodel.queueing.simulation.simulate import simulate, simulated_intervals
from perfmodel.queueing.simulation.statistics import Estimate, batch_means, mser5
from perfmodel.queueing.simulation.streams import Trace

__all__ = [
    "Batch",
    "Estimate",
    "JoinShortestQueue",
    "SimulationResult",
    "Trace",
    "batch_means",
    "difference",
    "mser5",
    "replicate",
    "simulate",
    "simulated_intervals",
]
