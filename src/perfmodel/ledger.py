"""The reproduction ledger: what a paper says beside what our models compute.

A claim is one number or one ordering from a paper together with the call that computes ours from
stated inputs. Claims stand at the end of the module of the system they belong to, in a function
`claims()`; this module finds them all, so a new system needs no registration.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import perfmodel

Kind = Literal["recomputed", "same-method", "trend"]


class Trend(NamedTuple):
    """What a trend claim computes: does the ordering hold, and the figures that show it."""

    holds: bool
    evidence: str


@dataclass(frozen=True)
class Claim:
    """One published statement and the callable that recomputes it.

    A `recomputed` claim must land within `tolerance` (relative to the published value; absolute
    where that is 0). A `same-method` claim must land in `bounds`, a threshold of our own, and
    shows the published value as context. A `trend` claim's `published` is a sentence and its
    `compute` returns a `Trend`.

    >>> half = Claim("demo", "a half", "recomputed", 0.5, "1", "p. 1", lambda: 1 / 2, tolerance=0)
    >>> half.check().met
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

    def __post_init__(self) -> None:
        """Refuse a claim that could not fail or that says two things at once."""
        is_trend = self.kind == "trend"
        if is_trend != isinstance(self.published, str):
            raise ValueError(
                f"published must be a sentence for a trend and a number otherwise, "
                f"got {self.published!r} for kind {self.kind!r}"
            )
        if (self.kind == "same-method") != (self.bounds is not None):
            raise ValueError(
                f"bounds go with kind 'same-method', got {self.bounds!r} for kind {self.kind!r}"
            )
        if not 0 <= self.tolerance < 1:
            raise ValueError(f"tolerance must be from 0 to below 1, got {self.tolerance!r}")

    def check(self) -> Checked:
        """Compute ours and compare it with the published value."""
        ours = self.compute()
        if isinstance(ours, Trend):
            return Checked(self, ours.evidence, None, bool(ours.holds))
        ours = float(ours)
        assert not isinstance(self.published, str)
        scale = abs(self.published) or 1.0
        error = (ours - self.published) / scale
        if self.bounds is not None:
            return Checked(self, ours, error, self.bounds[0] <= ours <= self.bounds[1])
        return Checked(self, ours, error, abs(error) <= self.tolerance + 1e-12)


@dataclass(frozen=True)
class Checked:
    """A claim with our value: `ours` (a number, or a trend's evidence), `error` relative, `met`."""

    claim: Claim
    ours: float | str
    error: float | None
    met: bool


def collect(system: str | None = None) -> list[Claim]:
    """Return the claims of all systems, or of one, in the order of the package."""
    found = [claim for module in _modules() for claim in _claims_of(module)]
    if system is None:
        return found
    chosen = [claim for claim in found if claim.system == system]
    if not chosen:
        known = sorted({claim.system for claim in found})
        raise ValueError(f"system must be one of {', '.join(known)}, got {system!r}")
    return chosen


def _modules() -> Iterator[str]:
    for info in pkgutil.walk_packages(perfmodel.__path__, "perfmodel."):
        yield info.name


def _claims_of(module_name: str) -> list[Claim]:
    claims = getattr(importlib.import_module(module_name), "claims", None)
    return claims() if callable(claims) else []
