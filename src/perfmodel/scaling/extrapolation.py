"""What more processors would take: forms compared by the largest runs that each did not see.

A form that fits the measured runs says little about larger ones. Each form here is fitted to the
smaller runs and asked for the largest; what it missed there, and how far ahead it was asked, is
what it may miss further out.

Sources: G. M. Amdahl, AFIPS 1967; J. L. Gustafson, Comm. ACM 31(5), 1988; N. J. Gunther, "Guerrilla
Capacity Planning", Springer, 2007; A. Calotoiu, T. Hoefler, M. Poke, F. Wolf, "Using automated
performance modeling to find scalability bugs in complex codes", SC 2013 (terms p^i log^j p).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import nnls

from perfmodel.validation import Floats, at_least, one_number, one_of, positive, sample

Job = Literal["strong", "weak"]
MAX_EXTRAPOLATION = 8.0
"""Times the largest run beyond which no form's number is given."""
_SUPERLINEAR = 1.05
"""Times as much processor time, from a run to a larger one, that is more than scatter."""
_LEAST_ERROR = 0.01
"""Relative error that each form is taken to make at twice the largest run, at least."""
_WIDEST = 20.0
"""High over low end of an interval above which there is no number."""
_WIDER = 2.0
"""How much wider than the worst of a few held-out errors the interval is."""
_POWERS = ((0.25, 0.0), (0.5, 0.0), (2 / 3, 0.0), (1.0, 0.0), (0.0, 1.0), (0.0, 2.0), (0.5, 1.0))
"""Of p and of log2 p, in the terms that grow."""


@dataclass(frozen=True, eq=False)
class FormForecast:
    """One form: what it says, what it is made of, and what it missed on runs it did not see."""

    name: str
    time: float
    """Seconds at the number of processors asked for."""
    terms: tuple[tuple[str, float], ...]
    """Seconds of each of its terms there."""
    held_out: float
    """Largest factor by which it missed the largest run, fitted to smaller ones; infinite where no
    run could be held out."""
    growth: float
    """The same per factor of e in processors, in logarithms. A miss below twice the largest known
    run is mostly scatter, and counts as if it were at twice."""


@dataclass(frozen=True, eq=False)
class ScalingForecast:
    """The time of a job on more processors."""

    time: float | None
    """Seconds, of the form with the smallest held-out error; None where no form may be believed."""
    low: float | None
    """Seconds; None where nothing bounds it."""
    high: float | None
    forms: tuple[FormForecast, ...]
    """The smallest held-out error first."""
    extrapolation_factor: float
    """Times the largest number of processors measured."""
    superlinear: tuple[tuple[float, float], ...]
    """Pairs of processor counts between which less processor time was used by more processors."""
    reason: str
    """Why there is no number; empty where there is one."""


def extrapolate_scaling(
    processors: ArrayLike, times: ArrayLike, at: float, job: str = "strong"
) -> ScalingForecast:
    """Return the time on `at` processors with an interval, by forms compared on held-out runs.

    Parameters
    ----------
    processors : array_like, shape (n,)
        Of each run, 1 or more; counts may repeat, 3 different ones or more. The smallest need not
        be 1.
    times : array_like, shape (n,)
        Seconds, above 0.
    at : float
        Processors, 1 or more.
    job : {'strong', 'weak'}
        One fixed job, or a job that grows with the processors.

    Returns
    -------
    ScalingForecast
        Without a number where fewer than 4 different counts leave no run to hold out, or where `at`
        is more than 8 times the largest run, or further beyond it than it is beyond the smallest.

    Examples
    --------
    >>> p = [1, 2, 4, 8, 16, 32]
    >>> forecast = extrapolate_scaling(p, [100, 51, 26.5, 14.1, 7.9, 4.9], 64)
    >>> round(forecast.time, 1), forecast.low < 3.5 < forecast.high
    (3.3, True)
    >>> extrapolate_scaling(p, [100, 51, 26.5, 14.1, 7.9, 4.9], 1024).time is None
    True
    """
    p = at_least("processors", sample("processors", processors, 3), 1)
    t = positive("times", sample("times", times, 3))
    if p.size != t.size:
        raise ValueError(f"times must be one for each of the {p.size} processors, got {t.size}")
    asked = one_number("at", at, lambda name, value: at_least(name, value, 1))
    strong = one_of("job", job, get_args(Job)) == "strong"
    counts = np.unique(p)
    if counts.size < 3:
        raise ValueError(f"processors must hold 3 different counts or more, got {counts.size}")
    faster = _superlinear(p, t, counts) if strong else ()
    kept = _after(p, faster, counts)
    forms = sorted(
        (_form(name, p[kept], t[kept], asked, strong) for name in _names(strong)),
        key=lambda form: round(form.held_out, 6),  # of equals, the simplest first
    )
    beyond = asked / counts[-1]
    ends_superlinear = bool(faster) and faster[-1][1] == counts[-1]
    reason = _reason(beyond, counts, np.unique(p[kept]), forms)
    if not reason and ends_superlinear and beyond > 1:
        reason = (
            f"from {faster[-1][0]:g} to {faster[-1][1]:g} processors less processor time was used "
            "by more of them, which no form holds; measure where that ends"
        )
    last = float(np.median(t[p == counts[-1]]))
    perfect = last / beyond if strong else last
    if reason:
        low = None if ends_superlinear or beyond <= 1 else perfect
        return ScalingForecast(None, low, None, tuple(forms), beyond, faster, reason)
    low, high = _interval(forms, beyond)
    if high > _WIDEST * low:
        reason = "the forms miss the largest of these runs too far; measure more counts"
        return ScalingForecast(None, low, high, tuple(forms), beyond, faster, reason)
    if beyond > 1:
        low, high = min(low, perfect), max(high, perfect)
    return ScalingForecast(forms[0].time, low, high, tuple(forms), beyond, faster, "")


