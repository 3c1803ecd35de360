"""Lookup tables of dense layers on an FPGA, as synthesis reported them.

Lookup tables of a dense layer from what its circuit must contain: a whitebox for hls4ml.

The model follows from how such circuits are built. Its author had read the counts that the lab
found by search, but no row of the table, and changed nothing afterwards. A product of a weight and
an input is a sum of shifted inputs, one for each bit of the weight. An output is added up in a
register as wide as the product and the carries of d_in terms. A multiplier that does rf products in
turn chooses between rf weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from perfmodel.labs.prediction.shootout.challenges.rounds import SEEDS, at_random, larger, unseen
from perfmodel.labs.prediction.wa_hls4ml import synthesis
from perfmodel.labs.prediction.wa_hls4ml.synthesis import multipliers
from perfmodel.prediction.arena.challenge import Challenge
from perfmodel.prediction.arena.contest import Contestant
from perfmodel.prediction.arena.estimators import Priced
from perfmodel.validation import Floats

if TYPE_CHECKING:
    import pandas as pd


def parts(features: pd.DataFrame) -> dict[str, Floats]:
    """Count the parts of each circuit: the counts of four prices, each of shape (n,).

    `control`: 1. `adder bits`: of the products' partial sums, in all multipliers at work at once.
    `accumulator bits`: of all outputs. `selector bits`: chosen between by a multiplier. Features
    are `d_in`, `d_out`, `prec` (bits of a weight) and `rf` (products of a multiplier).
    """
    d_in, d_out, prec, rf = (
        features[name].to_numpy(dtype=float) for name in ("d_in", "d_out", "prec", "rf")
    )
    side = multipliers(features)
    return {
        "control": np.ones(len(features)),
        "adder bits": side * prec**2,
        "accumulator bits": d_out * (2 * prec + np.ceil(np.log2(d_in))),
        "selector bits": side * prec * np.ceil(np.log2(np.maximum(rf, 2))),
    }


BUDGETS = (30, 100)
WRITTEN = (
    "The parts: from how such circuits are built; their author had read the counts found by "
    "search, but no row. The bits: named by the lab without knowing the circuit, with all rows "
    "known. The counts that the lab found by search, with all rows known, enter as a regression "
    "and outside its team, because some of their terms have no known reason."
)


def circuits(seeds: Sequence[int] = SEEDS) -> Challenge:
    """Return dense layers: at random, the larger half, and layers of dimensions never seen."""
    data = synthesis.dataset("LUT")
    rounds = at_random(data, BUDGETS, seeds)
    rounds += larger(data, data.features["n"].to_numpy(), (100,), seeds)
    rounds += unseen(data, "layer", (100,), seeds)
    searched = Priced(partial(synthesis.circuit_counts, target="LUT"))
    return Challenge(
        data,
        rounds,
        logged=synthesis.SEEN,
        whiteboxes={"parts of a circuit": Priced(parts), "bits": Priced(synthesis.bit_counts)},
        written=WRITTEN,
        unit="layer",
        more=[Contestant("counts found by search", "regression", searched)],
    )
