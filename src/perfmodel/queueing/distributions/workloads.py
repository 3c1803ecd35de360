"""Job sizes that were published, and some that part one order of service from another.

Sources: M. Harchol-Balter and Z. Scully, "The most common queueing theory questions asked by
computer systems practitioners", TeaPACS 2021 (slides), for UNIX and Borg: shape and squared
coefficient of variation are the talk's, the range is what they leave to be set. The others are
examples of this course.

>>> round(float(UNIX_JOBS.work_fraction_of_largest(0.01)), 3)
0.437
"""

from __future__ import annotations

from perfmodel.queueing.distributions.heavy_tail import BoundedPareto
from perfmodel.queueing.distributions.service import Empirical

UNIX_JOBS = BoundedPareto(shape=1.0, low=1.0, high=3366.0)
"""UNIX process lifetimes: shape 1, range set so that the scv is the talk's 50 (slide 4)."""

BORG_JOBS = BoundedPareto(shape=0.69, low=1.0, high=5.33e7)
"""Jobs of a Borg cluster: shape 0.69, range set so that the scv is the talk's 23,000 (slide 5)."""

HEAVY_JOBS = BoundedPareto(shape=1.1, low=1.0, high=1e6)
"""Sizes for comparing schedulers: mean 8.24, scv 4,524."""

UNFAIR_JOBS = BoundedPareto(shape=1.0, low=1.0, high=1e4)
"""Sizes for which SRPT treats the largest job worse than PS does, at utilization 0.9."""

BUS_GAPS = Empirical((1.0,) * 9 + (91.0,))
"""Gaps between buses in minutes: nine in ten of 1, one in ten of 91."""

ONE_OR_THIRTEEN = Empirical((1.0, 13.0))
"""Jobs of 1 s or of 13 s, equally likely, that cannot be told apart at the start."""
