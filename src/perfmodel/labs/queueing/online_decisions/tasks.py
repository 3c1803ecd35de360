"""What the reader does: an order, a price to wait for, and a time to stay warm."""

from __future__ import annotations

from perfmodel.tasks import Mistake, Task

order_of_machines = Task(
    "How many machines to reserve",
    reference=lambda price, cost, low, high: low + (price - cost) / price * (high - low),
    cases=[(1.0, 0.8, 1500.0, 2500.0), (3.0, 1.0, 40.0, 100.0), (10.0, 1.0, 0.0, 50.0)],
    mistakes=[
        Mistake(
            "mean demand",
            lambda price, cost, low, high: (low + high) / 2,
            "You ordered the mean demand. A unit left over costs `cost`, and a missing unit costs "
            "`price - cost`. These are equal only if the price is twice the cost.",
        ),
        Mistake(
            "cost over price",
            lambda price, cost, low, high: low + cost / price * (high - low),
            "Your order covers the demand with probability `cost / price`, so it grows with the "
            "cost. Use the other part, `(price - cost) / price`.",
        ),
        Mistake(
            "share of the largest",
            lambda price, cost, low, high: (price - cost) / price * high,
            "The fraction is right, but demands start at `low`. Take the fraction of the range, "
            "not of the largest demand.",
        ),
        Mistake(
            "margin over cost",
            lambda price, cost, low, high: low + (price - cost) / cost * (high - low),
            "You divided by the cost. One more unit is sold with probability P, and P times the "
            "price must cover the cost.",
        ),
    ],
    hint="The last unit is sold with the probability (high - q) / (high - low). Order as long as "
    "the price times this probability is above the cost.",
    right="The order depends on the prices and on the distribution of the demand, not on its mean "
    "alone. At a price of three times the cost, you cover the demand on two thirds of the days.",
    unit="units",
)

price_without_forecast = Task(
    "A price to wait for, without a forecast",
    reference=lambda low, high: (low * high) ** 0.5,
    cases=[(1.0, 100.0), (4.0, 9.0), (10.0, 1000.0)],
    mistakes=[
        Mistake(
            "middle",
            lambda low, high: (low + high) / 2,
            "If all offers stay just below the middle, you get only `low`. If you accept the "
            "middle and `high` comes later, you lose only a factor of 2. Balance the two.",
        ),
        Mistake(
            "harmonic mean",
            lambda low, high: 2 * low * high / (low + high),
            "This price is below twice the lowest offer. If `high` comes later, the ratio is "
            "large.",
        ),
        Mistake(
            "ratio",
            lambda low, high: (high / low) ** 0.5,
            "You computed the ratio that you can guarantee. The task asks for the price.",
        ),
    ],
    hint="Suppose you wait for p. If no offer reaches p, the ratio is at most p / low. If you "
    "accept p and `high` comes later, it is high / p. Make them equal.",
    right="The geometric mean makes both ratios equal, 10 for offers from 1 to 100. You need no "
    "assumption on how offers come.",
)

warm_for = Task(
    "How long to stay warm",
    reference=lambda forecast, caution, cold: caution * cold if forecast > cold else cold / caution,
    cases=[(500.0, 0.5, 60.0), (10.0, 0.5, 60.0), (61.0, 1.0, 60.0), (30.0, 0.2, 5.0)],
    mistakes=[
        Mistake(
            "without a forecast",
            lambda forecast, caution, cold: cold,
            "You didn't use the forecast. This costs up to twice as much as hindsight.",
        ),
        Mistake(
            "swapped",
            lambda forecast, caution, cold: cold / caution if forecast > cold else caution * cold,
            "You keep the server longer if the next request is forecast to be far away.",
        ),
        Mistake(
            "blind",
            lambda forecast, caution, cold: 0.0 if forecast > cold else forecast,
            "You followed the forecast blindly. If it is a little too short, you pay both the wait "
            "and the cold start.",
        ),
    ],
    hint="If the forecast gap is longer than `cold`, let go earlier than after `cold`. Otherwise "
    "let go later. `caution` is between 0 and 1: multiply in one case, divide in the other.",
    right="Caution 1 is the policy without a forecast. At caution 0.5 you pay at most 1.5 times as "
    "much as hindsight with a right forecast, and at most 3 times with a wrong forecast.",
    unit="s",
)
