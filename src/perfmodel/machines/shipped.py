"""The registry's own data: `catalogue.csv` names the machines, `figures.csv` has their numbers."""

from __future__ import annotations

import csv
from collections import defaultdict
from functools import lru_cache
from pathlib import Path
from typing import cast

from perfmodel.machines.machine import QUANTITIES, FigureKind, Machine, MachineFigure

_FOLDER = Path(__file__).parent


@lru_cache(maxsize=1)
def machines() -> dict[str, Machine]:
    """Return the registry's machines by id, in the order of the catalogue."""
    numbers: dict[str, dict[str, MachineFigure]] = defaultdict(dict)
    for row in _rows("figures.csv"):
        numbers[row["machine"]][row["quantity"]] = _figure(row)
    known = {}
    for row in _rows("catalogue.csv"):
        texts = {key: text for key, text in row.items() if key != "year"}
        known[row["id"]] = Machine(figures=numbers[row["id"]], year=int(row["year"]), **texts)
    return known


def _figure(row: dict[str, str]) -> MachineFigure:
    if row["unit"] != QUANTITIES[row["quantity"]]:
        raise ValueError(
            f"unit of {row['machine']}, {row['quantity']} must be {QUANTITIES[row['quantity']]}, "
            f"got {row['unit']!r}"
        )
    return MachineFigure(
        value=float(row["value"]),
        unit=row["unit"],
        kind=cast(FigureKind, row["kind"]),
        source=row["source"],
        date=row["date"],
        verified={"yes": True, "no": False}[row["verified"]],
        note=row["note"],
    )


def _rows(name: str) -> list[dict[str, str]]:
    with (_FOLDER / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
