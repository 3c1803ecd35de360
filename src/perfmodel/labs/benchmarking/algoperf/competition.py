"""The first AlgoPerf competition: seconds to target, and the rules that make one score of them.

Sources: G. E. Dahl et al., "Benchmarking neural network training algorithms", 2023
(arXiv:2306.07179), section 4; the scoring code and the logs of the competition, as the README
beside this file names them.

>>> external = competition("external")
>>> external.ranking(external.scores(POINTS))[:2]
['shampoo_submission', 'schedule_free_adamw']

Times that were not reached, guessed from those that were: two families of guesses.

A whitebox score such as the profile's area needs no guess: not to arrive is a value. A mean of
speed-ups does, or it is taken over other workloads for each submission.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np
import scipy
from numpy.typing import ArrayLike

from perfmodel.benchmarking.performance_profiles import (
    performance_profile,
    performance_ratios,
    profile_area,
)
from perfmodel.live.drawing import Area, Box, Fill, Line, Scale, Scene, Shape, Text
from perfmodel.live.drawing.chart import stairs
from perfmodel.measurement.statistics.least_squares import two_way_fit
from perfmodel.shipped_data import shipped_table
from perfmodel.validation import Floats, one_of, positive, whole, within

Ruleset = Literal["external", "self_tuning"]

R_MAX = 4.0
"""A workload counts 0 for a submission that takes more than this many times the least time."""
POINTS = 100
"""Factors at which the scoring code evaluates the profile."""
BASE_OF = {
    "criteo1tb_embed_init": "criteo1tb",
    "fastmri_tanh": "fastmri",
    "imagenet_resnet_large_bn_init": "imagenet_resnet",
    "librispeech_conformer_layernorm": "librispeech_conformer",
    "ogbg_model_size": "ogbg",
    "wmt_glu_tanh": "wmt",
}
"""The base workload of each held-out one."""


@dataclass(frozen=True, eq=False)
class Competition:
    """Seconds to target of all submissions to one ruleset."""

    submissions: tuple[str, ...]
    workloads: tuple[str, ...]
    """The base workloads, then their held-out variants in the order of `BASE_OF`."""
    seconds: Floats
    """Shape (submissions, workloads); infinite where the target was not reached, or no run is."""

    @property
    def base(self) -> tuple[str, ...]:
        """The workloads that are scored."""
        return tuple(name for name in self.workloads if name not in BASE_OF)

    @property
    def counted(self) -> Floats:
        """Seconds on the base workloads that count after the rules on held-out ones."""
        return counted_seconds(self.seconds, self._variant_of())

    @property
    def ratios(self) -> Floats:
        """Counted seconds over the least counted on the same base workload."""
        return performance_ratios(self.counted)

    def scores(self, points: int | None = None, r_max: float = R_MAX) -> Floats:
        """Return the benchmark scores; `points` None is the exact area, 100 what was published."""
        return profile_area(self.ratios, r_max, points)

    def ranking(self, scores: ArrayLike) -> list[str]:
        """Return the submissions by falling score."""
        return [self.submissions[i] for i in np.argsort(-np.asarray(scores), kind="stable")]

    def rescored(self, seconds: Floats) -> Floats:
        """Return the exact scores of others on the same workloads; `seconds` is (s, workloads)."""
        return profile_area(performance_ratios(counted_seconds(seconds, self._variant_of())))

    def without(self, *names: str) -> Competition:
        """Return the competition without these; a base workload takes its variant along."""
        for name in names:
            if name not in (*self.submissions, *self.base):
                raise ValueError(f"names must be submissions or base workloads, got {name!r}")
        rows = [i for i, name in enumerate(self.submissions) if name not in names]
        columns = [j for j, w in enumerate(self.workloads) if BASE_OF.get(w, w) not in names]
        return Competition(
            tuple(self.submissions[i] for i in rows),
            tuple(self.workloads[j] for j in columns),
            self.seconds[np.ix_(rows, columns)],
        )

    def without_held_out(self) -> Competition:
        """Return the competition on its base workloads alone."""
        return Competition(self.submissions, self.base, self.seconds[:, : len(self.base)])

    def _variant_of(self) -> dict[int, int]:
        index = {name: i for i, name in enumerate(self.workloads)}
        return {index[w]: index[BASE_OF[w]] for w in self.workloads if w in BASE_OF}


def counted_seconds(seconds: ArrayLike, variant_of: dict[int, int], limit: float = R_MAX) -> Floats:
    """Return the times on base workloads that still count after the rules on held-out variants.

    `seconds` has the shape (s, n), infinite where a target was not reached; `variant_of` leads from
    the column of each variant to its base. Returned are the columns of the base workloads in order.

    >>> print(counted_seconds([[10.0, 5.0], [8.0, 30.0], [9.0, 6.0]], {1: 0}))
    [[10.]
     [inf]
     [ 9.]]
    """
    table, largest = np.array(seconds, dtype=np.float64), float(positive("limit", limit))
    for variant, base in variant_of.items():
        table[np.isinf(table[:, base]), variant] = np.inf
    table[table > largest * table.min(axis=0)] = np.inf
    for variant, base in variant_of.items():
        table[np.isinf(table[:, variant]), base] = np.inf
    return np.delete(table, list(variant_of), axis=1)


@cache
def competition(ruleset: Ruleset) -> Competition:
    """Return the competition of a ruleset: external (five tuning trials a study) or self-tuning."""
    table = shipped_table(__package__, f"{ruleset}.csv", index_col="submission").fillna(np.inf)
    base = [name for name in table.columns if name not in BASE_OF]
    table = table[[*base, *BASE_OF]]
    result = Competition(tuple(table.index), tuple(table.columns), table.to_numpy(dtype=np.float64))
    order = result.ranking(result.scores(POINTS))
    return Competition(tuple(order), result.workloads, table.loc[order].to_numpy(dtype=np.float64))


SHORT = ("Criteo", "fastMRI", "ResNet", "ViT", "Conformer", "DeepSpeech", "OGBG", "WMT")
"""Names of the base workloads that fit beside a bar."""
_ROW, _TOP = 16.0, 26.0
_LOW, _HIGH = 290.0, 200.0


def profile_drawing(submission: str, factor: float) -> Scene:
    """Draw ratios to the fastest as bars, and below them the profile up to a factor.

    >>> profile_drawing("shampoo_submission", 1.2).values["share of workloads"]
    0.625
    """
    table, tau = competition("external"), float(within("factor", factor, 1, R_MAX))
    one_of("submission", submission, table.submissions)
    ratios = table.ratios[table.submissions.index(submission)]
    across = Scale(1, R_MAX, 96, 348)
    shapes: list[Shape] = [Text("time over the shortest (line: factor)", 222, 12)]
    for row, (name, ratio) in enumerate(zip(SHORT, ratios, strict=True)):
        shapes += _bar(_TOP + row * _ROW, name, float(ratio), tau, across)
    shapes += _area(ratios, tau, across)
    fraction = float(performance_profile(ratios, tau)[0])
    area = float(np.maximum(tau - ratios, 0).mean() / (R_MAX - 1))
    says = (
        f"{8 * fraction:.0f} of 8 workloads are within {tau:.4g} times the shortest time. "
        f"The area so far is {area:.3f}."
    )
    return Scene(334, shapes, says, {"share of workloads": fraction, "area so far": area})


def _bar(y: float, name: str, ratio: float, tau: float, across: Scale) -> list[Shape]:
    """Return a workload's row, solid where it is within the factor, which a line marks."""
    words = Text(name, 88, y + 6, anchor="end")
    if np.isinf(ratio):
        return [words, Text("does not count", 340, y + 6, anchor="end")]
    fill: Fill = "solid" if ratio <= tau else "hatch"
    mark = Line([(across(tau), y - 2), (across(tau), y + 14)], 2)
    return [words, Box(across.start, y, max(across.length(ratio - 1), 2), 12, "", 1, fill), mark]


