"""The paper's inputs, with where they stand in it."""

from perfmodel.labs.serving.sleep_time.link import Link

EXAMPLE = Link(latency=1e-6, bandwidth=1e10)
"""A round-numbered link; the place of a paper's inputs is named here."""
