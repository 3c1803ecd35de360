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
            "That is the mean demand. What is left over costs `cost` each, what is missing only "
            "`price - cost`: they weigh the same only if the price is twice the cost.",
        ),
        Mistake(
            "cost over price",
            lambda price, cost, low, high: low + cost / price * (high - low),
            "That meets the demand with the probability `cost / price`: the more a unit costs, the "
            "more you would order. It is the other part.",
        ),
        Mistake(
            "share of the largest",
            lambda price, cost, low, high: (price - cost) / price * high,
            "The share is right, but demands start at `low`: a share of the demands lies below, "
            "not a share of the largest one.",
        ),
        Mistake(
            "margin over cost",
            lambda price, cost, low, high: low + (price - cost) / cost * (high - low),
            "That divides by the cost. One more unit is sold with probability P, and P times the "
            "price must cover the cost.",
        ),
    ],
    hint="The last unit is sold with the probability (high - q) / (high - low). Order as long as "
    "that, times the price, is above the cost.",
    right="The order depends on the tail of the demand and on prices, not on the mean demand. With "
    "a price of three times the cost you order two thirds of the way up.",
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
            "If all offers stay just below, you sell for `low` what was worth half of `high`. If "
            "you take the middle and `high` comes, you lose a factor of 2 only. Balance them.",
        ),
        Mistake(
            "harmonic mean",
            lambda low, high: 2 * low * high / (low + high),
            "Below twice the least offer: if `high` comes next, you lose nearly all of the ratio.",
        ),
        Mistake(
            "ratio",
            lambda low, high: (high / low) ** 0.5,
            "That is the ratio that you can guarantee. Asked for is the price.",
        ),
    ],
    hint="Waiting for p, you lose at most the ratio p / low (nothing reaches p) or high / p (you "
    "took p and high came). Make them equal.",
    right="The geometric mean: both mistakes cost the square root of high / low, 10 for offers "
    "from 1 to 100. Nothing is assumed on how offers come.",
)

warm_for = Task(
    "How long to stay warm",
    reference=lambda forecast, caution, cold: caution * cold if forecast > cold else cold / caution,
    cases=[(500.0, 0.5, 60.0), (10.0, 0.5, 60.0), (61.0, 1.0, 60.0), (30.0, 0.2, 5.0)],
    mistakes=[
        Mistake(
            "without a forecast",
            lambda forecast, caution, cold: cold,
            "That doesn't use the forecast at all: at most twice the cost of hindsight, and often "
            "just that.",
        ),
        Mistake(
            "swapped",
            lambda forecast, caution, cold: cold / caution if forecast > cold else caution * cold,
            "You keep the server longer if the next request is forecast to be far away.",
        ),
        Mistake(
            "blind",
            lambda forecast, caution, cold: 0.0 if forecast > cold else forecast,
            "That follows the forecast blindly: let go at once, or wait for the instant that was "
            "named. A little off, and you pay both the wait and the cold start.",
        ),
    ],
    hint="If a gap longer than a cold start is forecast, let go earlier than after `cold`; if a "
    "shorter one, later. `caution` is between 0 and 1: multiply in one case, divide in the other.",
    right="Caution 1 is the policy without a forecast. With 0.5 a right forecast costs at most 1.5 "
    "times what hindsight does, and a wrong one 3 times instead of 2.",
    unit="s",
)
