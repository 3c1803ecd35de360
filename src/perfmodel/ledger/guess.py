"""What a guess without a model makes of the ledger's rows: a constant, the rest of their table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from perfmodel.ledger.claim import Claim, relative_error

SWEEP = 10.0
"""From this ratio of largest to smallest on, the numbers of a table have no mean that one of them
could be guessed by."""


class Constant(NamedTuple):
    """What a guess without a model makes of a row: `error` relative, and whether it is `met`."""

    error: float | None
    """None where 0 is printed."""
    met: bool


def constants(claims: Sequence[Claim]) -> list[Constant | None]:
    """Return for each claim by how much a constant misses it, the other rows of its table.

    A table has one place in the source and one unit. The constant is the mean of its other
    published numbers. If they span a factor of `SWEEP` or more, as in a sweep over sizes, it is the
    number in the row above, and for the first row the number below. A row that a constant also
    meets tests no model. The result is None for a statement, and for the only number of its table.

    >>> from perfmodel.ledger import same_method
    >>> def row(printed):
    ...     return same_method(f"time {printed}", printed, "Table 1", float, within=0.2)
    >>> [c.met for c in constants([row("10 s"), row("11 s"), row("20 s")])]
    [False, False, False]
    >>> [c.met for c in constants([row("10 s"), row("11 s"), row("12 s")])]
    [True, True, True]
    >>> constants([row("10 s")])
    [None]
    """
    tables: dict[tuple[str, str], list[Claim]] = {}
    for claim in claims:
        if not claim.is_statement:
            tables.setdefault((claim.where, claim.published.unit), []).append(claim)
    guesses = {
        id(claim): _guess(table, index)
        for table in tables.values()
        if len(table) > 1
        for index, claim in enumerate(table)
    }
    return [
        Constant(relative_error(guesses[id(claim)], claim), claim.allows(guesses[id(claim)]))
        if id(claim) in guesses
        else None
        for claim in claims
    ]


def _guess(table: Sequence[Claim], index: int) -> float:
    """Return the constant for the row of that index: the others' mean, or the row above."""
    values = [claim.published.value for claim in table]
    if min(values) <= 0 or max(values) / min(values) >= SWEEP:
        return values[index - 1] if index else values[1]
    return math.fsum(values[:index] + values[index + 1 :]) / (len(values) - 1)