def _reason(beyond: float, counts: Floats, kept: Floats, forms: Sequence[FormForecast]) -> str:
    if not np.isfinite(forms[0].held_out):
        return f"{kept.size} different counts leave no run to test a form on; measure 4 or more"
    furthest = min(MAX_EXTRAPOLATION, float(counts[-1] / counts[0]))
    if beyond > furthest * (1 + 1e-9):
        return (
            f"{beyond:.3g} times the largest run is too far: these runs test forms up to "
            f"{furthest:.3g} times; measure at {counts[-1] * beyond / furthest:.0f} or more"
        )
    return ""


def _interval(forms: Sequence[FormForecast], beyond: float) -> tuple[float, float]:
    """Return the hull of the forms that missed little, each as wide as it missed."""
    best = np.log(forms[0].held_out)
    ends = []
    for form in forms:
        if np.log(form.held_out) > _WIDER * max(best, _LEAST_ERROR):
            continue
        distance = max(abs(np.log(beyond)), np.log(2))
        half = _WIDER * max(form.growth, _LEAST_ERROR / np.log(2)) * distance
        ends += [form.time * np.exp(-half), form.time * np.exp(half)]
    return float(min(ends)), float(max(ends))


def _superlinear(p: Floats, t: Floats, counts: Floats) -> tuple[tuple[float, float], ...]:
    spent = [float(np.median(t[p == count]) * count) for count in counts]
    return tuple(
        (float(counts[i]), float(counts[i + 1]))
        for i in range(counts.size - 1)
        if spent[i] > _SUPERLINEAR * spent[i + 1]
    )


def _after(p: Floats, faster: tuple[tuple[float, float], ...], counts: Floats) -> Floats:
    """Return the runs after the last superlinear part, if 4 counts are left of them."""
    start = faster[-1][1] if faster else counts[0]
    if (counts >= start).sum() < 4:
        return np.ones(p.size, bool)
    return np.asarray(p >= start)


def _names(strong: bool) -> tuple[str, ...]:
    grown = tuple(_term(i, j) for i, j in _POWERS)
    if strong:
        return ("perfect from the largest", "Amdahl", "USL", *grown)
    return ("Gustafson", *grown)


def _term(power: float, logs: float) -> str:
    parts = [f"p^{power:.3g}" if power else "", f"log^{logs:.0f} p" if logs else ""]
    return "overhead " + " ".join(part for part in parts if part)


def _columns(name: str, p: Floats, strong: bool) -> dict[str, Floats]:
    """Return the terms of a form at some processors, each of a unit of its own."""
    if name == "perfect from the largest":
        return {"divided work": 1 / p}
    terms = {"divided work": 1 / p} if strong else {}
    terms["serial part" if strong else "work of each processor"] = np.ones_like(p)
    if name == "USL":
        terms["exchange between all pairs"] = p - 1
    for power, logs in _POWERS:
        if name == _term(power, logs):
            terms[name] = p**power * np.log2(p) ** logs
    return terms


def _fit(name: str, p: Floats, t: Floats, strong: bool) -> Floats:
    """Return the cost of each term, 0 or more, by least squares of relative errors."""
    if name == "perfect from the largest":
        largest = p == p.max()
        return np.array([np.median(t[largest]) * p.max()])
    table = np.column_stack(list(_columns(name, p, strong).values())) / t[:, None]
    scale = table.max(axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    return np.asarray(nnls(table / scale, np.ones_like(t))[0] / scale)


def _form(name: str, p: Floats, t: Floats, at: float, strong: bool) -> FormForecast:
    costs = _fit(name, p, t, strong)
    there = _columns(name, np.array([at]), strong)
    terms = tuple(
        (term, float(cost * column[0]))
        for cost, (term, column) in zip(costs, there.items(), strict=True)
    )
    worst, growth = 0.0, 0.0
    counts = np.unique(p)
    # A form is tested where it was fitted to most counts, and to more than it has terms.
    least = max(3, len(costs) + 1, (counts.size + 2) // 2)
    for largest in counts[least - 1 : -1]:
        seen = p <= largest
        fitted = _fit(name, p[seen], t[seen], strong)
        for count in counts[counts > largest]:
            columns = _columns(name, np.array([count]), strong)
            said = sum(c * column[0] for c, column in zip(fitted, columns.values(), strict=True))
            missed = abs(float(np.log(said / np.median(t[p == count]))))
            worst = max(worst, missed)
            growth = max(growth, missed / max(np.log(count / largest), np.log(2)))
    tested = counts.size > least
    return FormForecast(
        name,
        sum(seconds for _, seconds in terms),
        terms,
        float(np.exp(worst)) if tested else np.inf,
        growth if tested else np.inf,
    )
