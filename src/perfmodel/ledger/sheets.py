"""The rows of one lab, and where those of all labs are found."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import perfmodel
from perfmodel.ledger.claim import Claim


@dataclass(frozen=True)
class Sheet:
    """The rows of one system, with its source, or why there are none."""

    source: str
    """Authors, title, where and when; stated once, rows say only where in it."""
    claims: Sequence[Claim] = ()
    unheld: str = ""
    """The source's numbers that can't be compared with our values, and why."""

    def __post_init__(self) -> None:
        """Refuse a sheet that says nothing, or one thing twice."""
        if not self.source.strip():
            raise ValueError(f"source must say something, got {self.source!r}")
        if not self.claims and not self.unheld.strip():
            raise ValueError("unheld must say why there are no claims, got nothing")
        rows = [(claim.quantity, claim.where) for claim in self.claims]
        for row in rows:
            if rows.count(row) > 1:
                raise ValueError(f"claims must differ in what or where, got twice {row!r}")


def collect() -> dict[str, Sheet]:
    """Return the sheets of all labs by the lab's name, topic by topic in the order of teaching."""
    return {lab: _sheet(path) for lab, path in _labs().items()}


def sheet(lab: str) -> Sheet:
    """Return the sheet of one lab, importing that lab alone.

    Raises `ValueError` if no lab of that name has a sheet.
    """
    paths = _labs()
    if lab not in paths:
        raise ValueError(f"lab must be one of {', '.join(paths)}, got {lab!r}")
    return _sheet(paths[lab])


def _labs() -> dict[str, Path]:
    """Return the module of claims of each lab that has one, by the lab's name."""
    folder = Path(perfmodel.__file__).parent / "labs"
    paths = [p for topic in perfmodel.TOPICS for p in sorted(folder.glob(f"{topic}/*/claims.py"))]
    return {path.parent.name: path for path in paths}


def _sheet(path: Path) -> Sheet:
    topic, lab = path.parts[-3:-1]
    declared: Sheet = importlib.import_module(f"perfmodel.labs.{topic}.{lab}.claims").SHEET
    return declared
