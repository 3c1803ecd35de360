"""Findings of Song et al. (2016) on the lifetime of big and small cores, in our thermal model.

Our constants are illustrative, so a finding is met only if it holds for nearly all constants drawn
at random (`ageing.drawn_constants`).
"""

from __future__ import annotations

from functools import partial
from typing import Literal

import numpy as np

from perfmodel.labs.scaling.amdahl_reliability.ageing import ageing, drawn_constants
from perfmodel.ledger import Sheet, Trend, trend
from perfmodel.scaling.heterogeneous import HeterogeneousChip
from perfmodel.scaling.reliability import ThermalModel

NEARLY_ALL = 0.95
"""Fraction of the drawn constants for which a finding must hold."""
DRAWN = drawn_constants()
_SETS = np.size(DRAWN.ambient)

# Chips and sequential-heavy work, one of each for every set of constants.
_RNG = np.random.default_rng(1)
_AREA = _RNG.choice([32, 64, 128, 256], (_SETS, 1))
_CORE = _RNG.choice([2, 4, 6], (_SETS, 1))
_SEQUENTIAL = _RNG.uniform(0.3, 0.7, (_SETS, 1))


def _bottleneck() -> Trend:
    chips = HeterogeneousChip(_AREA, _CORE, 1)
    sequential, parallel = (
        big / (big + small)
        for big, small in (ageing(f, chips, DRAWN).failures for f in (_SEQUENTIAL, 0.99))
    )
    fraction = np.mean((sequential > 0.5) & (parallel < 0.5))
    return Trend(
        bool(fraction >= NEARLY_ALL),
        f"the big core causes most failures with 30 to 70 % parallel work and few with 99 % in "
        f"{100 * fraction:.3g} % of {_SETS:,} draws of constants and chips (medians "
        f"{100 * np.median(sequential):.0f} and {100 * np.median(parallel):.0f} %)",
    )


def _relief() -> Trend:
    aged = ageing(_SEQUENTIAL, HeterogeneousChip(_AREA, _CORE, [1, 2, 4]), DRAWN)
    work, life = aged.work_to_failure, aged.time_to_failure
    fraction = np.mean((np.diff(work) > 0).all(axis=1) & (np.diff(life) > 0).all(axis=1))
    gain = np.median(life / life[:, :1], axis=0)
    return Trend(
        bool(fraction >= NEARLY_ALL),
        f"2, then 4 big cores do more work and live longer in {100 * fraction:.3g} % of {_SETS:,} "
        f"draws (medians {gain[1]:.1f} and {gain[2]:.1f} times as long)",
    )


def _too_many(field: Literal["work_to_failure", "time_to_failure"], name: str) -> Trend:
    chips = HeterogeneousChip(64, 4, np.arange(1, 16))
    life = getattr(ageing(0.9, chips, DRAWN), field)
    best = int(np.argmax(getattr(ageing(0.9, chips, ThermalModel()), field))) + 1
    fraction = np.mean(life[:, -1] < life.max(axis=1))
    return Trend(
        bool(fraction >= NEARLY_ALL),
        f"at f = 0.9, fewer than 15 big cores give the most {name} before a failure in "
        f"{100 * fraction:.0f} % of {_SETS:,} draws of constants ({best} with the lab's own)",
    )


_MANY = "adding too many big cores has an adverse impact on lifetime reliability and performance"
FINDINGS = [
    trend(
        "who fails first with one big core",
        "one big core and many small ones: stresses can be biased to the big core, especially "
        "with much sequential work",
        "abstract",
        _bottleneck,
    ),
    trend(
        "what a second and a fourth big core do for sequential work",
        "multiple big cores can mitigate the bottleneck and enhance processor lifetime",
        "abstract",
        _relief,
    ),
    trend(
        "work done before a failure with many big cores",
        _MANY,
        "abstract",
        partial(_too_many, "work_to_failure", "work"),
        miss="It depends on constants that we don't have. With the constants of this lab, and with "
        "about half of the constants drawn, there is a best number of big cores. With the others, "
        "more big cores are always better. (Speed falls with each big core, but this follows from "
        "the areas alone.)",
    ),
    trend(
        "time before a failure with many big cores",
        _MANY,
        "abstract",
        partial(_too_many, "time_to_failure", "time"),
        miss="In our thermal model, a chip with more big cores does less work an hour. So it lives "
        "longer in hours, for nearly all constants. We don't have the paper's thermal and wear-out "
        "calibration, which may show something else.",
    ),
]

SHEET = Sheet(
    "Song, Mukhopadhyay and Yalamanchili, \"Amdahl's law for lifetime reliability scaling in "
    'heterogeneous multicore processors", HPCA 2016, pp. 594-605, doi:10.1109/HPCA.2016.7446097',
    FINDINGS,
    unheld="We compare none of the paper's numbers, because its lifetime curves come from a "
    "simulator's power, heat and wear-out data, which we don't have. Tests compare its Eq. 23 with "
    "values computed by hand.",
)
