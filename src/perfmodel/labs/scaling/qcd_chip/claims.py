"""The abstract's statement on a chip's future (Bilardi et al., 2005), tested by our re-derivation.

Illustrative areas decide where a chip starts. So the statement is tested on many chips that start
like the abstract, with hundreds of flop/cycle. How many of them reach thousands?
"""

from __future__ import annotations

from functools import cache, partial

import numpy as np

from perfmodel.labs.scaling.qcd_chip.chip_area import Scaling, Technology, optimum, roadmap
from perfmodel.ledger import Sheet, Trend, trend

FEATURE_SIZES = (90e-9, 20e-9)
"""Metres, of the abstract."""
NEARLY_ALL = 0.95
"""Share of the chips for which the statement must hold."""
CHIPS = 200


@cache
def _chips_of_hundreds() -> tuple[Technology, ...]:
    """Return chips with 100 to 1,000 flop/cycle, with areas drawn from wide ranges."""
    rng, chips = np.random.default_rng(0), list[Technology]()
    while len(chips) < CHIPS:
        area, price, bandwidth = 10.0 ** rng.uniform((5, 1, -1), (9, 4, 1))
        chip = Technology(area, area_per_flop=price, bandwidth=bandwidth)
        if 100 <= optimum(chip).flop_rate < 1000:
            chips.append(chip)
    return tuple(chips)


def _hundreds_to_thousands(scaling: Scaling) -> Trend:
    first, last = np.transpose(
        [
            [best.flop_rate for best in roadmap(FEATURE_SIZES, scaling, chip)]
            for chip in _chips_of_hundreds()
        ]
    )
    thousands = np.mean(last >= 1000)
    low, high = np.quantile(last / first, (0.05, 0.95))
    return Trend(
        bool(thousands >= NEARLY_ALL),
        f"of {CHIPS} chips with hundreds of flop/cycle at 90 nm {100 * thousands:.0f} % get to "
        f"thousands at 20 nm; gain {low:.1f} to {high:.1f} (from the 5 % to the 95 % quantile)",
    )


_STATEMENT = "from hundreds to thousands of flop/cycle as features shrink from 90 to 20 nm"
SHEET = Sheet(
    'Bilardi, Pietracaprina, Pucci, Schifano and Tripiccione, "The potential of on-chip '
    'multiprocessing for QCD machines", HiPC 2005, LNCS 3769, doi:10.1007/11602569_41',
    [
        trend(
            "flop/cycle if bandwidth grows with the chip's edge",
            _STATEMENT,
            "abstract",
            partial(_hundreds_to_thousands, "edge"),
        ),
        trend(
            "flop/cycle if bandwidth stays constant",
            _STATEMENT,
            "abstract",
            partial(_hundreds_to_thousands, "constant"),
            miss="The paper's technology constants are not available. In our re-derivation memory "
            "alone buys arithmetic by its fourth root, so the step to thousands needs bandwidth "
            "off the chip that grows with the number of wires along its edge.",
        ),
    ],
    unheld="The abstract prints no other number, and the paper's cost functions and technology "
    "constants are not available. Tests compare the re-derivation with an independent bisection "
    "and with arithmetic by hand.",
)