def _area(ratios: Floats, tau: float, across: Scale) -> list[Shape]:
    """Return the profile up to the factor, with the area below it and both axes."""
    up = Scale(0, 1, _LOW, _HIGH)
    jumps = [1.0, *sorted({float(r) for r in ratios if 1 < r < tau}), tau]
    levels = [float(v) for v in performance_profile(ratios, jumps)]
    levels[-1] = levels[-2]
    corners = stairs(jumps, levels, across, up)
    shapes: list[Shape] = []
    if tau > 1:
        base = [(corners[-1][0], up(0)), (corners[0][0], up(0))]
        shapes += [Area([*corners, *base], 3, "light"), Line(corners, 1)]
    shapes += across.below(_LOW, "factor")
    return [*shapes, *up.beside(across.start, "share of workloads within the factor", 2)]


def two_way_seconds(seconds: ArrayLike) -> Floats:
    """Return every time as a regression sees it: a submission's factor times a workload's.

    Least squares on the logarithms of the finite times. `seconds` has the shape (s, n), infinite
    where there is no time, with one finite time or more in each row and column.

    >>> print(two_way_seconds([[1.0, 10.0], [2.0, np.inf]]).round(6))
    [[ 1. 10.]
     [ 2. 20.]]
    """
    return np.exp(two_way_fit(np.log(_connected(seconds))))


