"""How a bank refuses what can't be graded: with the value, and with what is allowed."""

from __future__ import annotations

from typing import Any


class BankError(ValueError):
    """A question bank is wrong; the message says where, what, and what to change."""

    def _render_traceback_(self) -> list[str]:
        """Show it as one line in a notebook."""
        return [str(self)]


def require(fine: Any, name: str, value: Any, allowed: str) -> None:
    """Raise a ValueError unless `fine`.

    >>> require(-1 > 0, "points", -1, "above 0")
    Traceback (most recent call last):
        ...
    ValueError: points must be above 0, got -1
    """
    if not fine:
        raise ValueError(f"{name} must be {allowed}, got {value!r}")


def unique(what: str, names: list[str]) -> None:
    """Raise a ValueError if a name comes twice."""
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"{what} must differ from each other, got {twice[0]!r} twice")
