"""Time and energy of matrix products on a consumer GPU: tile traffic, and what a forest learns.

Facts from X. Liu and P. Halim, "GPPerf" (arXiv 2411.16954, 2024), and the timing and power files of
its repository: an NVIDIA RTX 4070, products in single precision (`inputs`). The 16,128 profiled
runs behind the paper's predictor are not public; `surrogate` makes as many from a stated model of
our own.

>>> round(tiled_traffic(16384, 16384, 16384, 16) / 1e12, 3)
2.2
"""

from __future__ import annotations

from dataclasses import dataclass

from perfmodel.validation import positive

WORD = 4
"""Bytes of an element in single precision."""


@dataclass(frozen=True)
class TiledRun:
    """A product of two square matrices by square tiles, as measured by the authors."""

    size: int
    tile: int
    seconds: float
    watts: float | None = None

    @property
    def rate(self) -> float:
        """FLOP/s."""
        return 2 * self.size**3 / self.seconds

    @property
    def traffic(self) -> float:
        """Bytes, by `tiled_traffic`."""
        return tiled_traffic(self.size, self.size, self.size, self.tile)

    @property
    def bandwidth(self) -> float:
        """Bytes/s that the tile traffic implies."""
        return self.traffic / self.seconds

    @property
    def energy(self) -> float:
        """Joules."""
        if self.watts is None:
            raise ValueError(f"watts must be known for the energy of {self}")
        return self.watts * self.seconds

    @property
    def efficiency(self) -> float:
        """FLOP per joule."""
        return 2 * self.size**3 / self.energy


def tiled_traffic(m: float, n: float, k: float, tile: float, word: int = WORD) -> float:
    """Return the bytes that a tiled product moves: word (2 m n k / tile + m n).

    Each element of A and of B is loaded once for every tile of C, `tile` rows and columns, that
    needs it. Twice the tile, half the traffic.
    """
    for name, value in (("m", m), ("n", n), ("k", k), ("tile", tile)):
        positive(name, value)
    return word * (2 * m * n * k / tile + m * n)
