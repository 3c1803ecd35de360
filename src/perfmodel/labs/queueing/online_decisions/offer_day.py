"""A drawing of one day of offers: the price waited for, what was sold and what hindsight gets."""

from __future__ import annotations

import numpy as np

from perfmodel.labs.queueing.online_decisions.offers import (
    asking_price,
    search_guarantee,
    sold_for,
)
from perfmodel.live.drawing import Box, Line, Scale, Scene, Shape, Text
from perfmodel.units import number
from perfmodel.validation import within

LOW, HIGH = 1.0, 100.0
OFFERS = (3.0, 6.0, 2.5, 9.0, 14.0, 5.0, 20.0, 40.0, 12.0, 1.0)
"""A day that rises to 40 and ends at the least offer."""


def offer_day(caution: float, forecast: float) -> Scene:
    """Draw ten offers, the price waited for, and the offer taken.

    `caution` is lambda, 0 to 1, `forecast` that of the best offer of the day, 1 to 100.

    >>> offer_day(1.0, 40.0).values["sold for"], offer_day(0.5, 40.0).values["sold for"]
    (14.0, 14.0)
    """
    price = float(asking_price(within("forecast", forecast, LOW, HIGH), caution, LOW, HIGH))
    got = float(sold_for(OFFERS, price))
    consistency, robustness = search_guarantee(caution, HIGH / LOW)
    across, up = Scale(0, len(OFFERS), 40, 348), Scale(0, 2, 198, 50)
    shapes: list[Shape] = [*_prices(up)]
    for hour, offer in enumerate(OFFERS):
        top, taken = up(np.log10(offer)), offer == got
        left, width = across(hour) + 4, across(1) - across(0) - 8
        height = max(up(0) - top, 1.0)
        shapes.append(Box(left, up(0) - height, width, height, "", 1, "solid" if taken else "none"))
    line = up(np.log10(price))
    shapes.append(Line([(40, line), (348, line)], 2, "dashed"))
    shapes.append(Text("ten offers in order; solid: sold; dashed: waited for", 348, 216, "end"))
    says = (
        f"Waiting for {number(round(price, 2))}, sold for {number(got)}, where hindsight gets "
        f"{max(OFFERS):g}: {max(OFFERS) / got:.3g} times as much. At most {consistency:.3g} times "
        f"if the forecast is right, {robustness:.3g} if it isn't."
    )
    values = {"price waited for": price, "sold for": got, "best offer": max(OFFERS)}
    return Scene(232, shapes, says, values)


def _prices(up: Scale) -> list[Shape]:
    shapes: list[Shape] = [Text("offer (log scale)", 40, 20, "start")]
    for exponent in (0, 1, 2):
        at = up(exponent)
        shapes.append(Text(str(10**exponent), 34, at, "end"))
        shapes.append(Line([(40, at), (348, at)], 0, "thin"))
    return shapes
