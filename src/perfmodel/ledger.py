"""The reproduction ledger: what somebody else printed or measured, beside what our models compute.

A claim is a row: what is computed, the number in print with its unit, where it stands, and the call
that computes ours from stated inputs. The rows of a lab are the `SHEET` of its module `claims`;
this module finds the sheets of all labs, so that a new lab needs no registration.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple, get_args

import perfmodel
from perfmodel.units import Amount, amount

Kind = Literal["re-aggregated", "recomputed", "same-method", "trend"]

STANDARD_ERRORS = 4.0
"""Standard errors of measured data, where they are known, that a recomputed value may be off."""

SWEEP = 10.0
"""From this ratio of largest to smallest on, the numbers of a table have no mean that one of them
could be guessed by."""


class Trend(NamedTuple):
    """What a trend claim computes: does the ordering hold, and the figures that show it."""

    holds: bool
    evidence: str


@dataclass(frozen=True)
class Claim:
    """One number or statement in print and the call that recomputes it.

    Made by `re_aggregated`, `recomputed`, `same_method` and `trend`, which say what each kind must
    reach.
    """

    quantity: str
    """What is computed, in words, with its inputs."""
    printed: str
    """As it is printed: a number with its unit, or a statement."""
    where: str
    """Where in the source: equation, table, figure, page."""
    compute: Callable[[], float | tuple[bool, str]]
    """Returns ours in SI units; of a statement whether it holds, and the figures that show it."""
    kind: Kind
    standard_error: float = 0.0
    """That of the printed value, in SI units, where it is measured and its spread is known."""
    within: float = 0.0
    """How far a `same-method` value may be off, as a share of the printed one."""
    miss: str = ""
    """Why the printed value is not reached; empty for a claim that must be met."""

    def __post_init__(self) -> None:
        """Refuse a claim that could not fail or that says two things at once."""
        if self.kind not in get_args(Kind):
            raise ValueError(f"kind must be one of {', '.join(get_args(Kind))}, got {self.kind!r}")
        for name in ("quantity", "printed", "where"):
            if not getattr(self, name).strip():
                raise ValueError(f"{name} must say something, got {getattr(self, name)!r}")
        if self.kind == "trend":
            if not any(letter.isalpha() for letter in self.printed):
                raise ValueError(f"printed must be a sentence for a trend, got {self.printed!r}")
        elif self.kind != "re-aggregated" or " " not in self.printed:
            amount(self.printed)
        if not 0 <= self.standard_error < math.inf:
            raise ValueError(f"standard_error must be 0 or more, got {self.standard_error!r}")
        if (self.kind == "same-method") != (0 < self.within < 1):
            raise ValueError(
                f"within must be between 0 and 1 for kind 'same-method' and 0 for the others, "
                f"got {self.within!r} for kind {self.kind!r}"
            )

    @property
    def is_statement(self) -> bool:
        """Whether a statement is printed: by every trend, and by what has no number in front."""
        if self.kind == "trend":
            return True
        try:
            amount(self.printed)
        except ValueError:
            return True
        return False

    @property
    def published(self) -> Amount:
        """The printed number in SI units; a statement has none and raises a ValueError."""
        return amount(self.printed)

    def allows(self, value: float) -> bool:
        """Return whether a value in SI units comes as near the printed number as the kind asks."""
        published = self.published
        scale = abs(published.value) or 1.0
        allowed = STANDARD_ERRORS * self.standard_error + self.within * scale + 1e-12 * scale
        if self.kind != "same-method":
            allowed += published.half_unit
        return abs(value - published.value) <= allowed

    def check(self) -> Checked:
        """Compute ours and compare it with what is printed.

        Raises
        ------
        TypeError
            If ours of a statement is a number, or ours of a number is none.
        ValueError
            If ours is not finite, which no printed value can be compared with.
        """
        ours = self.compute()
        if isinstance(ours, tuple) != self.is_statement:
            raise TypeError(f"{self.quantity}: a {self.kind} claim cannot compute {ours!r}")
        if isinstance(ours, tuple):
            return Checked(self, ours[1], None, bool(ours[0]))
        value = float(ours)
        if not math.isfinite(value):
            raise ValueError(f"{self.quantity}: ours must be finite, got {value!r}")
        return Checked(self, value, _relative(value, self), self.allows(value))


def _relative(value: float, claim: Claim) -> float | None:
    """Return how far a value is off as a share of the printed number, unless that is 0."""
    published = claim.published.value
    return (value - published) / abs(published) if published else None


@dataclass(frozen=True)
class Checked:
    """A claim with our value: `ours` (a number, or the evidence), `error` relative, `met`.

    A statement has no `error`, nor has what is held against a printed 0.
    """

    claim: Claim
    ours: float | str
    error: float | None
    met: bool


class Constant(NamedTuple):
    """What a guess without a model makes of a row: `error` relative, and whether it is `met`."""

    error: float | None
    """None where 0 is printed."""
    met: bool


def constants(claims: Sequence[Claim]) -> list[Constant | None]:
    """Return for each claim by how much a constant misses it, the other rows of its table.

    A table is what has one place in the source and one unit. The constant is the mean of its other
    printed numbers; where they span a factor of `SWEEP` or more, as in a sweep over sizes, it is
    the number in the row above, and for the first row the one below. A row that a constant meets
    as well holds no model to anything.

    Parameters
    ----------
    claims : sequence of Claim
        Of one sheet.

    Returns
    -------
    list of Constant or None
        In the order of the claims; None for a statement, and for the only number of its table.

    Examples
    --------
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
        Constant(_relative(guesses[id(claim)], claim), claim.allows(guesses[id(claim)]))
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


