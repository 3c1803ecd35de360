"""A row of the ledger: the published value, the call that computes our value, and the bound."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

from perfmodel.units import Amount, amount

Kind = Literal["re-aggregated", "recomputed", "same-method", "trend"]

STANDARD_ERRORS = 4.0
"""Standard errors of measured data, where they are known, that a recomputed value may be off."""


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
    """Returns our value in SI units; for a statement, whether it holds and the figures that show
    it."""
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
        """Whether the source makes a statement: every trend, and text without a leading number."""
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
        """Compute our value and compare it with the published value.

        Raises `TypeError` if our value of a statement is a number, or our value of a number is
        none. Raises `ValueError` if our value is not finite, because no published value can be
        compared with it.
        """
        ours = self.compute()
        if isinstance(ours, tuple) != self.is_statement:
            raise TypeError(f"{self.quantity}: a {self.kind} claim cannot compute {ours!r}")
        if isinstance(ours, tuple):
            return Checked(self, ours[1], None, bool(ours[0]))
        value = float(ours)
        if not math.isfinite(value):
            raise ValueError(f"{self.quantity}: ours must be finite, got {value!r}")
        return Checked(self, value, relative_error(value, self), self.allows(value))


def relative_error(value: float, claim: Claim) -> float | None:
    """Return how far a value is off as a share of the printed number, unless that is 0."""
    published = claim.published.value
    return (value - published) / abs(published) if published else None


@dataclass(frozen=True)
class Checked:
    """A claim with our value: `ours` (a number, or the evidence), `error` relative, `met`.

    A statement has no `error`, nor has what is compared with a printed 0.
    """

    claim: Claim
    ours: float | str
    error: float | None
    met: bool


def re_aggregated(
    quantity: str,
    printed: str,
    where: str,
    compute: Callable[[], float | tuple[bool, str]],
    *,
    miss: str = "",
) -> Claim:
    """Claim that the authors' own cells, combined again, give what the authors print of them.

    It checks that both do the same arithmetic on the same cells, and tests no model: rows of this
    kind are counted apart. `printed` may be a number, which our value must reach to half a unit of
    its last digit, or a statement as for `trend`. The other parameters are those of `recomputed`.

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

    `quantity` names the computed quantity with its inputs. `printed` is the number as published,
    with its unit (`perfmodel.units.amount`). `compute` returns our value in SI units, a fraction
    for per cent. It must agree to half a unit of the last digit, plus `STANDARD_ERRORS` times the
    `standard_error` of a value that was measured, in SI units. `miss` says why the number is not
    reached, if it isn't.

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
    """Claim that the source's method, on our data, comes close to the source's number.

    Also for a model with a constant that was calibrated on the same source. `within`, between 0 and
    1, is how far our value may be off, as a fraction of the published number (for a published 0, in
    its own unit). State it before you see our value. The other parameters are those of
    `recomputed`.

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
    """Claim an ordering or a shape that the source reports, and that our model could contradict.

    `compute` returns whether it holds and the figures that show it, a `Trend` or a plain pair; the
    others are those of `recomputed`, with the source's statement instead of a number.

    >>> trend("who wins", "A is faster", "Fig. 1", lambda: (1 < 2, "1 s v 2 s")).check().met
    True
    """
    return Claim(quantity, statement, where, compute, "trend", 0.0, 0.0, miss)
