"""Errors of measuring: what could not be had, why, and what to do about it."""

from __future__ import annotations


class Unavailable(RuntimeError):  # noqa: N818
    """Something (`what`) that this machine cannot show or do, with the reason found and a remedy.

    Examples
    --------
    >>> print(Unavailable("energy", "there is no counter", "state an estimate"))
    energy is unavailable: there is no counter; state an estimate
    """

    def __init__(self, what: str, why: str, remedy: str) -> None:
        super().__init__(what, why, remedy)
        self.what = what
        self.why = why
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.what} is unavailable: {self.why}; {self.remedy}"


class EnergyUnavailable(Unavailable):
    """No energy counter can be read here, and no estimate was asked for."""


class ChildError(RuntimeError):
    """A child process raised an error, died or ran out of time; the message says which."""


class CorruptFileError(ValueError):
    """A stored measurement that is cut off, altered or written by something else."""
