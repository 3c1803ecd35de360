"""A promise such as `p99 wait < 1s`: which statistic of which time stays below what."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import click

from perfmodel.units import amount

_FORM = re.compile(r"(p\d+(?:\.\d+)?|mean|median)\s+([\w-]+)\s*<=?\s*([\d.]+)\s*([^\d\s]+)")


@dataclass(frozen=True)
class Promise:
    """A limit on a quantile or the mean of a time."""

    level: float | None
    """The quantile, from 0 to 1; None for the mean."""
    of: str
    """The time that is meant, such as `wait`."""
    limit: float
    """Seconds."""
    text: str
    """As it was given."""

    @property
    def statistic(self) -> str:
        """The statistic in words.

        >>> parse("p99 wait < 1s", ["wait"]).statistic
        '99 % of the waits'
        """
        of = self.of if self.of.endswith("s") else f"{self.of}s"
        return (
            f"the mean {self.of}" if self.level is None else f"{100 * self.level:g} % of the {of}"
        )


def parse(text: str, of: Sequence[str]) -> Promise:
    """Return the promise that a text states.

    `text`: `p99 wait < 1s`: a percentile, `median` or `mean`; a time; a limit with its unit. `of`:
    the times that can be promised. Raises `click.UsageError` if it isn't of this form.

    >>> parse("p99.9 wait < 200 ms", ["wait", "response"]).limit
    0.2
    """
    example = f"'p99 {of[0]} < 1s'"
    match = _FORM.fullmatch(text.strip())
    if match is None:
        raise click.UsageError(f"--promise must be like {example}, got {text!r}")
    statistic, time, value, unit = match.groups()
    if time not in of:
        raise click.UsageError(f"--promise can be for {' or '.join(of)}, got {time!r}")
    limit = amount(f"{value} {unit}")
    if limit.unit != "s":
        raise click.UsageError(f"--promise needs a limit in ns, us, ms, s, min or h, got {unit!r}")
    level = {"mean": None, "median": 0.5}.get(statistic, -1.0)
    if level == -1.0:
        level = float(statistic[1:]) / 100
        if not 0 < level < 1:
            raise click.UsageError(f"--promise needs a percentile between 0 and 100, got {text!r}")
    return Promise(level, time, limit.value, text.strip())
