"""Numbers, units and times as short texts, and printed amounts back as numbers.

>>> prefixed(3.2e9, "bytes/s"), prefixed(0.0151, "s"), number(12345.0)
('3.2 Gbytes/s', '15.1 ms', '12,345')
>>> amount("15.10 ms").value
0.0151
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from math import floor, isfinite, log10

SPACE = "\u00a0"
"""Between a number and its unit: a line doesn't break there."""
_PREFIXES = {-9: "n", -6: "µ", -3: "m", 0: "", 3: "k", 6: "M", 9: "G", 12: "T", 15: "P", 18: "E"}
_SCALES = {
    **{prefix: 10.0**power for power, prefix in _PREFIXES.items()},
    **{f"{letter}i": 1024.0 ** (1 + i) for i, letter in enumerate("KMGT")},
    "u": 1e-6,
    "K": 1e3,
}
_BASES = {"s": "s", "B": "bytes", "bytes": "bytes", "FLOP": "FLOP", "OP": "OP", "W": "W"}
_BASES |= {"J": "J", "Hz": "1/s", "Wh": "J"}
_OTHERS = {"%": (0.01, "1"), "min": (60.0, "s"), "h": (3600.0, "s"), "d": (86400.0, "s")}
_HOUR = 3600.0
_COUNTED = ("bit", "byte", "cycle", "site", "transaction", "word")


def number(value: float) -> str:
    """Return `value` as a short text for a tick or a table.

    >>> [number(v) for v in (0.25, 3.0, 1024, 2e6, 1e-5, 12.3456)]
    ['0.25', '3', '1,024', '2×10⁶', '10⁻⁵', '12.35']
    """
    if not isfinite(value):
        return f"{value:g}"
    if value == 0 or 1e-3 <= abs(value) < 1e5:
        text = f"{value:,.4g}" if abs(value) < 1e4 else f"{value:,.0f}"
        return f"{round(value):,}" if float(value).is_integer() else text
    return power(value)


def percent(fraction: float) -> str:
    """Return a fraction in whole percent, with more digits where these would say none or all.

    >>> percent(0.125), percent(0.997), percent(1.0), percent(0.0004), percent(0.9999)
    ('12 %', '99.7 %', '100 %', '0.04 %', '99.99 %')
    """
    if 0 < fraction < 0.005:
        return f"{100 * fraction:.1g} %"
    if fraction > 1 - 1e-9:
        return f"{100 * fraction:.0f} %"
    texts = [f"{100 * fraction:.{digits}f}" for digits in (0, 1, 2)]
    return next((text for text in texts if float(text) < 100), "99.99") + " %"


def power(value: float) -> str:
    """Return `value` with a power of ten unless it is short without.

    >>> power(20.0), power(3e-7)
    ('20', '3×10⁻⁷')
    """
    if 0.01 <= value <= 1000:
        return f"{value:,g}"
    mantissa, exponent = f"{value:.2e}".split("e")
    raised = "10" + str(int(exponent)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    mantissa = mantissa.rstrip("0").rstrip(".")
    return raised if mantissa == "1" else f"{mantissa}×{raised}"


def with_unit(value: float | str, unit: str) -> str:
    """Return a value with its unit, a counted one in the plural unless it is one.

    >>> [with_unit(*v).replace(SPACE, " ") for v in ((5.0, "cycle"), (1.0, "bytes"), (3.0, "1"))]
    ['5 cycles', '1 byte', '3']
    """
    text = value if isinstance(value, str) else number(float(value))
    if unit.removesuffix("s") in _COUNTED:
        unit = unit.removesuffix("s") + "s" * (text != "1")
    return text if unit in ("", "1") else f"{text}{SPACE}{unit}"


def prefixed(value: float, unit: str, digits: int = 3) -> str:
    """Return `value`, in the SI unit named, with the prefix that leaves 1 to 999 before it.

    `unit`: an SI unit that takes prefixes: s, bytes, bytes/s, FLOP/s, W, J. `digits`: how many
    significant digits are shown. A value that is 0 or not finite gets no prefix.

    >>> prefixed(2.5e-7, "s"), prefixed(0.0, "J"), prefixed(999.96, "W")
    ('250 ns', '0 J', '1 kW')
    """
    if value == 0 or not isfinite(value):
        return f"{value:g} {unit}"
    rounded = float(f"{value:.{digits}g}")
    exponent = 3 * floor(log10(abs(rounded)) / 3)
    exponent = min(max(exponent, min(_PREFIXES)), max(_PREFIXES))
    return f"{rounded / 10.0**exponent:.{digits}g} {_PREFIXES[exponent]}{unit}"


@dataclass(frozen=True)
class Amount:
    """A number as a page prints it, with its unit."""

    value: float
    """In the SI unit."""
    unit: str
    """The SI unit, `1` for a ratio."""
    half_unit: float
    """Half a unit of the last digit printed, in the SI unit."""
    scale: float
    """How many SI units make one printed unit."""
    printed_unit: str
    decimals: int
    """Digits printed after the point; below 0 where the last one stands for tens or more."""


_NUMBER = r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d*\.?\d+)"
"""Digits with or without a point, or with commas between thousands."""


def amount(printed: str) -> Amount:
    """Return what a printed number with its unit amounts to.

    `printed`: such as "853", "15.10 ms", "38.38 %", "222e3" or "1,015,701 h". Prefixes are
    understood of seconds, bytes, FLOP, OP, W, J and Wh, also per something; hours, minutes, days
    and per cent are; any other unit is kept as it is. Raises `ValueError` if it doesn't begin with
    a finite number; a comma stands between thousands alone.

    >>> shown = amount("38.38 %")
    >>> shown.value, shown.unit, shown.half_unit
    (0.3838, '1', 5e-05)
    >>> amount("900 GB/s").value, amount("853").half_unit
    (900000000000.0, 0.5)
    """
    match = re.fullmatch(rf"([-+]?{_NUMBER}(?:e[-+]?\d+)?)(?:[ \u00a0](\S.*))?", printed)
    if match is None:
        raise ValueError(f'printed must be a number with or without a unit, got "{printed}"')
    digits = Decimal(match[1].replace(",", ""))
    scale, unit = _unit(match[2] or "1")
    last = int(digits.as_tuple().exponent)
    exact = Decimal(repr(scale))
    half = float(Decimal(5) * Decimal(10) ** (last - 1) * exact)
    return Amount(float(digits * exact), unit, half, scale, match[2] or "1", -last)


def _unit(printed: str) -> tuple[float, str]:
    """Return the scale of a printed unit and its SI unit."""
    if printed in _OTHERS:
        return _OTHERS[printed]
    name, slash, per = printed.partition("/")
    for base, unit in _BASES.items():
        prefix = name.removesuffix(base)
        if name.endswith(base) and prefix in _SCALES:
            scale = _SCALES[prefix] * (_HOUR if base == "Wh" else 1.0)
            return scale, unit + slash + per
    return 1.0, printed
