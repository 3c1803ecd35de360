"""Recorded outputs compared with those of another machine: as nbval does, but for rounding.

Processors differ in the last bits of a sum, by their vector registers and the library kernels
that fit these. So a number printed to three digits may differ by one in the last, and a curve
by a hundredth of the drawing. Words, counts and everything else must be the same.

A cell whose numbers depend on near ties, such as which of two equally good cuts a regression tree
takes or which of two equal promises a search follows, is tagged `ties`: its numbers may differ by
an eighth, and its curves aren't compared.

pytest loads this module as a plugin (`-p perfcourse.book.comparison`). It also starts a notebook's
kernel again if it died before its first reply, as nbval 0.11 does not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

ZERO = 1e-9
"""Numbers below are what rounding leaves of nothing; so is such a share of a number."""
PIXELS = 2
"""How far a coordinate of a drawing 360 or more wide may be off."""
TIES = "ties"
SHARE = 1 / 8
"""How far a number of a cell tagged `ties` may be off, relative to the larger."""
TIED_PIXELS = 40
"""How far a coordinate of such a cell may be off that stands in no curve."""
STARTS = 3
"""How often a kernel is started that dies before its first reply."""
_PATH = r"[Mm]-?\d[\d\s.,\-lLhHvVaAzZmMcC]*"
_DRAWN = re.compile(_PATH + r"|<(?!/)[^<>]*>")
"""A path, on its own or in a script; or a tag with its attributes."""
_NUMBER = re.compile(r"(?<!\d)-?\d+(?:,\d{3})*(?:\.\d+)?(?:e[+-]?\d+|×10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?")
_STATES = re.compile(r'(?<=<script type="application/json">){"texts":.*?}(?=</script>)')
"""What a live figure shows by its sliders: texts, each once, and which of them each state has."""
_ID = re.compile(r"(?<=\bid=\"live-)[0-9a-f]{10}")
"""A figure's name is a hash of all that it holds."""
_POWERS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


class Recorded(str):
    """An output that equals another one which differs from it by rounding only.

    >>> Recorded("1.234 of 7 s") == Recorded("1.235 of 7 s")
    True
    >>> Recorded("1.234 of 7 s") == Recorded("1.234 of 8 s")
    False
    """

    ties: bool
    __slots__ = ("ties",)
    __hash__ = str.__hash__

    def __new__(cls, text: str, ties: bool = False) -> Recorded:
        """Make one of `text`; with `ties` its numbers may differ by an eighth."""
        recorded = super().__new__(cls, text)
        recorded.ties = ties
        return recorded

    def __eq__(self, other: object) -> bool:
        """Return whether two outputs are the same but for rounding."""
        return isinstance(other, str) and (str.__eq__(self, other) or same(self, other, self.ties))

    def __ne__(self, other: object) -> bool:
        """Return whether two outputs differ by more than rounding."""
        return not self == other


def same(recorded: str, computed: str, ties: bool = False) -> bool:
    """Return whether two outputs have the same words, and numbers that rounding can explain.

    Both are text, HTML or SVG. With `ties`, numbers may differ by `SHARE` and coordinates by
    `TIED_PIXELS`.

    >>> same('<path d="M435 148a7 7">', '<path d="M437 148a7 7">')
    True
    >>> same("11.7 (0.97)", "10.9 (0.97)"), same("11.7 (0.97)", "10.9 (0.97)", ties=True)
    (False, True)
    >>> same("8.44×10⁻¹⁶", "6.27×10⁻¹⁶")
    True
    """
    recorded, computed = _spelt_alike(recorded, ties), _spelt_alike(computed, ties)
    if _NUMBER.sub("0", recorded) != _NUMBER.sub("0", computed):
        return False
    pairs = zip(_numbers(recorded), _numbers(computed), strict=True)
    return all(_near(one, other, drawn, ties) for (one, drawn), (other, _) in pairs)


def _spelt_alike(text: str, ties: bool) -> str:
    """Leave out the figure's name and, with ties, its paths; a minus sign gets its space.

    The texts of a live figure are written out state by state: two of them may be the same on one
    processor and differ by a pixel on another.
    """
    text = _STATES.sub(_written_out, text)
    for name in set(_ID.findall(text)):
        text = text.replace(name, "ID")
    return re.sub(_PATH, "M" if ties else _with_spaces, text)


def _written_out(states: re.Match[str]) -> str:
    figure = json.loads(states[0])
    shown = [[figure["texts"][index] for index in state] for state in figure["states"]]
    return json.dumps(shown, ensure_ascii=False)


def _with_spaces(path: re.Match[str]) -> str:
    return re.sub(r"(?<=\d)-", " -", path[0])


def _numbers(text: str) -> Iterator[tuple[str, bool]]:
    """Yield each number and whether it is a coordinate."""
    drawings = iter([match.span() for match in _DRAWN.finditer(text)])
    begin, end = next(drawings, (len(text), len(text)))
    for match in _NUMBER.finditer(text):
        while match.start() >= end and end < len(text):
            begin, end = next(drawings, (len(text), len(text)))
        yield match[0], begin <= match.start() < end


def _near(one: str, other: str, drawn: bool, ties: bool) -> bool:
    if one == other:
        return True
    first, second = _value(one), _value(other)
    gap, size = abs(first - second), max(abs(first), abs(second))
    if size < ZERO or gap <= (SHARE if ties else ZERO) * size:
        return True
    if drawn:
        return gap <= (TIED_PIXELS if ties else PIXELS)
    return gap <= 1.001 * max(_last_digit(one), _last_digit(other))


def _value(number: str) -> float:
    mantissa, _, power = number.replace(",", "").partition("×10")
    return float(mantissa) * 10.0 ** int(power.translate(_POWERS) or 0)


def _last_digit(number: str) -> float:
    """Return what one unit of the last printed digit is worth: nothing for a count.

    >>> _last_digit("12.50"), _last_digit("7"), _last_digit("1.5e-3")
    (0.01, 0.0, 0.0001)
    """
    parts = re.split("e|×10", number.replace(",", ""))
    _, point, decimals = parts[0].partition(".")
    power = int(parts[1].translate(_POWERS)) if len(parts) > 1 else 0
    return 10.0 ** (power - len(decimals)) if point or power else 0.0


def pytest_configure(config: pytest.Config) -> None:
    """Let nbval start a kernel again."""
    if config.getoption("nbval", False) or config.getoption("nbval_lax", False):
        from nbval import kernel

        kernel.start_new_kernel = started_again(kernel.start_new_kernel)


def started_again(start: Callable[..., Any]) -> Callable[..., Any]:
    """Return `start`, called up to `STARTS` times while its kernel dies before its first reply.

    jupyter_client 8.10 chooses a kernel's free ports before the kernel binds them. Of two kernels
    that two workers start at the same moment, one may find its port taken, and dies.
    """

    def patiently(*args: Any, **options: Any) -> Any:
        for _ in range(STARTS - 1):
            try:
                return start(*args, **options)
            except RuntimeError as error:
                if "Kernel died before" not in str(error):
                    raise
        return start(*args, **options)

    return patiently


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Have a notebook's cell compare what it prints as `Recorded`."""
    if hasattr(item, "sanitize") and hasattr(item, "cell"):
        plain = item.sanitize
        ties = TIES in item.cell.metadata.get("tags", [])

        def recorded(text: Any) -> Any:
            text = plain(text)
            return Recorded(text, ties) if isinstance(text, str) else text

        item.sanitize = recorded
