"""Which counts can stand behind a printed percentage: a check that needs a pencil.

A share of n problems is a whole number over n, so that few percentages can occur. One that can't
says that n is another number, or that the value is no such share. Psychologists know the check as
GRIM: N. J. L. Brown and J. A. J. Heathers, "The GRIM test", Social Psychological and Personality
Science 8(4), 2017.
"""

from __future__ import annotations

from math import ceil, floor

from perfmodel.validation import whole, within


def counts_behind(percent: float, tasks: int, decimals: int = 2) -> list[int]:
    """Return the whole numbers of tasks whose share prints as a percentage.

    Printed with `decimals` digits after the point; empty where no count prints so.

    >>> counts_behind(33.3, 3, 1), counts_behind(33.3, 10, 1)
    ([1], [])
    """
    share, count = float(within("percent", percent, 0, 100)), whole("tasks", tasks, 1)
    half = 0.5 * 10.0 ** -whole("decimals", decimals)
    low = ceil((share - half) / 100 * count - 1e-9)
    high = floor((share + half) / 100 * count + 1e-9)
    return list(range(max(low, 0), min(high, count) + 1))


def sizes_behind(percent: float, sizes: range, decimals: int = 2) -> list[tuple[int, int]]:
    """Return the sizes of a suite that a percentage fits, each with its count.

    >>> sizes_behind(46.97, range(390, 399))
    [(396, 186)]
    """
    found = ((size, counts_behind(percent, size, decimals)) for size in sizes)
    return [(size, count) for size, counts in found for count in counts]
