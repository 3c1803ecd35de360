"""NCPP and PerfCastDB: predicting a server's benchmark scores from its description.

NCPP learns scores of whole suites with attention over groups of features. Its full data base is
closed, so its accuracy can't be repeated. What the public sample (`perfcast`) does give:
composites, bandwidths against peaks, a floor of noise, and the question that comes before every
learner, which rows it may see (`folds`).

>>> round(float(composite([1.0, 4.0, 16.0])), 9)
4.0
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from perfmodel.labs.prediction.ncpp import perfcast
from perfmodel.validation import Floats, positive

if TYPE_CHECKING:
    import pandas as pd

SPECRATE = {"8487C": "fp", "8474C": "int", "Max 9468": "fp", "8463B": "int"}
"""Which suite ran on which four of the sample's machines."""


@cache
def _scores() -> Any:
    return perfcast.scores()


def _of(machine: str, composite: bool) -> Any:
    if machine not in SPECRATE:
        raise ValueError(f"machine must be one of {', '.join(SPECRATE)}, got {machine!r}")
    scores = _scores()
    kept = (scores["machine"] == machine) & scores["suite"].str.startswith("SPECrate")
    return scores[kept & (scores["composite"] == composite)].sort_values("test")


def ratios(machine: str, iteration: int = 0) -> pd.Series[float]:
    """Return the ratios of SPECrate's components on a machine, by name in the order of numbers.

    Iterations are 0 and 1, of most machines also 2.

    >>> float(ratios("8474C")["505.mcf_r"].round(2))
    315.99
    """
    components = _of(machine, composite=False)
    return components[components["iteration"] == iteration].set_index("test")["value"]


def printed_composites(machine: str) -> Floats:
    """Return the composites that stand beside a machine's components, one an iteration."""
    return np.asarray(_of(machine, composite=True).sort_values("iteration")["value"])


def cycles(machine: str) -> float:
    """Return the cores of all sockets times their clock with all cores busy, in cycles/s."""
    first = _of(machine, composite=True).iloc[0]
    return float(first["cores"] * first["all_core_clock"])


def reading(machine: str, test: str) -> float:
    """Return the mean over iterations of a bandwidth, latency or rate of the sample, in SI units.

    `test` is what the name of exactly one test on that machine holds: `Triad`, `All Sockets 100R`.

    >>> round(reading("8472C", "Triad") / 1e9, 2)
    469.14
    """
    scores = _scores()
    kept = scores[(scores["machine"] == machine) & scores["test"].str.contains(test, regex=False)]
    if len(names := set(kept["test"])) != 1:
        raise ValueError(f"test must name one of {machine}, got {test!r}, which names {len(names)}")
    return float(kept["value"].mean())


def composite(ratios: ArrayLike, axis: int = -1) -> Floats:
    """Return a suite's score: the geometric mean of its components' ratios."""
    return np.asarray(stats.gmean(positive("ratios", ratios), axis=axis))


def variation(scores: pd.DataFrame) -> pd.Series[float]:
    """Return the coefficient of variation over the iterations of each test of each run.

    The scores have the columns `run`, `test` and `value`, with two iterations or more of each test.
    """
    tests = scores.groupby(["run", "test"], sort=False)["value"]
    return tests.std() / tests.mean()


def intensity(rate: ArrayLike, bandwidth: ArrayLike) -> Floats:
    """Return the FLOP/byte of a memory-bound kernel from its FLOP/s and the machine's bytes/s."""
    return np.asarray(positive("rate", rate) / positive("bandwidth", bandwidth))
