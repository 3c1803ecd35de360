"""The ring of two protocols, as far as the rows can tell two apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, RegressorMixin

from perfmodel.labs.communication.collectives.contest import RingPrices
from perfmodel.validation import Floats

if TYPE_CHECKING:
    import pandas as pd

FEWEST = 6
"""Different sizes from which on two protocols of three sizes each can be told apart."""


class TwoProtocols(BaseEstimator, RegressorMixin):  # type: ignore[misc]
    """`RingPrices` with one break, and with none where there are too few sizes to find one.

    Parameters
    ----------
    collective : str
        As for `RingPrices`.
    """

    def __init__(self, collective: str) -> None:
        self.collective = collective

    def fit(self, X: pd.DataFrame, y: ArrayLike) -> Self:
        """Fit prices and, if there are enough sizes, the break; times above 0, shape (n,)."""
        breaks = int(X["bytes"].nunique() >= FEWEST)
        self.ring_ = RingPrices(self.collective, breaks).fit(X, y)
        return self

    def predict(self, X: pd.DataFrame) -> Floats:
        """Return times, shape (n,)."""
        return self.ring_.predict(X)
