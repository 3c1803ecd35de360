"""Units as the headers of tables write them.

>>> split_header("wait [ms]"), split_header("took_us"), split_header("users")
(('wait', 'ms'), ('took', 'us'), ('users', ''))
"""

from __future__ import annotations

import re

from perfmodel.units import amount

_WORDS = {"seconds": "s", "sec": "s", "secs": "s", "second": "s", "us": "µs", "bytes": "B"}
_WORDS |= {"milliseconds": "ms", "microseconds": "µs", "nanoseconds": "ns", "minutes": "min"}
_RATES = dict.fromkeys(("1/s", "/s", "req/s", "requests/s", "rps", "qps", "tps", "jobs/s"), 1.0)
_RATES |= dict.fromkeys(("1/min", "req/min", "requests/min", "rpm"), 1 / 60)
_RATES |= dict.fromkeys(("1/h", "req/h", "requests/h"), 1 / 3600)
_SUFFIXES = {"s", "ms", "us", "ns", "min", "rps", "qps", "tps", *_WORDS}
_EXAMPLES = {"s": "ms", "bytes": "MB"}


def split_header(header: str) -> tuple[str, str]:
    """Return a header's name and the unit that it states, empty if it states none."""
    text = header.strip()
    if found := re.fullmatch(r"(.*\S)\s*[\[(]([^\])]+)[\])]", text):
        return found[1], found[2].strip()
    name, line, unit = text.rpartition("_")
    if line and unit in _SUFFIXES:
        return name, unit
    word = text.lower()
    return text, word if word in _RATES else _WORDS.get(word, "")


def scale_of(unit: str) -> tuple[float, str]:
    """Return how many SI units make one of `unit`, and the SI unit.

    >>> scale_of("ms"), scale_of("rps"), scale_of("parsec")
    ((0.001, 's'), (1.0, '1/s'), (1.0, 'parsec'))
    """
    if unit in _RATES:
        return _RATES[unit], "1/s"
    shown = amount(f"1 {_WORDS.get(unit, unit)}")
    return shown.scale, shown.unit


def example_unit(kind: str) -> str:
    """Return a unit to show to a reader who must name one of the SI unit `kind`."""
    return _EXAMPLES.get(kind, kind)
