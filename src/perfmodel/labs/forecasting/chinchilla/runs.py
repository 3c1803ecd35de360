"""Runs that others made: sizes, data and losses, and the law fitted to them.

Sources: the README next to the tables; J. Hoffmann et al., arXiv:2203.15556, Figure 4; S. Y. Gadre
et al., "Language models scale reliably with over-training and on downstream tasks",
arXiv:2403.08540, 2024.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
import pandas as pd

from perfmodel.forecasting import (
    TWO_VARIABLE_LAW,
    LawBootstrap,
    LawFit,
    bootstrap_law,
    fit_law,
)
from perfmodel.shipped_data import shipped_table
from perfmodel.validation import Floats, one_of, whole

DROPPED = 5
"""Runs of the largest loss that Besiroglu et al. leave out."""
TRAIN_SETS = {"c4_original": "C4", "rpj": "RedPajama", "rw_original": "RefinedWeb"}


class Runs(NamedTuple):
    """Trained models, arrays of shape (n,)."""

    parameters: Floats
    tokens: Floats
    loss: Floats
    """Nats a token."""

    @property
    def compute(self) -> Floats:
        """Floating-point operations of training, 6 N D."""
        return 6 * self.parameters * self.tokens


def figure_runs(dropped: int = DROPPED) -> Runs:
    """Return the runs of Hoffmann's Figure 4, without those of the largest loss.

    >>> len(figure_runs().loss), len(figure_runs(0).loss)
    (240, 245)
    """
    table = _table("figure_4.csv").sort_values("loss", kind="stable")
    if whole("dropped", dropped) >= len(table):
        raise ValueError(f"dropped must be below the {len(table)} runs, got {dropped!r}")
    kept = table.iloc[: len(table) - dropped]
    parameters, flops, loss = (kept[name].to_numpy() for name in kept.columns)
    return Runs(parameters, flops / (6 * parameters), loss)


def gadre_runs(train_set: str) -> Runs:
    """Return the models of one training set.

    >>> len(gadre_runs("rpj").loss)
    35
    """
    one_of("train_set", train_set, TRAIN_SETS)
    table = _table("gadre.csv")
    kept = table[table["train_set"] == train_set]
    return Runs(*(kept[name].to_numpy(float) for name in ("parameters", "tokens", "loss")))


@cache
def refit(dropped: int = DROPPED) -> LawFit:
    """Return the law as the replication fits it: the sum of Huber losses of logarithms."""
    runs = figure_runs(dropped)
    return fit_law(TWO_VARIABLE_LAW, (runs.parameters, runs.tokens), runs.loss)


@cache
def rebootstrap(resamples: int = 4000) -> LawBootstrap:
    """Return refits of resamples of the 240 runs."""
    return bootstrap_law(refit(), resamples)


def samples(bootstrap: LawBootstrap) -> dict[str, Floats]:
    """Return each parameter's samples by its name."""
    names = bootstrap.fit.law.parameters
    return {name: bootstrap.samples[:, index] for index, name in enumerate(names)}


def largest_forecast(train_set: str, held_out: int = 5) -> tuple[Floats, Floats, Floats, Floats]:
    """Return the compute of the largest models, their losses, the law's and a straight line's.

    The law is fitted to all smaller models; the line is one of log loss on log compute.
    """
    runs = gadre_runs(train_set)
    order = np.argsort(runs.compute)
    small, large = order[:-held_out], order[-held_out:]
    fit = fit_law(TWO_VARIABLE_LAW, (runs.parameters[small], runs.tokens[small]), runs.loss[small])
    line = np.polyfit(np.log(runs.compute[small]), np.log(runs.loss[small]), 1)
    by_line = np.exp(np.polyval(line, np.log(runs.compute[large])))
    by_law = fit.predict(runs.parameters[large], runs.tokens[large])
    return runs.compute[large], runs.loss[large], by_law, by_line


@cache
def _table(name: str) -> pd.DataFrame:
    return shipped_table(__package__, name)
