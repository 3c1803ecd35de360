"""Measured throughput that N. J. Gunther and the R package usl fit the law to.

Sources: N. J. Gunther, "Guerrilla Capacity Planning", Springer, 2007, with the numbers of the data
sets `specsdm91` and `raytracer` of S. Möding, "usl", R package, github.com/smoeding/usl.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from perfmodel.validation import Floats


class Throughput(NamedTuple):
    """Throughput measured at some loads, both of shape (n,)."""

    load: Floats
    throughput: Floats


SERVER = Throughput(
    np.array([1, 18, 36, 72, 108, 144, 216.0]),
    np.array([64.9, 995.9, 1652.4, 1853.2, 1828.9, 1775.0, 1702.2]),
)
"""Simulated users, and scripts completed per hour: a SPARCcenter 2000 of 16 processors under the
SPEC SDM91 benchmark, 1994."""
RAY_TRACER = Throughput(
    np.array([1, 4, 8, 12, 16, 20, 24, 28, 32, 48, 64.0]),
    np.array([20, 78, 130, 170, 190, 200, 210, 230, 260, 280, 310.0]),
)
"""Processors, and ray-geometry intersections per second: BRL-CAD on an SGI Origin 2000."""
