"""The reproduction ledger: what a paper says beside what our models compute.

A claim is one number or one ordering from a paper together with the call that computes ours from
stated inputs. Claims stand at the end of the module of the system they belong to, in a function
`claims()`; this module finds them all, so a new system needs no registration.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Literal, NamedTuple, get_args

import perfmodel

Kind = Literal["recomputed", "same-method", "trend"]


class Trend(NamedTuple):
    """What a trend claim computes: does the ordering hold, and the figures that show it."""

    holds: bool
    evidence: str


@dataclass(frozen=True)
class Claim:
    """One published statement and the callable that recomputes it.

    A `recomputed` claim must land within `tolerance` times the published value (1 where that is
    0) plus `absolute`, which is half a unit of the last printed digit as a rule. A `same-method`
    claim must land in `bounds`, a threshold of our own, and shows the published value as context.
    A `trend` claim's `published` is a sentence and its `compute` returns a `Trend`.

    >>> half = Claim("demo", "a half", "recomputed", 0.5, "1", "p. 1", lambda: 1 / 2)
    >>> half.check().met
    True
    >>> third = Claim("demo", "1/3", "recomputed", 0.33, "1", "p. 2", lambda: 1 / 3, absolute=0.005)
    >>> third.check().met
    True
    """

    system: str
    """The module's name, for example `qcd_chip`."""
    quantity: str
    """What is computed, in words, with its inputs."""
    kind: Kind
    published: float | str
    unit: str
    """SI unit, `1` for a ratio; empty for a trend."""
    source: str
    """Where in the paper: equation, table, figure, page."""
    compute: Callable[[], float | Trend]
    tolerance: float = 0.0
    bounds: tuple[float, float] | None = None
    derived: bool = False
    """True where the reference value was worked out from the paper's equations by hand or by an
    independent calculation, and is not printed in the paper."""
    miss: str = ""
    """Why the published value is not reached; empty for a claim that must be met."""
    absolute: float = 0.0
    """Tolerance in the published value's own unit, added to the relative one."""

    def __post_init__(self) -> None:
        """Refuse a claim that could not fail or that says two things at once."""
        _check_words(self)
        _check_published(self)
        _check_tolerances(self)

    def check(self) -> Checked:
        """Compute ours and compare it with the published value.

        Raises
        ------
        TypeError
            If a trend's `compute` returns no `Trend`, or another claim's returns one.
        ValueError
            If ours is not finite, which no published value can be compared with.
        """
        ours = self.compute()
        if isinstance(ours, Trend) != (self.kind == "trend"):
            raise TypeError(f"{self.quantity}: a {self.kind} claim cannot compute {ours!r}")
        if isinstance(ours, Trend):
            return Checked(self, ours.evidence, None, bool(ours.holds))
        return self._compare(float(ours), float(self.published))

    def _compare(self, ours: float, published: float) -> Checked:
        if not math.isfinite(ours):
            raise ValueError(f"{self.quantity}: ours must be finite, got {ours!r}")
        scale = abs(published) or 1.0
        low, high = self.bounds or (-self._allowed(scale), self._allowed(scale))
        compared = ours if self.bounds else ours - published
        return Checked(self, ours, (ours - published) / scale, low <= compared <= high)

    def _allowed(self, scale: float) -> float:
        return self.absolute + (self.tolerance + 1e-12) * scale


def half_unit(printed: str) -> float:
    """Return half a unit of the last printed digit, the `absolute` of a number quoted from a page.

    >>> half_unit("15.10"), half_unit("853")
    (0.005, 0.5)
    """
    exponent = Decimal(printed).as_tuple().exponent
    if not isinstance(exponent, int):
        raise ValueError(f"printed must be a finite number as text, got {printed!r}")
    return 0.5 * float(Decimal(10) ** exponent)


@dataclass(frozen=True)
class Checked:
    """A claim with our value: `ours` (a number, or a trend's evidence), `error` relative, `met`."""

    claim: Claim
    ours: float | str
    error: float | None
    met: bool


def collect(system: str | None = None) -> list[Claim]:
    """Return the claims of all systems, or of one, in the order of the package."""
    if system is None:
        return [claim for module in _modules() for claim in _claims_of(module)]
    chosen = [c for m in _modules(f'"{system}"') for c in _claims_of(m) if c.system == system]
    if not chosen:
        known = sorted({claim.system for claim in collect()})
        raise ValueError(f"system must be one of {', '.join(known)}, got {system!r}")
    return chosen


def _modules(holding: str = "") -> Iterator[str]:
    """Yield the modules that state claims and hold a text; the rest need no import to know that."""
    folder = Path(perfmodel.__file__).parent
    for path in sorted(folder.rglob("*.py")):
        text = path.read_text("utf-8")
        if path.stem != "ledger" and "\ndef claims(" in text and holding in text:
            yield ".".join(["perfmodel", *path.relative_to(folder).with_suffix("").parts])


def _claims_of(module_name: str) -> list[Claim]:
    found: list[Claim] = importlib.import_module(module_name).claims()
    return found


def _check_words(claim: Claim) -> None:
    if claim.kind not in get_args(Kind):
        raise ValueError(f"kind must be one of {', '.join(get_args(Kind))}, got {claim.kind!r}")
    for name in ("system", "quantity", "source"):
        if not getattr(claim, name).strip():
            raise ValueError(f"{name} must say something, got {getattr(claim, name)!r}")


def _check_published(claim: Claim) -> None:
    if (claim.kind == "trend") != isinstance(claim.published, str):
        raise ValueError(
            f"published must be a sentence for a trend and a number otherwise, "
            f"got {claim.published!r} for kind {claim.kind!r}"
        )
    if not isinstance(claim.published, str) and not math.isfinite(claim.published):
        raise ValueError(f"published must be finite, got {claim.published!r}")


def _check_tolerances(claim: Claim) -> None:
    if (claim.kind == "same-method") != (claim.bounds is not None):
        raise ValueError(
            f"bounds go with kind 'same-method', got {claim.bounds!r} for kind {claim.kind!r}"
        )
    if claim.bounds is not None and not _can_fail(*claim.bounds):
        raise ValueError(f"bounds must be (low, high) with one finite, got {claim.bounds!r}")
    if not 0 <= claim.tolerance < 1:
        raise ValueError(f"tolerance must be from 0 to below 1, got {claim.tolerance!r}")
    if not 0 <= claim.absolute < math.inf:
        raise ValueError(f"absolute must be 0 or more and finite, got {claim.absolute!r}")
    if claim.kind != "recomputed" and (claim.tolerance or claim.absolute):
        raise ValueError(f"a tolerance goes with kind 'recomputed', got kind {claim.kind!r}")


def _can_fail(low: float, high: float) -> bool:
    return low <= high and (math.isfinite(low) or math.isfinite(high))
