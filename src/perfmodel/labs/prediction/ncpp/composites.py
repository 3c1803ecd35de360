"""NCPP and PerfCastDB: predicting a server's benchmark scores from its description.

NCPP learns scores of whole suites with attention over groups of features. Its full data base is
closed, so its accuracy can't be repeated. What the public sample does give: composites, bandwidths
against peaks, a floor of noise, and the question that comes before every learner, which rows it may
see (`ncpp_folds`).

Source: X. Liu, "Towards CPU Performance Prediction: New Challenge Benchmark Dataset and Novel
Approach", arXiv:2407.03385, 2024; data as in `perfcast_data`.

>>> round(float(composite([1.0, 4.0, 16.0])), 9)
4.0
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from perfmodel.measurement.concurrency import lines_in_flight
from perfmodel.labs.prediction.ncpp import inputs, perfcast
from perfmodel.labs.prediction.ncpp.folds import PROTOCOLS, folded_error, made_up, tree
from perfmodel.labs.prediction.ncpp.inputs import HPCG, READ, TRIAD
from perfmodel.ledger import Claim, Trend, half_unit
from perfmodel.validation import Floats, positive

if TYPE_CHECKING:
    import pandas as pd


def composite(ratios: ArrayLike, axis: int = -1) -> Floats:
    """Return a suite's score: the geometric mean of its components' ratios.

    Parameters
    ----------
    ratios : array_like
        Positive ratios to the reference machine.
    axis : int
        Along which the components stand.
    """
    return np.asarray(stats.gmean(positive("ratios", ratios), axis=axis))


def variation(scores: pd.DataFrame) -> pd.Series[float]:
    """Return the coefficient of variation over the iterations of each test of each run, a share.

    Parameters
    ----------
    scores : pandas.DataFrame
        With the columns `run`, `test` and `value`, two iterations or more of each test.
    """
    tests = scores.groupby(["run", "test"], sort=False)["value"]
    return tests.std() / tests.mean()


def intensity(rate: ArrayLike, bandwidth: ArrayLike) -> Floats:
    """Return FLOP/byte of a kernel that is bound by memory, from what it did and what it had.

    Parameters
    ----------
    rate : array_like
        FLOP/s of the kernel.
    bandwidth : array_like
        Bytes/s that the same machine sustains.
    """
    return np.asarray(positive("rate", rate) / positive("bandwidth", bandwidth))


def claims() -> list[Claim]:
    """Return the ledger entries: composites, peaks, lines in flight, HPCG, noise, memory, leak."""
    return [*_composites(), *_other_means(), *_bandwidths(), *_hpcg(), *_trends()]


_made = partial(Claim, "ncpp")
_SAMPLE = "public sample of PerfCastDB"
_HAND = "worked out apart from this package from the public sample"


def _composites() -> list[Claim]:
    given = [
        _made(
            f"SPECrate {inputs.SUITE[machine]} composite of the {machine}, first iteration",
            "recomputed",
            printed[0],
            "1",
            _SAMPLE,
            partial(_composite_of, machine),
            absolute=0.01,
        )
        for machine, printed in inputs.COMPOSITES.items()
    ]
    doubled = _made(
        "the 8474C's composite, were 548.exchange2_r alone twice as fast",
        "recomputed",
        416.94,
        "1",
        _HAND,
        _exchange_doubled,
        derived=True,
        absolute=half_unit("416.94"),
    )
    return [*given, doubled]


def _composite_of(machine: str) -> float:
    return float(composite(inputs.FIRST[machine]))


def _exchange_doubled() -> float:
    ratios = inputs.FIRST["8474C"].copy()
    ratios[inputs.COMPONENTS["int"].index("548.exchange2_r")] *= 2
    return float(composite(ratios))


def _other_means() -> list[Claim]:
    printed = {
        "8487C": ("534.09", "389.12"),
        "8474C": ("418.22", "366.24"),
        "Max 9468": ("575.12", "477.77"),
        "8463B": ("460.10", "405.42"),
    }
    return [
        _made(
            f"{name} mean of the {machine}'s ratios, which is not its composite",
            "recomputed",
            float(text),
            "1",
            _HAND,
            partial(_mean_of, machine, name),
            derived=True,
            absolute=half_unit(text),
        )
        for machine, texts in printed.items()
        for name, text in zip(("arithmetic", "harmonic"), texts, strict=True)
    ]


def _mean_of(machine: str, name: str) -> float:
    ratios = inputs.FIRST[machine]
    return float(ratios.mean() if name == "arithmetic" else stats.hmean(ratios))


def _bandwidths() -> list[Claim]:
    lines: list[tuple[str, Callable[[], float], str, str]] = [
        ("peak of 2 x 8 channels of DDR5-4800", _peak, "614.4e9", "bytes/s"),
        (
            "Triad on the 8487C with SSE over the peak",
            lambda: TRIAD["8487C"] / _peak(),
            "0.642",
            "1",
        ),
        ("the same on the 8472C with AVX-512", lambda: TRIAD["8472C"] / _peak(), "0.764", "1"),
        (
            "reads on all sockets of the 8476C over it",
            lambda: READ["8476C"] / _peak(),
            "0.856",
            "1",
        ),
        ("cache lines in flight at that rate and 122.6 ns", _flying, "1008", "1"),
        ("the same for each of 96 cores", lambda: _flying() / 96, "10.5", "1"),
    ]
    return [
        _made(
            what,
            "recomputed",
            float(text),
            unit,
            _HAND,
            ours,
            derived=True,
            absolute=half_unit(text),
        )
        for what, ours, text, unit in lines
    ]


def _peak() -> float:
    return perfcast.peak_bandwidth(inputs.DDR5)


def _flying() -> float:
    return float(lines_in_flight(READ["8476C"], inputs.IDLE_LATENCY))


def _hpcg() -> list[Claim]:
    # The calculation by hand goes on from four rounded digits.
    lines: list[tuple[str, Callable[[], float], float, str]] = [
        ("FLOP/byte of HPCG on the 8472C, by Triad's bandwidth", _per_byte, 0.1756, "FLOP/byte"),
        ("bandwidth that HPCG on the Max 9460 needs at this intensity", _needed, 693e9, "bytes/s"),
    ]
    kept = [
        _made(what, "recomputed", by_hand, unit, _HAND, ours, derived=True, tolerance=0.001)
        for what, ours, by_hand, unit in lines
    ]
    over = _made(
        "the same over the reads measured",
        "recomputed",
        0.93,
        "1",
        _HAND,
        lambda: _needed() / READ["Max 9460"],
        derived=True,
        absolute=half_unit("0.93"),
    )
    return [*kept, over]


def _per_byte() -> float:
    return float(intensity(HPCG["8472C"], TRIAD["8472C"]))


def _needed() -> float:
    return HPCG["Max 9460"] / _per_byte()


def _trends() -> list[Claim]:
    said: list[tuple[str, str, Callable[[], Trend]]] = [
        ("repeats of a composite", "iterations of a run differ by 1 % at most", _repeats),
        ("sockets", "two sockets read twice as fast as one, within 2 %", _sockets),
        ("memory", "the HBM server has less cores x clock and the higher fp composite", _memory),
        ("leak, servers that we made up", "folds of rows hide most of the error", _leak),
    ]
    return [
        _made(what, "trend", words, "", _HAND, compute, derived=True)
        for what, words, compute in said
    ]


def _repeats() -> Trend:
    spread = {m: max(c) / min(c) - 1 for m, c in inputs.COMPOSITES.items()}
    machine = max(spread, key=lambda name: spread[name])
    return Trend(spread[machine] <= 0.01, f"at most {100 * spread[machine]:.2g} % ({machine})")


def _sockets() -> Trend:
    ratio = READ["8476C"] / inputs.READ_ONE_SOCKET
    return Trend(abs(ratio / 2 - 1) <= 0.02, f"{ratio:.3f} times")


def _memory() -> Trend:
    capacity = inputs.CAPACITY["Max 9468"] / inputs.CAPACITY["8487C"]
    score = _composite_of("Max 9468") / _composite_of("8487C")
    return Trend(capacity < 1 < score, f"{capacity:.2f} and {score:.2f} times")


@cache
def _leak() -> Trend:
    found = made_up(8, 3, seed=1)
    rows_, runs = (folded_error(found, tree(), protocol) for protocol in PROTOCOLS)
    return Trend(rows_ < runs / 5, f"{100 * rows_:.2g} % by rows, {100 * runs:.2g} % by runs")
