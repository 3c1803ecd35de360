"""An answer: a verdict, quantities with intervals, and what they rest on.

The JSON form has `"schema": "perfmodel-answer"`, `"version": 1` and one key for each field of
`Answer`. Values are in SI units. `null` for a value or an end of an interval means "not known".
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import isfinite
from typing import Any, Literal, get_args

SCHEMA = "perfmodel-answer"
VERSION = 1
Verdict = Literal["yes", "no", "unknown"]
Cell = float | int | str | None
_STATUS = {"yes": 0, None: 0, "no": 1, "unknown": 2}


@dataclass(frozen=True)
class Quantity:
    """A named number with its interval; whatever isn't known is None."""

    name: str
    value: float | None
    low: float | None
    high: float | None
    unit: str
    """The SI unit, `1` for a ratio or a count."""
    note: str = ""
    """What the interval is, or why something isn't known."""
    exact: bool = False
    """Whether it was counted or stated: then it has no interval, and both ends are the value."""

    def __post_init__(self) -> None:
        for end in (self.value, self.low, self.high):
            if end is not None and not isfinite(end):
                raise ValueError(f"{self.name} must be finite, or None if not known, got {end}")
        if self.low is not None and self.high is not None and self.low > self.high:
            raise ValueError(f"{self.name}: low must be at most high, got {self.low}, {self.high}")


def exact(name: str, value: float, unit: str, note: str = "") -> Quantity:
    """Return a quantity that was counted or stated."""
    return Quantity(name, value, value, value, unit, note, exact=True)


@dataclass(frozen=True)
class Assumption:
    """What the answer takes for granted, and who says so."""

    name: str
    value: float | str
    unit: str
    source: str
    """`given` if the reader stated it, otherwise where the default comes from."""


@dataclass(frozen=True)
class Answer:
    """What a command found out."""

    question: str
    verdict: Verdict | None
    """None if no yes/no was asked."""
    summary: str
    """The answer in one or two sentences."""
    quantities: tuple[Quantity, ...] = ()
    assumed: tuple[Assumption, ...] = ()
    binds: str = ""
    """The resource that limits now."""
    next_binds: str = ""
    """The resource that limits once the first is relieved."""
    unknown: tuple[str, ...] = ()
    """Sentences: what the file doesn't determine."""
    traps: tuple[str, ...] = ()
    """Sentences: what the file's numbers are and aren't."""
    steps: tuple[str, ...] = ()
    """Sentences: how the answer was worked out, in order."""
    chapter: str = ""
    """The page that teaches the model, as a path such as `book/queueing.md`."""
    more: Mapping[str, tuple[Mapping[str, Cell], ...]] = field(default_factory=dict)
    """Tables by title; a row maps a column to a cell."""

    def __post_init__(self) -> None:
        if self.verdict is not None and self.verdict not in get_args(Verdict):
            raise ValueError(f"verdict must be yes, no, unknown or None, got {self.verdict!r}")

    @property
    def exit_status(self) -> int:
        """0 for yes or where no yes/no was asked, 1 for no, 2 if it can't be told."""
        return _STATUS[self.verdict]

    def to_json(self) -> str:
        """Return the answer as a JSON text."""
        content = {"schema": SCHEMA, "version": VERSION, **asdict(self)}
        return json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Answer:
        """Return the answer that `to_json` wrote.

        Raises `ValueError` if the text is no JSON, of another schema or version, or lacks a field.
        """
        try:
            content = json.loads(text)
        except json.JSONDecodeError as error:
            raise ValueError(f"line {error.lineno} is no JSON: {error.msg}") from None
        if not isinstance(content, dict) or content.get("schema") != SCHEMA:
            raise ValueError(f'the text is no answer: it must hold "schema": "{SCHEMA}"')
        if content.get("version") != VERSION:
            raise ValueError(f"version must be {VERSION}, got {content.get('version')!r}")
        fields = {name: content[name] for name in content if name not in ("schema", "version")}
        try:
            for name, kind in (("quantities", Quantity), ("assumed", Assumption)):
                fields[name] = tuple(kind(**one) for one in fields[name])
            for name in ("unknown", "traps", "steps"):
                fields[name] = _sentences(fields[name])
            fields["more"] = {title: tuple(rows) for title, rows in fields["more"].items()}
            return cls(**fields)
        except (AttributeError, KeyError, TypeError) as error:
            raise ValueError(f"the answer lacks or misnames a field: {error}") from None


def _sentences(lines: Sequence[Any]) -> tuple[str, ...]:
    if isinstance(lines, str) or not all(isinstance(line, str) for line in lines):
        raise TypeError("sentences must be a list of texts")
    return tuple(lines)
