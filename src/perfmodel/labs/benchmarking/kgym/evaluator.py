"""A judge that sees only some runs: a wrong patch may pass three clean runs by chance.

The judge boots the patched kernel and runs the program that used to crash it, up to five times. A
crash ends it: failed. Three runs without one: passed. A run that fails for another reason (the
machine didn't come up) uses up an attempt and has no result.

Source: A. Mathai and others, 2024, kernel_bench_evaluator.py of their repository, for the rule; the
probabilities are worked out here.
"""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.live.drawing import Box, Line, Scale, Scene, Shape, Text
from perfmodel.live.drawing.chart import legend
from perfmodel.validation import Floats, whole, within

CLEAN, ATTEMPTS = 3, 5
"""Clean runs that a patch needs to pass, and runs that it gets at most."""


def pass_probability(
    crash: ArrayLike, outage: ArrayLike = 0.0, clean: int = CLEAN, attempts: int = ATTEMPTS
) -> Floats:
    """Return the probability that a patch passes.

    With c = (1 - outage)(1 - crash) it is the sum over j of C(clean - 1 + j, j) outage^j c^clean,
    where j counts the outages before the last clean run. `crash` and `outage` are the probabilities
    that a run of the patched kernel crashes (0 for a true fix) and that it has no result.
    """
    p, u = within("crash", crash, 0, 1), within("outage", outage, 0, 1)
    needed = whole("clean", clean, 1)
    spare = whole("attempts", attempts, needed) - needed
    quiet = (1 - u) * (1 - p)
    ways = sum(comb(needed - 1 + j, j) * u**j for j in range(spare + 1))
    return np.asarray(ways * quiet**needed)


def predictive_value(
    prior: ArrayLike,
    crash: ArrayLike,
    outage: ArrayLike = 0.0,
    clean: int = CLEAN,
    attempts: int | None = None,
) -> Floats:
    """Return the share of true fixes among the patches that pass, by Bayes' rule.

    `prior` is the share of true fixes among all patches, `crash` that of a patch which is no fix.
    `attempts` is two more than `clean` if left out.

    >>> print(predictive_value(0.01, 0.3).round(4))
    0.0286
    """
    q = within("prior", prior, 0, 1)
    if not (q > 0).all():
        raise ValueError(f"prior must be above 0, got {prior!r}")
    allowed = clean + ATTEMPTS - CLEAN if attempts is None else attempts
    right = q * pass_probability(0.0, outage, clean, allowed)
    wrong = (1 - q) * pass_probability(crash, outage, clean, allowed)
    if not (right > 0).all():
        raise ValueError(f"outage must be below 1 for a patch to pass, got {outage!r}")
    return np.asarray(right / (right + wrong))


def judge(
    crash: ArrayLike,
    outage: float,
    rng: np.random.Generator,
    clean: int = CLEAN,
    attempts: int = ATTEMPTS,
) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Run the rule on patches that crash with these probabilities and return which passed.

    >>> judge([0.0, 1.0], 0.0, np.random.default_rng(0)).tolist()
    [True, False]
    """
    p = np.atleast_1d(within("crash", crash, 0, 1))
    needed, allowed = whole("clean", clean, 1), whole("attempts", attempts, clean)
    quiet, crashed = np.zeros(p.shape, int), np.zeros(p.shape, bool)
    for _ in range(allowed):
        counts = ~crashed & (quiet < needed) & (rng.random(p.shape) >= outage)
        crashes = rng.random(p.shape) < p
        quiet += counts & ~crashes
        crashed |= counts & crashes
    return quiet >= needed


PATCHES = 1000
MOST = 8
"""Clean runs that the sheet has rows for."""
_TOP, _ROW = 76.0, 22.0


def patch_sieve(runs: int, crash: float, prior: float = 0.01) -> Scene:
    """Draw the patches left after 0, 1, ... clean runs, a share `prior` of them true fixes.

    >>> round(patch_sieve(3, 0.3).values["true among those left (%)"], 2)
    2.86
    """
    last = int(within("runs", whole("runs", runs), 0, MOST))
    width = Scale(0, PATCHES, 44, 290)
    shapes: list[Shape] = legend(44, 14, [("true fixes", 2, "solid")])
    shapes += legend(160, 14, [("no fixes", 1, "hatch")])
    shapes.append(Text("clean runs", 8, 46, anchor="start"))
    shapes.append(Text("true", 350, 46, anchor="end"))
    shapes.append(Line([(44, 60), (44, _TOP + (MOST + 1) * _ROW)]))
    for row in range(last + 1):
        shapes += _row(width, row, crash, prior)
    remaining, fraction = _left(last, crash, prior)
    says = (
        f"After {last} clean run{'s' * (last != 1)}, {remaining:,.0f} of {PATCHES:,} patches are "
        f"left. {_per_cent(fraction)} of them are true fixes."
    )
    values = {"patches left": remaining, "true among those left (%)": 100 * fraction}
    return Scene(_TOP + (MOST + 1) * _ROW + 8, shapes, says, values)


def _left(run: int, crash: float, prior: float) -> tuple[float, float]:
    """Return how many patches are left after some clean runs, and the share of true ones."""
    fraction = float(predictive_value(prior, crash, clean=run)) if run else prior
    return PATCHES * prior / fraction, fraction


def _per_cent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.1 else f"{100 * share:.2g} %"


def _row(width: Scale, row: int, crash: float, prior: float) -> list[Shape]:
    y, height = _TOP + row * _ROW, _ROW - 6
    remaining, fraction = _left(row, crash, prior)
    true = width.length(PATCHES * prior)
    shapes: list[Shape] = [
        Text(str(row), 36, y + height / 2, anchor="end"),
        Box(width(0), y, true, height, "", 2, "solid"),
        Text(_per_cent(fraction), 350, y + height / 2, anchor="end"),
    ]
    wrong = width.length(remaining) - true
    if wrong > 0.5:
        shapes.append(Box(width(0) + true, y, wrong, height, "", 1, "hatch"))
    return shapes
