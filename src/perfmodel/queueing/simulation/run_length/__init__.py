"""How long a run must be: what its laws ask for, and which intervals a shorter one goes without."""

from perfmodel.queueing.simulation.run_length.interval_rules import drop_intervals

__all__ = ["drop_intervals"]