def re_aggregated(
    quantity: str,
    printed: str,
    where: str,
    compute: Callable[[], float | tuple[bool, str]],
    *,
    miss: str = "",
) -> Claim:
    """Claim that the authors' own cells, put together anew, give what the authors print of them.

    It checks that both do the same arithmetic on the same cells, and tests no model: rows of this
    kind are counted apart. `printed` may be a number, which ours must reach to half a unit of its
    last digit, or a statement as for `trend`; the others are those of `recomputed`.

    Examples
    --------
    >>> re_aggregated("mean of a table", "2.5", "Table 1", lambda: (2 + 3) / 2).check().met
    True
    """
    return Claim(quantity, printed, where, compute, "re-aggregated", 0.0, 0.0, miss)


def recomputed(
    quantity: str,
    printed: str,
    where: str,
    compute: Callable[[], float],
    *,
    standard_error: float = 0.0,
    miss: str = "",
) -> Claim:
    """Claim that our model, given the source's inputs, lands on the source's number.

    Parameters
    ----------
    quantity : str
        What is computed, in words, with its inputs.
    printed : str
        The number as it is printed, with its unit (`perfmodel.units.amount`): ours must agree to
        half a unit of its last digit.
    where : str
        Where in the source it stands.
    compute : callable
        Returns ours in SI units (a share for per cent).
    standard_error : float
        That of a printed value that was measured, in SI units and from the data's own spread: ours
        may be off by `STANDARD_ERRORS` times as much in addition.
    miss : str
        Why the number is not reached, if it isn't.

    Examples
    --------
    >>> recomputed("a third", "0.33", "p. 2", lambda: 1 / 3).check().met
    True
    >>> recomputed("a latency", "15.1 ms", "Table 2", lambda: 0.01516).check().met
    False
    """
    return Claim(quantity, printed, where, compute, "recomputed", standard_error, 0.0, miss)


def same_method(
    quantity: str,
    printed: str,
    where: str,
    compute: Callable[[], float],
    *,
    within: float,
    miss: str = "",
) -> Claim:
    """Claim that the source's method, on data of ours, comes near the source's number.

    Also for a model with a constant that was calibrated on the same source. `within`, between 0 and
    1, is how far ours may be off as a share of the printed number (of a printed 0 in its own unit),
    stated before ours was seen; the others are those of `recomputed`.

    Examples
    --------
    >>> same_method("an error", "10 %", "Table 3", lambda: 0.12, within=0.25).check().met
    True
    """
    return Claim(quantity, printed, where, compute, "same-method", 0.0, within, miss)


def trend(
    quantity: str,
    statement: str,
    where: str,
    compute: Callable[[], tuple[bool, str]],
    *,
    miss: str = "",
) -> Claim:
    """Claim an ordering or a shape that the source reports, where ours could come out otherwise.

    `compute` returns whether it holds and the figures that show it, a `Trend` or a plain pair; the
    others are those of `recomputed`, with the source's statement in place of a number.

    Examples
    --------
    >>> trend("who wins", "A is faster", "Fig. 1", lambda: (1 < 2, "1 s v 2 s")).check().met
    True
    """
    return Claim(quantity, statement, where, compute, "trend", 0.0, 0.0, miss)


@dataclass(frozen=True)
class Sheet:
    """The rows of one system, with its source, or why there are none."""

    source: str
    """Authors, title, where and when; stated once, rows say only where in it."""
    claims: Sequence[Claim] = ()
    unheld: str = ""
    """Which of the source's numbers ours can't be held against, and why."""

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

    Raises
    ------
    ValueError
        If no lab of that name has a sheet.
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