def neighbour_seconds(seconds: ArrayLike, row: int, column: int) -> float:
    """Return one time as that of the most similar other submission with a time there.

    The most similar submission has the least mean square difference of logarithms on the other
    workloads that both reached. If no submission shares a workload, the result is the median of the
    column. The function doesn't use the value that it guesses.

    >>> neighbour_seconds([[1.0, 10.0, 7.0], [1.1, 11.0, np.inf], [9.0, 90.0, 2.0]], 1, 2)
    7.0
    """
    table = _connected(seconds)
    able = np.isfinite(table[:, column]) & (np.arange(len(table)) != row)
    times = table[able, column]
    logs = np.delete(np.log(table), column, axis=1)
    shared = np.isfinite(logs[able]) & np.isfinite(logs[row])
    off = np.where(shared, logs[able], 0) - np.where(shared, logs[row], 0)
    if not shared.any():
        return float(np.median(times))
    counts = np.maximum(shared.sum(axis=1), 1)
    distance = np.where(shared.any(axis=1), (off**2).sum(axis=1) / counts, np.inf)
    return float(times[distance.argmin()])


def leave_one_out_factors(seconds: ArrayLike) -> tuple[Floats, Floats]:
    """Return how far both guesses are off, as a factor above 1, on times not shown to them.

    >>> leave_one_out_factors([[1.0, 2.0], [3.0, 6.0]])[0].round(6).tolist()
    [1.0, 1.0, 1.0, 1.0]
    """
    table = _connected(seconds)
    finite = np.isfinite(table)
    off: list[list[float]] = []
    for row, column in np.argwhere(finite):
        if min(finite[row].sum(), finite[:, column].sum()) < 2:
            continue
        hidden = table.copy()
        hidden[row, column] = np.inf
        guesses = two_way_seconds(hidden)[row, column], neighbour_seconds(hidden, row, column)
        off.append([float(np.exp(abs(np.log(g / table[row, column])))) for g in guesses])
    by_regression, by_neighbour = np.array(off).T
    return by_regression, by_neighbour


def _connected(seconds: ArrayLike) -> Floats:
    table = np.asarray(seconds, dtype=np.float64)
    finite = np.isfinite(table)
    if table.ndim != 2 or not (finite.any(axis=0).all() and finite.any(axis=1).all()):
        raise ValueError(
            "seconds must be a table with a finite time in each row and column, "
            f"got shape {table.shape}"
        )
    return table


def score_probability(success: ArrayLike, studies: int = 3, trials: int = 5) -> Floats:
    """Return the probability that the median of an odd number of `studies` is finite.

    >>> print(score_probability([0.25, 0.5]).round(3))
    [0.858 0.997]
    """
    count = whole("studies", studies, 1)
    if count % 2 == 0:
        raise ValueError(f"studies must be odd, so that one is in the middle, got {studies!r}")
    study = 1 - (1 - within("success", success, 0, 1)) ** whole("trials", trials, 1)
    probability: Floats = scipy.special.bdtrc(count // 2, count, study)
    return probability
