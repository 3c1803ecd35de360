"""How much to order before the demand is known: the newsvendor's problem.

Sources: C. Xia, talk at TeaPACS 2021 (slides 8 to 11); K. J. Arrow, T. Harris, J. Marschak,
"Optimal inventory policy", Econometrica 19(3), 1951.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import Floats, finite, non_negative, positive, whole


@dataclass(frozen=True)
class Newsvendor:
    """A stall: a unit sells for `price` and costs `cost`; whole demands are equally likely."""

    price: float
    """Income from a unit sold, above `cost`."""
    cost: float
    """Paid for each unit ordered, sold or not, above 0."""
    lowest_demand: int
    """The smallest demand, in units."""
    highest_demand: int
    """The largest demand, in units."""

    def __post_init__(self) -> None:
        positive("cost", self.cost)
        if not finite("price", self.price) > self.cost:
            raise ValueError(f"price must be above cost = {self.cost:g}, got {self.price!r}")
        whole("highest_demand", self.highest_demand, whole("lowest_demand", self.lowest_demand))

    @property
    def demands(self) -> Floats:
        """All demands, each as likely as the others."""
        return np.arange(self.lowest_demand, self.highest_demand + 1, dtype=np.float64)


XIA_STALL = Newsvendor(price=1.0, cost=0.8, lowest_demand=1500, highest_demand=2500)
"""The stall of Xia's slide 8."""


def day_profit(stall: Newsvendor, order: ArrayLike, demand: ArrayLike) -> Floats:
    """Return the profit of a day, whose demand is known in the evening.

    It is in the unit of `price`; units ordered and wanted broadcast.

    >>> print(day_profit(XIA_STALL, 2000, [1500, 2000, 2500]))
    [-100.  400.  400.]
    """
    ordered, wanted = non_negative("order", order), non_negative("demand", demand)
    return np.asarray(stall.price * np.minimum(ordered, wanted) - stall.cost * ordered)


def expected_profit(stall: Newsvendor, order: float) -> float:
    """Return the mean profit over all demands.

    >>> round(expected_profit(XIA_STALL, 2000), 2), round(expected_profit(XIA_STALL, 1700), 2)
    (274.88, 319.92)
    """
    return float(day_profit(stall, order, stall.demands).mean())


def profit_deviation(stall: Newsvendor, order: float) -> float:
    """Return the standard deviation of a day's profit.

    >>> round(profit_deviation(XIA_STALL, 1500), 1)
    0.0
    """
    return float(day_profit(stall, order, stall.demands).std())


def best_order(stall: Newsvendor) -> int:
    """Return the order with the largest expected profit.

    It is the smallest order that meets the demand with probability (price - cost) / price.

    >>> best_order(XIA_STALL)
    1700
    """
    ratio = (stall.price - stall.cost) / stall.price
    count = stall.highest_demand - stall.lowest_demand + 1
    return stall.lowest_demand + max(0, math.ceil(ratio * count - 1e-9) - 1)


def drawn_profits(
    stall: Newsvendor, order: float, days: int, rng: np.random.Generator, repeats: int = 1
) -> Floats:
    """Draw the profits of simulated days, shape (days, repeats).

    >>> drawn_profits(XIA_STALL, 2000, 100, np.random.default_rng(1)).shape
    (100, 1)
    """
    size = whole("days", days, low=1), whole("repeats", repeats, low=1)
    return day_profit(
        stall, order, rng.integers(stall.lowest_demand, stall.highest_demand + 1, size)
    )
