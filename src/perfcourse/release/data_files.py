"""Data files that go with an assignment, beside its notebook."""

from __future__ import annotations

from pathlib import Path

from perfcourse.bank import Bank
from perfcourse.bank.loader import load


def outdated(bank: Bank, folder: Path) -> list[Path]:
    """Return where the bank's data files should lie in `folder` and don't, as they are."""
    places = [(file.path(), folder / file.name) for file in bank.files]
    return [
        place
        for source, place in places
        if not place.is_file() or place.read_bytes() != source.read_bytes()
    ]


def copy_files(bank: Bank, folder: Path) -> None:
    """Copy the bank's data files to `folder`, under their names; what is hidden stays."""
    for file in bank.files:
        place = folder / file.name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(file.path().read_bytes())


def bank_files(path: Path) -> list[str]:
    """Return the names, below its folder, of what grading needs: the bank and its data files."""
    return [path.name, *(n for file in load(path).files for n in (file.name, file.hidden) if n)]
