"""The costs of a contest entry besides its error: measuring, fitting, the modeller's time.

- Measuring: what the training rows took, by the rule of whoever measured them. Where it is not said
  how often a run was repeated, once: then the number is the least that it may have been.
- Fitting: `fit_seconds` of the board, processor time with the choice of settings.
- The modeller: an estimate. Basic COCOMO for a small team that knows its field (B. Boehm, Software
  Engineering Economics, 1981, chapter 5): 2.4 KLOC^1.05 months of 152 hours. It was fitted to whole
  products of 2,000 lines and more, documented and tested; for a model of 30 lines it says no more
  than how many hours are to be reckoned with, in tens.

>>> round(modeller_hours(1000))
365
"""

from __future__ import annotations

import ast
import inspect
import io
import sys
import textwrap
import tokenize
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator

from perfmodel.labs.queueing.edge_cluster.shared_accelerator import fcfs_with_switching
from perfmodel.prediction.arena.challenge import Challenge
from perfmodel.validation import positive

MONTHS, EXPONENT, MONTH = 2.4, 1.05, 152.0
"""Of basic COCOMO, organic mode: months of 1,000 lines, their exponent, and hours of a month."""
SHARED = ("perfmodel.prediction.arena.", "perfmodel.validation", "perfmodel.data")
"""Modules that every model of the course may use and that are nobody's own model."""
BEHIND = {"queue_with_reloads": (fcfs_with_switching,)}
"""Functions that computed a feature which a model only hands on, by the name of its function."""


class Rule(NamedTuple):
    """How long a row of a data set took to measure: repeats of its target, each so long or more."""

    repeats: int
    least: float = 0.0
    """Seconds that a repeat lasts at least."""
    stated: bool = True
    """Whether whoever measured says so; if not, the repeats are one."""


ONCE = Rule(1, stated=False)
SWEEP, LIBRARIES, SITTINGS = Rule(6 * 9, 2e-3), Rule(3 * 5, 2e-3), Rule(5 * 5, 2e-3)
RULES: Mapping[str, Rule] = {
    "cpu": SWEEP,
    "cpu-single": SWEEP,
    "cpu-both": SWEEP,
    "other-mkl": LIBRARIES,
    "other-openblas": LIBRARIES,
    "v100": ONCE,
    "h100": Rule(15, 1e-3),
    "accelerator": ONCE,
    "all-reduce": ONCE,
    "all-to-all": ONCE,
    "sorts": SITTINGS,
    "sparse": SITTINGS,
    "service": Rule(3, 2.5),
}
"""By the challenge's name. Latencies of networks: once, since it is not said how often each was
timed. The others' targets are no times of a run: scores, circuits, ends of curves."""


def measured_seconds(name: str, challenge: Challenge) -> dict[tuple[str, int], float]:
    """Return what the training rows took to measure, in seconds, by split and budget.

    The mean over rounds; NaN where the target is no time of a run. The name is the recorder's.
    """
    rule = RULES.get(name, ONCE if "latency" in challenge.dataset.quantity else None)
    rows = np.full(len(challenge.dataset), np.nan)
    if rule is not None:
        rows = rule.repeats * np.maximum(challenge.dataset.target, rule.least)
    sums: dict[tuple[str, int], list[float]] = {}
    for points, _, split in challenge.rounds:
        sums.setdefault((split.name, points), []).append(float(rows[split.train].sum()))
    return {question: float(np.mean(seconds)) for question, seconds in sums.items()}


def modeller_hours(lines: float) -> float:
    """Return the hours that basic COCOMO reckons for this many lines of code, without comments."""
    thousands = float(positive("lines", lines)) / 1000
    return float(MONTHS * thousands**EXPONENT * MONTH)


def model_lines(*estimators: Any) -> int:
    """Return how many lines of code are models' own: docstrings, comments, empty lines apart.

    Its own code is the given functions and classes, and the package's functions and classes that
    they call, except for those that every model may use (`SHARED`). What two models share counts
    once.

    >>> from perfmodel.labs.prediction.three_ways.product_time import FittedRoofline
    >>> 10 < model_lines(FittedRoofline()) < 60
    True
    """
    lines_of: dict[str, int] = {}
    waiting = [code for estimator in estimators for code in _given(estimator)]
    while waiting:
        code = waiting.pop()
        name = f"{code.__module__}.{code.__qualname__}"
        if name in lines_of or not _own(code):
            continue
        tree = ast.parse(textwrap.dedent(inspect.getsource(code)))
        lines_of[name] = _lines(textwrap.dedent(inspect.getsource(code)), tree)
        known = vars(sys.modules[code.__module__]) if inspect.isclass(code) else code.__globals__
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        waiting += [
            known[called]
            for called in sorted(names & known.keys())
            if inspect.isfunction(known[called]) or inspect.isclass(known[called])
        ]
    return sum(lines_of.values())


def _given(estimator: Any) -> Iterator[Any]:
    """Yield the functions and classes that an estimator is made of."""
    if isinstance(estimator, partial):
        yield from _given(estimator.func)
    elif inspect.isfunction(estimator):
        yield inspect.unwrap(estimator)
        yield from BEHIND.get(estimator.__name__, ())
    elif isinstance(estimator, BaseEstimator):
        yield type(estimator)
        for value in estimator.get_params(deep=False).values():
            yield from _given(value)


def _own(code: Any) -> bool:
    return code.__module__.startswith("perfmodel.") and not code.__module__.startswith(SHARED)


def _lines(source: str, tree: ast.Module) -> int:
    code_lines = {
        line
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type not in _NO_CODE
        for line in range(token.start[0], token.end[0] + 1)
    }
    return len(code_lines - set(_docstrings(ast.walk(tree))))


_NO_CODE = (
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
)


def _docstrings(nodes: Iterable[ast.AST]) -> Iterator[int]:
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
            yield from range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1)


def modelling(challenges: Mapping[str, Challenge]) -> list[tuple[str, str, int, float]]:
    """Return data set, whitebox, own lines and estimated hours of all whiteboxes."""
    return [
        (challenge.dataset.name, name, lines, modeller_hours(lines))
        for challenge in challenges.values()
        for name, lines in (
            (name, model_lines(model)) for name, model in challenge.whiteboxes.items()
        )
    ]
