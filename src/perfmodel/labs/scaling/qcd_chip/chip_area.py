"""The best split of a chip's area between functional units and memory, and how it changes.

A node of a lattice machine keeps a block of ell^d sites on its chip. Work grows with the block's
volume, words exchanged with its surface, so a chip with bandwidth b (words/cycle) keeps at most
F = c b ell functional units busy (flop/cycle; `perfmodel.scaling.stencil`).

The question and the trend as features shrink are those of Bilardi, Pietracaprina, Pucci, Schifano
and Tripiccione, "The potential of on-chip multiprocessing for QCD machines", HiPC 2005, LNCS 3769,
DOI 10.1007/11602569_41. The equations are a re-derivation from textbook counts of lattice QCD, not
the paper's own; the areas of a functional unit and of a word are illustrative.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from perfmodel.scaling.stencil import WILSON, Stencil, flop_limit
from perfmodel.validation import Floats, one_of, positive, within


@dataclass(frozen=True)
class Technology:
    """What a chip has to spend and what things cost; the defaults are illustrative units."""

    area: float = 1e6
    """Area of the chip, in areas of a word of memory at the first technology."""
    area_per_flop: float = 1000.0
    """Area of the functional units that do one flop/cycle."""
    area_per_word: float = 1.0
    """Area of one word of memory."""
    bandwidth: float = 1.0
    """Words/cycle through the chip's edge, one way."""

    def __post_init__(self) -> None:
        for name in ("area", "area_per_flop", "area_per_word", "bandwidth"):
            positive(name, getattr(self, name))


class Partition(NamedTuple):
    """The best split of a chip: block side, flop/cycle, words of memory, memory's area share."""

    side: float
    flop_rate: float
    memory: float
    memory_share: float


def optimum(technology: Technology, stencil: Stencil = WILSON) -> Partition:
    """Return the split of the area at which functional units and bandwidth are both just busy.

    Solves a_f c b ell + a_m m ell^d = A for the side ell, which the left side grows with.

    >>> best = optimum(Technology(area=1e6))
    >>> print(f"{best.side:.3f} {best.flop_rate:.1f} {best.memory_share:.1%}")
    8.244 113.3 88.7%
    """
    all_memory = float(stencil.side(technology.area / technology.area_per_word))
    side = float(brentq(lambda ell: _spent(ell, technology, stencil), 0.0, all_memory, xtol=1e-12))
    words = float(stencil.memory(side))
    return Partition(
        side,
        float(flop_limit(side, technology.bandwidth, stencil)),
        words,
        technology.area_per_word * words / technology.area,
    )


def _spent(side: float, technology: Technology, stencil: Stencil) -> float:
    units = technology.area_per_flop * float(flop_limit(side, technology.bandwidth, stencil))
    words = stencil.words_per_site * side**stencil.dimension
    return units + technology.area_per_word * words - technology.area


def performance(
    memory_share: ArrayLike, technology: Technology, stencil: Stencil = WILSON
) -> Floats:
    """Return the flop/cycle of any split: the lesser of its units and of what exchange allows.

    With no memory the units starve, with nothing else there are none: it is 0 at both ends and
    highest at the split of `optimum`.

    >>> print(performance([0, 0.5, 0.887, 1], Technology()).round(1))
    [  0.   98.2 113.    0. ]
    """
    share = within("memory_share", memory_share, 0, 1)
    units = (1 - share) * technology.area / technology.area_per_flop
    side = stencil.side(share * technology.area / technology.area_per_word)
    return np.minimum(units, flop_limit(side, technology.bandwidth, stencil))


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
    start, powers = first or Technology(), {"constant": 0.0, "edge": 0.5, "density": 1.0}
    power = powers[one_of("scaling", scaling, powers)]
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
