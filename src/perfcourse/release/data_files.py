"""Data files that go with an assignment, beside its notebook."""

from __future__ import annotations

from pathlib import Path

from perfcourse.bank import Bank
from perfcourse.bank.loader import load


def outdated(bank: Bank, folder: Path) -> list[Path]:
    """Return where the bank's data files should lie in `folder` and don't, as they are."""
    places = [(file.path(), folder / file.name) for file in bank.files]
    return [
        target
        for source, target in places
        if not target.is_file() or target.read_bytes() != source.read_bytes()
    ]


def copy_files(bank: Bank, folder: Path) -> None:
    """Copy the bank's data files to `folder`, under their names; what is hidden stays."""
    for file in bank.files:
        target = folder / file.name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(file.path().read_bytes())


def bank_files(path: Path) -> list[str]:
    """Return the names, below its folder, of what grading needs: the bank and its data files."""
    return [path.name, *(n for file in load(path).files for n in (file.name, file.hidden) if n)]
