"""Which form: judged on larger runs that no fit has seen, never on the runs it was fitted to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.forecasting.fitting import LawFit, fit_law
from perfmodel.forecasting.laws import Law
from perfmodel.validation import finite


class FormScore(NamedTuple):
    """One form, how well it fits, and how well it forecasts."""

    law: Law
    fit: LawFit
    in_sample: float
    """Mean absolute error on the smaller runs, which were fitted."""
    held_out: float
    """Mean absolute error on the larger runs, which were not."""


def choose_form(
    laws: Sequence[Law],
    x: ArrayLike | Sequence[ArrayLike],
    y: ArrayLike,
    *,
    size: ArrayLike | None = None,
    held_out: float = 0.3,
    loss: str = "least squares of logs",
) -> list[FormScore]:
    """Fit each form to the smaller runs, score it on the larger ones; the best forecast is first.

    Parameters
    ----------
    laws : sequence of Law
        Of the same variables.
    x : array_like, shape (n,), or one such for each variable
    y : array_like, shape (n,)
    size : array_like, shape (n,), optional
        By which runs are smaller or larger, such as compute; the product of the variables if not
        given.
    held_out : float
        Share of the runs that is held out, above 0 and below 1.
    loss : str
        As in `fit_law`.

    Examples
    --------
    >>> from perfmodel.forecasting import POWER_LAW, SATURATING_POWER_LAW
    >>> x = np.geomspace(1, 1000, 20)
    >>> scores = choose_form([POWER_LAW, SATURATING_POWER_LAW], x, 1 + 2 * x**-0.5)
    >>> [score.law.name for score in scores]
    ['saturating power law', 'power law']
    """
    if not laws:
        raise ValueError("laws must be one or more, got none")
    results = finite("y", y)
    several: Any = x if len(laws[0].variables) > 1 else (x,)
    variables = [finite("x", item) for item in several]
    order = finite("size", np.prod(variables, axis=0) if size is None else size)
    if results.ndim != 1 or any(item.shape != results.shape for item in [*variables, order]):
        shapes = ", ".join(str(item.shape) for item in [*variables, order, results])
        raise ValueError(f"x, size and y must be as long as each other, got {shapes}")
    fraction = float(finite("held_out", held_out))
    count = round(len(results) * fraction)
    if not (0 < fraction < 1 and 0 < count < len(results)):
        raise ValueError(f"held_out must leave runs on both sides, got {held_out!r}")
    indices = np.argsort(order, kind="stable")
    small, large = indices[:-count], indices[-count:]
    scores = []
    for law in laws:
        seen = [item[small] for item in variables]
        fit = fit_law(law, seen if len(seen) > 1 else seen[0], results[small], loss=loss)
        errors = [
            float(np.abs(fit.predict(*(item[part] for item in variables)) - results[part]).mean())
            for part in (small, large)
        ]
        scores.append(FormScore(law, fit, errors[0], errors[1]))
    return sorted(scores, key=lambda score: score.held_out)
