"""The surface law: a block's work grows with its volume, what it exchanges with its surface.

A block of ell^d lattice sites that works c flop for each word through its faces, over a link of b
words/cycle, keeps at most c b ell flop/cycle busy; memory of m ell^d words buys arithmetic only by
its d-th root. Matrix multiplication behaves as a stencil of two dimensions (Kung's balance law). A
ValueError is raised if an argument is outside its range or not finite.
"""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike

from perfmodel.validation import Floats, non_negative, positive, whole


@dataclass(frozen=True)
class Stencil:
    """The cost of one application of a nearest-neighbour operator on a d-dimensional lattice.

    >>> WILSON.intensity
    13.75
    """

    dimension: int
    """Number d of dimensions; a block has 2d faces."""
    flops_per_site: float
    """Arithmetic on a site, flop."""
    face_words: float
    """Words that cross a face for each boundary site, one way."""
    words_per_site: float
    """Words kept in memory for each site."""

    def __post_init__(self) -> None:
        """Refuse a stencil without work, exchange or data."""
        whole("dimension", self.dimension, 1)
        for name in ("flops_per_site", "face_words", "words_per_site"):
            positive(name, getattr(self, name))

    @property
    def intensity(self) -> float:
        """Arithmetic on a site over the words through its 2d faces, c, in flop/word."""
        return self.flops_per_site / (2 * self.dimension * self.face_words)

    def memory(self, side: ArrayLike) -> Floats:
        """Return the words that a block of `side` ell in sites occupies, m ell^d."""
        return self.words_per_site * positive("side", side) ** self.dimension

    def side(self, memory: ArrayLike) -> Floats:
        """Return the side in sites of the block that fills a `memory` of M words, (M/m)^(1/d)."""
        return (non_negative("memory", memory) / self.words_per_site) ** (1 / self.dimension)


WILSON = Stencil(dimension=4, flops_per_site=1320, face_words=12, words_per_site=192)
"""Wilson-Dirac operator inside a conjugate gradient: 12 words a face after spin projection; in
memory 4 links of 18 real words and 5 spinors of 24. Textbook counts, not the paper's."""


def flop_limit(side: ArrayLike, bandwidth: ArrayLike, stencil: Stencil = WILSON) -> Floats:
    """Return the flop/cycle that a block's exchange can hide behind, c b ell.

    The block has `side` ell in sites, the chip's edge a `bandwidth` b in words/cycle one way; the
    `stencil` has the counts.

    Examples
    --------
    >>> print(flop_limit(8, bandwidth=1))
    110.0
    """
    return stencil.intensity * non_negative("bandwidth", bandwidth) * non_negative("side", side)


def bandwidth_needed(flop_rate: ArrayLike, side: ArrayLike, stencil: Stencil = WILSON) -> Floats:
    """Return the words/cycle that keep `flop_rate` flop/cycle busy on blocks of a `side` in sites.

    The same argument holds inside the chip, with the side of the block in a local store. The
    `stencil` has the counts.

    Examples
    --------
    >>> print(bandwidth_needed(1000, side=8).round(2))
    9.09
    """
    rate = non_negative("flop_rate", flop_rate)
    return rate / (stencil.intensity * positive("side", side))


def memory_growth(flop_growth: ArrayLike, dimension: ArrayLike) -> Floats:
    """Return the factor by which memory must grow for `flop_growth` times the arithmetic, g^d.

    Bandwidth stays as it is; the factor is relative to the memory of the smaller chip, on a lattice
    of `dimension` d.

    Examples
    --------
    >>> print(memory_growth(2, [2, 3, 4]))
    [ 4.  8. 16.]
    """
    return positive("flop_growth", flop_growth) ** positive("dimension", dimension)
