"""Percentiles by the rule that each tool follows: the same word for different numbers.

Most rules pick one request: they differ in its rank in ascending order. The nine types of R, after
Hyndman and Fan (The American Statistician 50(4), 1996), are here under the names that NumPy gives
them. A rule that no type matches has none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil, floor

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import Floats, one_number, one_of, sample, whole, within

_WHOLE = 1e-9
"""A rank so near to a whole number is that number: 0.29 of 100 values are 29."""


def _part(percent: float, count: int) -> float:
    """Return how many of `count` values are `percent` of them, whole where only rounding differs.

    >>> _part(29, 100), _part(50, 3)
    (29, 1.5)
    """
    part = percent * count / 100
    return round(part) if abs(part - round(part)) < _WHOLE else part


@dataclass(frozen=True)
class PercentileRule:
    """How a tool chooses a percentile among `count` values in ascending order."""

    name: str
    words: str
    """The rule in a sentence."""
    rank: Callable[[float, int], int] | None = None
    """The rank, from 1, for a percentage and a count; None for a rule that interpolates."""
    position: Callable[[float, int], float] | None = None
    """Where a rule that interpolates stands between ranks, ends included; None for one that picks.
    """
    r_type: int | None = None
    """The one of R's types that it is, if any."""

    def of(self, values: Floats, percent: float) -> float:
        """Return the percentile of `values` in ascending order at `percent`.

        Raises `ValueError` if the rule points at no value.
        """
        if self.position is not None:
            ranks = np.arange(1.0, values.size + 1)
            return float(np.interp(self.position(percent, values.size), ranks, values))
        assert self.rank is not None
        rank = self.rank(percent, values.size)
        if not 1 <= rank <= values.size:
            raise ValueError(
                f"percent must point at one of {values.size} values by the rule {self.name}, "
                f"got {percent:g}, which asks for the value {rank}"
            )
        return float(values[rank - 1])


def _reached(percent: float, count: int) -> int:
    return max(ceil(_part(percent, count)), 1)


def _above(percent: float, count: int) -> int:
    return min(floor(_part(percent, count)) + 1, count)


def _middle_of_a_tie(percent: float, count: int) -> float:
    part = _part(percent, count)
    return part + 0.5 if part == floor(part) else ceil(part)


def _linear(percent: float, count: int) -> float:
    return 1 + _part(percent, count - 1)


def ab_file_rank(percent: float, count: int) -> int:
    """Return the rank of a row of ab's file of percentiles: beyond `count` it is of no request.

    >>> ab_file_rank(97, 20), ab_file_rank(98, 20), ab_file_rank(100, 20)
    (20, 21, 20)
    """
    return count if percent >= 100 else floor(_part(percent, count) + 0.5) + 1


_MORE_THAN = "the first value that more than p % of the values do not exceed"
_INTERPOLATING: Mapping[str, Callable[[float, int], float]] = {
    "averaged_inverted_cdf": _middle_of_a_tie,
    "closest_observation": lambda percent, count: round(_part(percent, count)),
    "interpolated_inverted_cdf": _part,
    "hazen": lambda percent, count: _part(percent, count) + 1 / 2,
    "weibull": lambda percent, count: _part(percent, count + 1),
    "linear": _linear,
    "median_unbiased": lambda percent, count: _part(percent, count) + (percent / 100 + 1) / 3,
    "normal_unbiased": lambda percent, count: _part(percent, count) + percent / 400 + 3 / 8,
}
"""Positions of R's types 2 to 9 by NumPy's names; a position beyond an end is that end."""
_RULES = [
    PercentileRule(
        "R-1", "the first value that p % of the values do not exceed", _reached, r_type=1
    ),
    *(
        PercentileRule(f"R-{kind}", f"R's type {kind}, NumPy's {method}", None, position, kind)
        for kind, (method, position) in enumerate(_INTERPOLATING.items(), 2)
    ),
    PercentileRule("numpy", "linear between two values", None, _linear, 7),
    PercentileRule("ab", _MORE_THAN, _above),
    PercentileRule(
        "ab-file",
        "the value after the rounded share; beyond the last one near 100 %",
        ab_file_rank,
    ),
    PercentileRule("loadtest", f"{_MORE_THAN}, of times cut to whole ms", _above),
    PercentileRule("wrk", f"{_MORE_THAN}, of corrected times", _above),
    PercentileRule("locust", f"{_MORE_THAN}, of times rounded to two digits", _above),
    PercentileRule(
        "hey",
        "the value after the share, rounded up; none near 100 %",
        lambda percent, count: ceil(_part(percent, count)) + 1,
    ),
    PercentileRule("autocannon", "R's type 1, of times cut to whole ms", _reached, r_type=1),
    PercentileRule("hdrhistogram-js", "R's type 1, of buckets", _reached, r_type=1),
    PercentileRule(
        "hdrhistogram-python",
        "the nearest rank, halves upwards, at least 1, of buckets",
        lambda percent, count: max(floor(_part(percent, count) + 0.5), 1),
    ),
    PercentileRule(
        "ddsketch",
        "the value below R's type 7",
        lambda percent, count: floor(_part(percent, count - 1)) + 1,
    ),
    PercentileRule(
        "influxql",
        "the nearest rank; none below half a rank",
        lambda percent, count: floor(_part(percent, count) + 0.5),
    ),
]
PERCENTILE_RULES: Mapping[str, PercentileRule] = {rule.name: rule for rule in _RULES}
"""Rules by name: R's nine types, NumPy's default, and those of tools."""


