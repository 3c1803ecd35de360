"""How much of a chip should be memory when bandwidth off the chip is the limit.

The chip's area is split by `chip_area`; here the split is followed as features
shrink and bandwidth keeps up with them, or does not.

The question and the trend are those of Bilardi, Pietracaprina, Pucci, Schifano and Tripiccione,
"The potential of on-chip multiprocessing for QCD machines", HiPC 2005, LNCS 3769, DOI
10.1007/11602569_41. The equations here are a re-derivation from textbook counts of lattice QCD, not
the paper's own; the areas of a functional unit and of a word are illustrative.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.labs.scaling.qcd_chip.chip_area import Partition, Technology, optimum
from perfmodel.ledger import Claim, Trend, half_unit
from perfmodel.scaling.stencil import WILSON, Stencil, bandwidth_needed, flop_limit
from perfmodel.validation import Floats, positive

Scaling = Literal["constant", "edge", "density"]


def roadmap(
    feature_sizes: ArrayLike,
    scaling: Scaling,
    first: Technology | None = None,
    stencil: Stencil = WILSON,
) -> list[Partition]:
    """Return the best split of a chip of fixed size as its features shrink.

    Parameters
    ----------
    feature_sizes : array_like
        Feature sizes in metres (or any one unit), the first that of `first`; above 0.
    scaling : {"constant", "edge", "density"}
        What the bandwidth in words/cycle follows: nothing, the square root of the density (wires
        along the chip's edge), or the density.
    first : Technology, optional
        Chip at the first feature size; `Technology()` by default.
    stencil : Stencil
        Counts of the operator.

    Returns
    -------
    list of Partition
        One for each feature size.

    Raises
    ------
    ValueError
        If a feature size is not above 0 or `scaling` is unknown.

    Examples
    --------
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


def claims() -> list[Claim]:
    """Return what the abstract says and what its re-derivation gives, beside this module's."""
    return [*_law_claims(), *_optimum_claims(), *_roadmap_claims()]


_PAPER = "Bilardi et al., HiPC 2005, "
# Chip area: (block side, flop/cycle, memory's share of the area in per cent) at the optimum with
# a_f = 1,000, a_m = 1, b = 1, from an independent bisection, as printed text.
_OPTIMA = {
    1e6: ("8.244", "113.3", "88.7"),
    4e6: ("11.889", "163.5", "95.9"),
    16e6: ("16.928", "232.8", "98.5"),
}


def _derived(quantity: str, printed: str, unit: str, compute: Callable[[], ArrayLike]) -> Claim:
    return Claim(
        system="qcd_chip",
        quantity=quantity,
        kind="recomputed",
        published=float(printed),
        unit=unit,
        source=_PAPER + "re-derived from lattice QCD counts",
        compute=lambda: float(np.asarray(compute())),
        derived=True,
        absolute=half_unit(printed),
    )


def _law_claims() -> list[Claim]:
    return [
        _derived("arithmetic per exchanged word", "13.75", "flop/word", lambda: WILSON.intensity),
        _derived("flop limit, side 8, b = 1", "110", "flop/cycle", partial(flop_limit, 8, 1)),
        _derived("memory of a block of side 8", "786432", "words", partial(WILSON.memory, 8)),
        _derived(
            "bandwidth for 1,000 flop/cycle at side 8",
            "9.09",
            "words/cycle",
            partial(bandwidth_needed, 1000, 8),
        ),
        *(
            _derived(f"memory for twice the arithmetic, {d}-D", printed, "1", partial(_doubled, d))
            for d, printed in ((2, "4"), (3, "8"), (4, "16"))
        ),
        _derived(
            "area for twice the arithmetic, 1e6 units", "11.9", "1", lambda: sum(_cost()) / 1e6
        ),
        _derived("memory in that area, %", "99.1", "1", lambda: 100 * _cost()[1] / sum(_cost())),
    ]


def _doubled(dimension: int) -> Floats:
    stencil = Stencil(dimension, flops_per_site=100, face_words=3, words_per_site=7)
    return stencil.memory(2 * 8) / stencil.memory(8)


def _cost() -> tuple[float, float]:
    chip = Technology()
    units = float(flop_limit(16, 1) - flop_limit(8, 1)) * chip.area_per_flop
    return units, float(WILSON.memory(16) - WILSON.memory(8)) * chip.area_per_word


def _optimum_claims() -> list[Claim]:
    return [
        _derived(
            f"{name} at the optimum, area {area:g}", printed, unit, partial(_best, area, field)
        )
        for area, row in _OPTIMA.items()
        for (name, unit, field), printed in zip(
            (
                ("block side", "sites", "side"),
                ("arithmetic", "flop/cycle", "flop_rate"),
                ("memory's share of the area, %", "1", "memory_share"),
            ),
            row,
            strict=True,
        )
    ] + [
        _derived("exponent of arithmetic in area, 4e6 to 16e6", "0.255", "1", _exponent),
    ]


def _best(area: float, field: str) -> float:
    value = float(getattr(optimum(Technology(area=area)), field))
    return 100 * value if field == "memory_share" else value


def _exponent() -> float:
    return float(np.log(_best(16e6, "flop_rate") / _best(4e6, "flop_rate")) / np.log(4))


def _roadmap_claims() -> list[Claim]:
    finding = partial(
        Claim,
        system="qcd_chip",
        kind="trend",
        published="from hundreds to thousands of flop/cycle as features shrink from 90 to 20 nm",
        unit="",
        source=_PAPER + "abstract",
    )
    return [
        _derived("density gain, 90 to 20 nm", "20.25", "1", lambda: density_gain(90e-9, 20e-9)),
        _derived(
            "arithmetic gain with bandwidth along the edge, memory-rich chip",
            "9.55",
            "1",
            lambda: _growth("edge", area=1e12),
        ),
        finding(
            quantity="flop/cycle, bandwidth grows with the chip's edge (illustrative chip)",
            compute=partial(_hundreds_to_thousands, "edge"),
        ),
        finding(
            quantity="flop/cycle, bandwidth stays constant (illustrative chip)",
            compute=partial(_hundreds_to_thousands, "constant"),
            miss=(
                "The paper's technology constants are not available. In our re-derivation "
                "memory alone buys arithmetic by its fourth root, so the step to thousands needs "
                "bandwidth off the chip that grows with the number of wires along its edge."
            ),
        ),
    ]


def _growth(scaling: Scaling, area: float) -> float:
    first, last = roadmap([90e-9, 20e-9], scaling, Technology(area=area))
    return last.flop_rate / first.flop_rate


def _hundreds_to_thousands(scaling: Scaling) -> Trend:
    first, last = (chip.flop_rate for chip in roadmap([90e-9, 20e-9], scaling))
    gains = [_growth(scaling, area) for area in np.logspace(5, 9, 5)]
    return Trend(
        100 <= first < 1000 <= last < 10_000,
        f"{first:.0f} to {last:.0f} flop/cycle; gain {min(gains):.1f} to {max(gains):.1f} over "
        "areas from 1e5 to 1e9",
    )
