"""One sale, offers that come one by one, and a forecast of the best: how far to trust it.

Without a forecast the geometric mean of the extremes is the best price to wait for; with one, a
caution between 0 and 1 trades consistency for robustness.

Sources: M. Hajiesmaili, talk at TeaPACS 2023 (slides); B. Sun, R. Lee, M. Hajiesmaili,
A. Wierman, D. Tsang, "Pareto-optimal learning-augmented algorithms for online conversion problems",
NeurIPS 2021; R. El-Yaniv, A. Fiat, R. M. Karp, G. Turpin, Algorithmica 30(1), 2001.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.labs.queueing.online_decisions.admission import value_ratio
from perfmodel.live.drawing import Box, Line, Scale, Scene, Shape, Text
from perfmodel.units import number
from perfmodel.validation import Floats, at_least, finite, non_negative, whole, within


class Guarantee(NamedTuple):
    """The largest ratio of hindsight's income to the policy's income; 1 or more."""

    consistency: Floats
    """When the forecast is right: eta."""
    robustness: Floats
    """Whatever the forecast: gamma."""


def search_guarantee(caution: ArrayLike, theta: ArrayLike) -> Guarantee:
    """Return what a cautious use of a forecast guarantees in one-max search.

    At a caution lambda of 0 the forecast is followed blindly, at 1 it isn't used; `theta` is the
    largest over the least offer. The product of the two is theta: no policy has less of both.

    >>> consistency, robustness = search_guarantee([0.1, 0.5, 1.0], 100)
    >>> print(robustness.round(2), consistency.round(3))
    [27.44 13.65 10.  ] [ 3.644  7.325 10.   ]
    """
    weight, ratio = within("caution", caution, 0, 1), at_least("theta", theta, 1)
    rest = 1 - weight
    robustness = 2 * ratio / (np.sqrt(rest**2 + 4 * weight * ratio) + rest)
    return Guarantee(np.asarray(ratio / robustness), np.asarray(robustness))


def asking_price(forecast: ArrayLike, caution: float, low: float, high: float) -> Floats:
    """Return the price to wait for.

    It is max(L eta, lambda L gamma + (1 - lambda) P / eta) for a forecast P of the best offer: from
    L eta for low forecasts to L gamma for P = U.

    >>> print(asking_price([1, 40, 100], 0.5, 1, 100).round(2))
    [ 7.33  9.56 13.65]
    >>> print(asking_price([1, 20, 90], 1.0, 1, 100))
    [10. 10. 10.]
    """
    theta = value_ratio(low, high)
    eta, gamma = search_guarantee(caution, theta)
    best = within("forecast", forecast, low, high)
    return np.maximum(low * eta, caution * low * gamma + (1 - caution) * best / eta)


def sold_for(offers: ArrayLike, asking: ArrayLike) -> Floats:
    """Return the first offer that reaches the asking price, or the last one if none does.

    `offers` have shape (..., n), in the order in which they come, `asking` has shape (...).

    >>> print(sold_for([[3, 8, 9, 1], [3, 4, 2, 1]], [7, 7]))
    [8. 1.]
    """
    prices = finite("offers", offers)
    reached = prices >= finite("asking", asking)[..., None]
    reached[..., -1] = True
    first = reached.argmax(axis=-1)
    return np.asarray(np.take_along_axis(prices, first[..., None], axis=-1)[..., 0])


def drawn_offers(
    days: int, offers: int, low: float, high: float, rng: np.random.Generator
) -> Floats:
    """Draw days of offers; each day has a ceiling of its own, and the last offer is the least.

    The shape is (days, offers); ceilings and offers are uniform on a log scale.

    >>> drawn_offers(2, 24, 1, 100, np.random.default_rng(1)).shape
    (2, 24)
    """
    theta, size = value_ratio(low, high), (whole("days", days, 1), whole("offers", offers, 2))
    ceiling = rng.uniform(size=(size[0], 1))
    prices = low * theta ** (ceiling * rng.uniform(size=size))
    prices[:, -1] = low
    return np.asarray(prices)


def drawn_forecasts(
    best: ArrayLike, error: float, low: float, high: float, rng: np.random.Generator
) -> Floats:
    """Draw forecasts that are off by a random factor, within the range of offers.

    `error` is the standard deviation of the logarithm of the factor.

    >>> print(drawn_forecasts([4.0, 50.0], 0.0, 1, 100, np.random.default_rng(1)))
    [ 4. 50.]
    """
    value_ratio(low, high)
    truth = within("best", best, low, high)
    factor = np.exp(float(non_negative("error", error)) * rng.normal(size=truth.shape))
    return np.clip(truth * factor, low, high)


LOW, HIGH = 1.0, 100.0
OFFERS = (3.0, 6.0, 2.5, 9.0, 14.0, 5.0, 20.0, 40.0, 12.0, 1.0)
"""A day that rises to 40 and ends at the least offer."""


def offer_day(caution: float, forecast: float) -> Scene:
    """Draw ten offers, the price waited for, and the offer taken.

    `caution` is lambda, 0 to 1; `forecast` is a forecast of the day's best offer, 1 to 100.

    >>> offer_day(1.0, 40.0).values["sold for"], offer_day(0.5, 40.0).values["sold for"]
    (14.0, 14.0)
    """
    price = float(asking_price(within("forecast", forecast, LOW, HIGH), caution, LOW, HIGH))
    got = float(sold_for(OFFERS, price))
    consistency, robustness = search_guarantee(caution, HIGH / LOW)
    across, up = Scale(0, len(OFFERS), 40, 348), Scale(0, 2, 198, 50)
    shapes: list[Shape] = [*_prices(up)]
    for hour, offer in enumerate(OFFERS):
        top, is_sold = up(np.log10(offer)), offer == got
        x, width = across(hour) + 4, across(1) - across(0) - 8
        height = max(up(0) - top, 1.0)
        shapes.append(Box(x, up(0) - height, width, height, "", 1, "solid" if is_sold else "none"))
    line = up(np.log10(price))
    shapes.append(Line([(40, line), (348, line)], 2, "dashed"))
    shapes.append(Text("ten offers in order; solid: sold; dashed: the price", 348, 216, "end"))
    says = (
        f"You wait for {number(round(price, 2))} and sell for {number(got)}, and hindsight gets "
        f"{max(OFFERS) / got:.3g} times as much. The guaranteed ratio is {consistency:.3g} with a "
        f"right forecast and {robustness:.3g} with any forecast."
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
