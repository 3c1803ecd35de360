"""A hundred simulated days at a newsstand, from a talk, compared with the exact values."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from perfmodel.labs.queueing.online_decisions.newsvendor import (
    XIA_STALL,
    Newsvendor,
    day_profit,
    expected_profit,
    profit_deviation,
)
from perfmodel.ledger import Sheet, recomputed

DAYS, ORDER = 100, 2000
PRINTED_DEVIATION = 158.0


def deviation_error(stall: Newsvendor, order: float, days: int) -> float:
    """Return the standard error of a deviation that is estimated from this many days."""
    profits = day_profit(stall, order, stall.demands)
    fourth = float(np.mean((profits - profits.mean()) ** 4))
    variance = float(profits.var())
    return math.sqrt((fourth - variance**2) / (4 * variance * days))


SHEET = Sheet(
    "C. Xia, talk at TeaPACS 2021 (slides), reported in V. de Nitto Personè and Y. C. Tay, ACM "
    "SIGMETRICS Performance Evaluation Review 49(4), 2022",
    [
        recomputed(
            "mean profit of a day, 2,000 ordered, price 1, cost 0.8, demand 1,500 to 2,500, "
            "against 100 simulated days",
            "283",
            "slides 8-11",
            partial(expected_profit, XIA_STALL, ORDER),
            standard_error=PRINTED_DEVIATION / math.sqrt(DAYS),
        ),
        recomputed(
            "standard deviation of a day's profit, same stall, against 100 simulated days",
            "158",
            "slides 8-11",
            partial(profit_deviation, XIA_STALL, ORDER),
            standard_error=deviation_error(XIA_STALL, ORDER, DAYS),
        ),
    ],
    unheld="The interval (252, 314) follows from these two numbers and the number of days. The "
    "competitive ratios that M. Hajiesmaili showed at TeaPACS 2023 are formulas without values. "
    "The tests compare the policies with them on their worst inputs.",
)
