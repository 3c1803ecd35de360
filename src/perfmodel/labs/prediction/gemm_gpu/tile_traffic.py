"""Time and energy of matrix products on a consumer GPU: tile traffic, and what a forest learns.

Facts from X. Liu and P. Halim, "GPPerf" (arXiv 2411.16954, 2024), and the timing and power files of
its repository: an NVIDIA RTX 4070, products in single precision. The 16,128 profiled runs behind
the paper's predictor are not public; `surrogate` makes as many from a
stated model of our own.

>>> round(tiled_traffic(16384, 16384, 16384, 16) / 1e12, 3)
2.2
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from perfmodel.labs.prediction.gemm_gpu.surrogate import WORD, contest
from perfmodel.ledger import Claim, Trend, half_unit
from perfmodel.validation import positive


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
    def bandwidth(self) -> float:
        """Bytes/s that the tile traffic implies."""
        return tiled_traffic(self.size, self.size, self.size, self.tile) / self.seconds

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


TILED = (
    TiledRun(16384, 1, 1222.268, 103.533),
    TiledRun(16384, 4, 31.2582, 140.328),
    TiledRun(16384, 8, 10.0476, 128.706),
    TiledRun(16384, 16, 5.16841, 111.934),
    TiledRun(16384, 32, 5.84853, 90.489),
)
"""The largest cube (files execution_times_all.csv and power_usage_results_all.csv)."""
SMALLER = (TiledRun(8192, 8, 1.50635), TiledRun(8192, 16, 0.651253), TiledRun(8192, 32, 0.730944))
SAMPLE = TiledRun(512, 16, 0.04352e-3, 70.17)
"""The README's example, 512 x 512 x 512; its tile is not stated and not used."""


def tiled_traffic(m: float, n: float, k: float, tile: float, word: int = WORD) -> float:
    """Return the bytes that a tiled product moves between memory and the chip.

    Parameters
    ----------
    m, n, k : float
        Sizes.
    tile : float
        Rows and columns of a tile of C.
    word : int
        Bytes of an element.

    Returns
    -------
    float
        word (2 m n k / tile + m n): each element of A and of B is loaded once for every tile of C
        that needs it. Twice the tile, half the traffic.
    """
    for name, value in (("m", m), ("n", n), ("k", k), ("tile", tile)):
        positive(name, value)
    return word * (2 * m * n * k / tile + m * n)


def claims() -> list[Claim]:
    """Return the ledger entries: the tile table, the unit errors, and what the forest scores."""
    return [*_table(), *_sample(), *_learners()]


_made = partial(Claim, "gemm_gpu")
FILES = "repository pavlyhalim/GPPerf, timing and power files"
PRINTED = {
    1: ("7.20", "28.8", "126545", "0.07"),
    4: ("281.4", "281.4", "4386", "2.01"),
    8: ("875.4", "437.8", "1293", "6.80"),
    16: ("1701.9", "425.7", "578.5", "15.20"),
    32: ("1504.0", "188.2", "529.2", "16.62"),
}
"""By tile: GFLOP/s, implied GB/s, joules, GFLOP/s/W; worked out from the files apart from here."""


def _table() -> list[Claim]:
    found = []
    units = ("FLOP/s", "bytes/s", "J", "FLOP/J")
    names = ("rate", "bandwidth", "energy", "efficiency")
    for run in TILED:
        for name, unit, printed in zip(names, units, PRINTED[run.tile], strict=True):
            scale = 1.0 if unit == "J" else 1e9
            found.append(
                _made(
                    f"16384 cube, tile {run.tile}: {name}",
                    "recomputed",
                    float(printed) * scale,
                    unit,
                    FILES,
                    partial(getattr, run, name),
                    derived=True,
                    absolute=half_unit(printed) * scale,
                    tolerance=0.0005,
                )
            )
    return found


def _sample() -> list[Claim]:
    quoted = partial(_made, source="README of the repository, example 512 cubed")
    return [
        quoted(
            "README's column 'TFlops' is in GFLOP/s",
            "recomputed",
            6168.094,
            "GFLOP/s",
            compute=lambda: SAMPLE.rate / 1e9,
            absolute=half_unit("6168.094"),
        ),
        quoted(
            "README's column 'Energy' is in MFLOP/s per W",
            "recomputed",
            87902.151,
            "MFLOP/s/W",
            compute=lambda: SAMPLE.efficiency / 1e6,
            tolerance=1e-4,
        ),
        quoted(
            "one step of the tile, 8 to 16, halves the traffic: time against 2 x",
            "trend",
            "nearly twice as fast at the same implied bandwidth",
            "",
            compute=_halved,
        ),
        quoted(
            "tile of the least time is not the tile of the least energy",
            "trend",
            "16 against 32",
            "",
            compute=_two_optima,
        ),
    ]


def _halved() -> Trend:
    eight, sixteen = TILED[2], TILED[3]
    gain, same = eight.seconds / sixteen.seconds, sixteen.bandwidth / eight.bandwidth
    holds = abs(gain / 2 - 1) < 0.05 and abs(same - 1) < 0.05
    return Trend(holds, f"{gain:.3f} times as fast, bandwidth {same:.3f} times")


def _two_optima() -> Trend:
    quick = min(TILED, key=lambda run: run.seconds).tile
    frugal = min(TILED, key=lambda run: run.energy).tile
    return Trend((quick, frugal) == (16, 32), f"least time {quick}, least energy {frugal}")


def _learners() -> list[Claim]:
    return [
        _made(
            "R2 of a forest for the run time, random split; ours on surrogate runs",
            "same-method",
            0.98,
            "1",
            "abstract",
            lambda: contest("random", "forest").r2,
            bounds=(0.95, 1.0),
        ),
        _made(
            "mean error of a forest for the run time, random split; ours on surrogate runs",
            "same-method",
            0.1557,
            "1",
            "abstract",
            lambda: contest("random", "forest").mape,
            bounds=(0.1, 0.45),
        ),
    ]
