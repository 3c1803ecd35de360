"""Lookup tables of a dense layer from what its circuit must contain: a whitebox for hls4ml.

Written from how such circuits are built. Its author had read the counts that the lab found by
search, but no row of the table, and nothing was changed afterwards. A product of a weight and an
input is a sum of shifted inputs, one for each bit of the weight; an output is added up in a
register as wide as the product and the carries of d_in terms; a multiplier that does rf products in
turn chooses between as many weights.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from perfmodel.labs.prediction.wa_hls4ml.synthesis import multipliers
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
