"""Energy of attention and of a transformer's linear layers on three accelerators.

The energies are data, counts of accesses times energies of one access worked out by the authors of
FuseMax (Nayak et al., MICRO 2024) in their artifact, MIT licence:
github.com/FPSG-UIUC/micro24-fusemax-artifact. This package has no model of them.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from perfmodel.validation import Floats

ATTENTION_ENERGY: dict[str, Floats] = {
    "unfused": np.array(
        [
            [2.60541, 41.3966, 661.186, 10574.3, 169201, 2785490],
            [3.47388, 55.1955, 881.581, 14099.1, 232161, 3713990],
            [1.73694, 27.5977, 440.791, 7049.55, 112801, 1856990],
            [5.99326, 95.1237, 1518.91, 24290.2, 395327, 6322950],
        ]
    ),
    "FLAT": np.array(
        [
            [2.48534, 39.7677, 636.117, 10484.9, 167123, 2752660],
            [3.31379, 53.0236, 848.156, 13979.9, 229390, 3670210],
            [1.6569, 26.5118, 424.078, 6989.95, 111415, 1835100],
            [5.76642, 92.4395, 1472.09, 23935.2, 389686, 6234920],
        ]
    ),
    "FuseMax": np.array(
        [
            [1.95065, 30.8975, 493.109, 7885.54, 126588, 2028810],
            [2.60086, 41.1967, 657.479, 10514.1, 169071, 2705080],
            [1.30043, 20.5983, 328.739, 5257.03, 84535.6, 1352540],
            [5.07162, 80.3124, 1281.66, 20499.7, 329688, 5274890],
        ]
    ),
}
"""Joules of attention, a row a model of `MODELS` and a column a length of `LENGTHS`, from the
artifact (attn-unfused.csv, attn-flat.csv, attn-binding.csv)."""

LINEAR_ENERGY: dict[str, Floats] = {
    "FLAT": np.array(
        [
            [8.4053, 33.6176, 134.467, 537.864, 2151.45, 8605.81],
            [14.8963, 59.579, 238.309, 953.232, 3812.92, 15251.7],
            [3.75891, 15.034, 60.1346, 240.537, 962.146, 3848.58],
            [59.5269, 238.099, 952.388, 3809.54, 15238.2, 60952.6],
        ]
    ),
    "FuseMax": np.array(
        [
            [8.22436, 32.8948, 131.577, 526.304, 2105.21, 8420.85],
            [14.5836, 58.3296, 233.314, 933.25, 3733, 14932],
            [3.67403, 14.6949, 58.7786, 235.113, 940.452, 3761.81],
            [58.4377, 233.745, 934.972, 3739.88, 14959.5, 59838.1],
        ]
    ),
}
"""Joules of the linear layers on each chip, from the artifact (end2end-*.csv), as above."""


def energy_ratios(baseline: Literal["unfused", "FLAT"], end_to_end: bool = False) -> Floats:
    """Return FuseMax's energy over a design's for each of `MODELS` and of `LENGTHS`.

    Parameters
    ----------
    baseline : {"unfused", "FLAT"}
        End to end, only "FLAT".
    end_to_end : bool
        Whether the linear layers, each on its own chip, are included.

    Returns
    -------
    ndarray, shape (4, 6)

    Raises
    ------
    ValueError
        If there are no energies for `baseline`.

    Examples
    --------
    >>> print(round(energy_ratios("FLAT").mean(), 4))
    0.7875
    """
    known = ("FLAT",) if end_to_end else ("unfused", "FLAT")
    if baseline not in known:
        raise ValueError(f"baseline must be one of {', '.join(known)}, got {baseline!r}")
    ours, theirs = ATTENTION_ENERGY["FuseMax"], ATTENTION_ENERGY[baseline]
    if end_to_end:
        ours, theirs = ours + LINEAR_ENERGY["FuseMax"], theirs + LINEAR_ENERGY[baseline]
    return ours / theirs
