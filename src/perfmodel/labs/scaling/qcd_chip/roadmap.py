"""How much of a chip should be memory when bandwidth off the chip is the limit.

The chip's area is split by `chip_area`; here the split is followed as features
shrink and bandwidth keeps up with them, or does not.

The question and the trend are those of Bilardi, Pietracaprina, Pucci, Schifano and Tripiccione,
"The potential of on-chip multiprocessing for QCD machines", HiPC 2005, LNCS 3769, DOI
10.1007/11602569_41. The equations here are a re-derivation from textbook counts of lattice QCD, not
the paper's own; the areas of a functional unit and of a word are illustrative.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.labs.scaling.qcd_chip.chip_area import Partition, Technology, optimum
from perfmodel.scaling.stencil import WILSON, Stencil
from perfmodel.validation import Floats, positive

Scaling = Literal["constant", "edge", "density"]


def roadmap(
    feature_sizes: ArrayLike,
    scaling: Scaling,
    first: Technology | None = None,
    stencil: Stencil = WILSON,
) -> list[Partition]:
    """Return the best split of a chip of fixed size as its features shrink.

    Feature sizes are in any one unit, the first that of the chip `first`, `Technology()` by
    default. The bandwidth in words/cycle stays, or follows the square root of the density (wires
    along the chip's edge), or the density.

    >>> [round(chip.flop_rate) for chip in roadmap([90e-9, 20e-9], "edge")]
    [113, 1100]
    """
    if scaling not in get_args(Scaling):
        raise ValueError(f"scaling must be one of {', '.join(get_args(Scaling))}, got {scaling!r}")
    start = first or Technology()
    power = {"constant": 0.0, "edge": 0.5, "density": 1.0}[scaling]
    sizes = np.atleast_1d(positive("feature_sizes", feature_sizes))
    return [
        optimum(_denser(start, float(gain), power), stencil)
        for gain in density_gain(sizes[0], sizes)
    ]


def density_gain(old: ArrayLike, new: ArrayLike) -> Floats:
    """Return how many times as many devices fit when features shrink, (old/new)^2.

    >>> print(density_gain(90e-9, 20e-9).round(2))
    20.25
    """
    return (positive("old", old) / positive("new", new)) ** 2


def _denser(technology: Technology, gain: float, power: float) -> Technology:
    return Technology(
        technology.area * gain,
        technology.area_per_flop,
        technology.area_per_word,
        technology.bandwidth * gain**power,
    )