def percentile_rule(name: str) -> PercentileRule:
    """Return the rule called `name`, one of `PERCENTILE_RULES`.

    >>> percentile_rule("hey").r_type is None, percentile_rule("numpy").r_type
    (True, 7)
    """
    return PERCENTILE_RULES[one_of("name", name, PERCENTILE_RULES)]


def percentile(values: ArrayLike, percent: float, rule: str = "R-7") -> float:
    """Return a percentile by the rule of a tool, in the values' unit, before the tool rounds it.

    The `values` come in any order, `percent` goes from 0 to 100, and the `rule` is one of
    `PERCENTILE_RULES`. Raises `ValueError` if the rule points at no value, as hey's does for 99 %
    of fewer than 100.

    Examples
    --------
    >>> [percentile(range(1, 21), 95, rule) for rule in ("R-1", "R-7", "ab", "ddsketch")]
    [19.0, 19.05, 20.0, 19.0]
    """
    ordered = np.sort(sample("values", values))
    return percentile_rule(rule).of(ordered, one_number("percent", percent, _percent))


def _percent(name: str, value: ArrayLike) -> Floats:
    return within(name, value, 0, 100)


def convert_percentile(
    rows: Mapping[float, float], count: int, rule: str, percent: float, wanted: str = "R-7"
) -> tuple[float, float]:
    """Return between which values a percentile by another rule lies, from a report's rows.

    A row holds the value of one rank. The percentile lies between the closest rows of lower and of
    higher rank. Both are equal if a row has exactly this rank. Raises `ValueError` if the report's
    rule picks no rank, or no row lies below or above.

    Parameters
    ----------
    rows : mapping of float to float
        The report's percentiles by percentage. Include 0 or 100 only where they are the shortest
        and the longest time.
    count : int
        How many requests the report is of.
    rule : str
        The report's rule, one that picks a rank.
    percent : float
        The percentage wanted, from 0 to 100.
    wanted : str
        The rule wanted.

    Examples
    --------
    Of 20 requests, ab's row 90 % holds the 19th, and so does R's type 1 at 95 %:

    >>> convert_percentile({50: 21.0, 90: 180.0, 95: 201.0, 100: 201.0}, 20, "ab", 95, "R-1")
    (180.0, 180.0)
    """
    size = whole("count", count, low=1)
    kept = percentile_rule(rule)
    if kept.rank is None:
        raise ValueError(f"rule must pick a rank, got {rule!r}, which interpolates")
    at = one_number("percent", percent, _percent)
    ranks = np.arange(1.0, size + 1)
    target = percentile_rule(wanted).of(ranks, at)
    known = {kept.rank(p, size): float(value) for p, value in rows.items()}
    below = [rank for rank in known if rank <= target + _WHOLE]
    above = [rank for rank in known if rank >= target - _WHOLE and rank <= size]
    if not below or not above:
        side = "below" if not below else "above"
        raise ValueError(
            f"rows must bound {at:g} % by {wanted} (rank {target:g} of {size}), got none {side}"
        )
    return known[max(below)], known[min(above)]
