"""How long a run must be: what its laws ask for, and which intervals a shorter one goes without."""

from perfmodel.queueing.simulation.run_length.withholding import withhold

__all__ = ["withhold"]
