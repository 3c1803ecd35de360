"""Constants of the published controller, and those of the links that this lab measures."""

from perfmodel.communication import RateLaw

PUBLISHED = RateLaw(target=0.064, base=1.5, exponent=0.5, gain=0.2)
"""Target, base and gain of github.com/NVlabs/RLCC, scaled as there; the steepness is ours."""
ON_THIS_MACHINE = RateLaw(target=1.0, base=1.0, exponent=0.5, gain=0.3, steepness=1.0)
"""A law that settles within a second on a link of 20 ms."""
