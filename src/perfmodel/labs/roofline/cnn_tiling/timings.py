"""Measured times of 217 tilings of two convolutions on a V100.

The times are quoted from result files of the artifact of Xu et al., PACT 2022
(github.com/HPCRL/AE-PACT, folder lop-v100), which states no licence: two of its tables are given
here as facts, with nothing else of it. Rows are in the order of their times.

>>> fastest = timings(RES12)
>>> print(len(fastest.tilings), fastest.seconds.min())
160 7.578e-05
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import NamedTuple

import pandas as pd

from perfmodel.labs.roofline.cnn_tiling.inputs import RES12, YOLO18, ConvLayer
from perfmodel.labs.roofline.cnn_tiling.tilings import Tilings
from perfmodel.validation import Floats

LAYERS = (RES12, YOLO18)
"""The layers there are times of."""


class Timings(NamedTuple):
    """Tilings of a layer with their times, shape (n,)."""

    layer: ConvLayer
    tilings: Tilings
    seconds: Floats


def timings(layer: ConvLayer) -> Timings:
    """Return all measured tilings of kernel "RS" for a layer.

    ValueError if there are none for `layer`, which is one of `LAYERS`.
    """
    if layer not in LAYERS:
        known = ", ".join(other.name for other in LAYERS)
        raise ValueError(f"layer must be one of {known}, got {layer.name!r}")
    rows = _table().query("layer == @layer.name")
    sizes = [rows[name].to_numpy(float) for name in ("tk", "th", "tw", "bk", "bh", "bw", "cm")]
    return Timings(layer, Tilings(*sizes), rows["ms"].to_numpy(float) * 1e-3)


@cache
def _table() -> pd.DataFrame:
    with (files("perfmodel.labs.roofline.cnn_tiling") / "conv_timings.csv").open() as file:
        return pd.read_csv(file)
