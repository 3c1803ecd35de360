"""The reader's six numbers: committed to, forecast by a model, and measured; kept in a file."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from perfmodel import live
from perfmodel.live.variants import prefix_slip
from perfmodel.measurement.load import usable_cores
from perfmodel.tasks import record
from perfmodel.tasks.answers import unfilled
from perfmodel.units import number, prefixed
from perfmodel.validation import one_number, one_of, positive

BUSY = 0.1
"""Fraction of the time that a program waits for a core above which nothing is concluded."""
WIDE = 1.5
"""High over low end of a measured interval above which it can test no forecast."""
ALIKE = 1.25
"""Factor up to which two numbers count as close."""
SCALE = 20.0
"""Highest ratio to the forecast that the figure shows; the lowest is its reciprocal."""


@dataclass(frozen=True)
class Part:
    """One of the six questions."""

    label: str
    unit: str
    seconds: float
    """In the unit that the reader answers in."""
    longer: str
    """What to change in the part's cell to measure for longer."""


PARTS: Mapping[str, Part] = {
    "query": Part("one query", "ms", 1e-3, "`max_seconds`"),
    "build": Part("building on 2 workers", "s", 1.0, "`repeats`"),
    "scan": Part("scanning every list", "ms", 1e-3, "`max_seconds`"),
    "response": Part("response at the higher load", "ms", 1e-3, "`count`"),
    "unseen": Part("unseen longer queries", "ms", 1e-3, "`rounds`"),
    "larger": Part("four times the documents", "ms", 1e-3, "`rounds`"),
}
Range = tuple[float, float, float]
"""A value and the ends of its interval, in seconds."""


@dataclass(frozen=True)
class Outcome:
    """A forecast, the measurement that tests it, and how busy the machine was."""

    forecast: Range
    measured: Range
    waited: float
    """Fraction of its time that a computing program waited for a core."""
    measured_at: str = ""
    """When the part was measured first: a number committed to later than this is no prediction."""

    @property
    def conclusion(self) -> str:
        """What the measurement says: `held`, `too low`, `too high`, `busy` or `too wide`.

        >>> Outcome((1.0, 0.9, 1.2), (1.3, 1.25, 1.35), waited=0.0).conclusion
        'too low'
        """
        (_, low, high), (_, least, most) = self.forecast, self.measured
        if self.waited > BUSY:
            return "busy"
        if most > WIDE * least:
            return "too wide"
        if least > high:
            return "too low"
        return "too high" if most < low else "held"

    @property
    def disturbed(self) -> bool:
        """Whether the measurement can't tell."""
        return self.conclusion in ("busy", "too wide")


@dataclass(eq=False)
class ForecastRecord:
    """What one reader committed to and found, part by part.

    A part that has no number of the reader's stays in this object; the others go to a file as well.
    """

    file: Path | None = None
    """Where it is kept; by default next to the file of the reader's progress."""
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    guesses: dict[str, float] = field(default_factory=dict)
    """First number of each part, in seconds."""
    waited: float = 0.0

    def __post_init__(self) -> None:
        """Read what was kept; what can't be read of it counts as missing."""
        self.file = self.file or record.path().with_name("one-program.json")
        try:
            kept, _ = record.read_json(self.file)
        except OSError:
            kept = {}
        for name, entry in kept.items():
            try:
                if name in PARTS and "guess" in entry:
                    self.guesses[name] = one_number("guess", entry["guess"], positive)
                    if entry.get("outcome"):
                        self.outcomes[name] = _outcome(entry["outcome"])
            except (AttributeError, KeyError, TypeError, ValueError):
                continue

    def commit(self, part: str, guess: Any) -> live.Display:
        """Keep the reader's first number for a part, and say so; `...` is no number yet."""
        about = PARTS[one_of("part", part, PARTS)]
        if part in self.guesses:
            return live.says(f"Your first number stands: **{_time(self.guesses[part])}**.")
        if unfilled(guess):
            return live.says(
                f"**Not done yet.** Write your number (in {about.unit}) instead of `...`, and run "
                "the cell again. The page also runs without it."
            )
        seconds = one_number("guess", guess, positive) * about.seconds
        self.guesses[part] = seconds
        problem = self._keep(part)
        return live.says(f"Your number is kept: **{_time(seconds)}**.{problem}")

    @contextmanager
    def watch(self) -> Iterator[None]:
        """Look before and after a measurement whether computing programs have to wait."""
        before = waiting_fraction()
        yield
        self.waited = max(before, waiting_fraction())

    def add(self, part: str, forecast: Range, measured: Range) -> live.Display:
        """Record the outcome of a part, measured under the last `watch`, and say what it shows."""
        one_of("part", part, PARTS)
        before = self.outcomes.get(part)
        at = before.measured_at if before else _now()
        self.outcomes[part] = Outcome(forecast, measured, self.waited, at)
        problem = self._keep(part) if part in self.guesses else ""
        said = sentence(self.outcomes[part], self.guesses.get(part), PARTS[part].longer)
        return live.says(said + problem)

    def table(self) -> live.Display:
        """Return a table of all parts: your number, the forecast, the measurement, the conclusion.

        All are with the ends of their intervals.
        """
        rows = []
        for name, part in PARTS.items():
            guess = self.guesses.get(name)
            cells = [part.label, "none" if guess is None else _time(guess)]
            outcome = self.outcomes.get(name)
            if outcome is None:
                cells += ["not run yet"] * 2 + [""]
            else:
                cells += [_range(outcome.forecast), _range(outcome.measured)]
                cells.append(_WORDS[outcome.conclusion])
            rows.append(cells)
        head = ["part", "your number", "forecast", "measured", "the forecast"]
        return live.table(head, rows, "Six numbers: yours, forecast and measured")

    def picture(self) -> live.Display:
        """Return the figure of forecast against measured, each part relative to its forecast."""
        names = list(PARTS)
        done = [name for name in names if name in self.outcomes]
        at = np.array([names.index(name) for name in done], dtype=float)
        marks = []
        if done:
            for label, shift in (("forecast", -0.2), ("measured", 0.0)):
                values = np.array([getattr(self.outcomes[name], label) for name in done])
                y, low, high = _shown(values / self._forecasts(done)[:, None]).T
                marks.append(live.Mark(label, at + shift, y, "points", y2=np.array([low, high])))
        own = [name for name in done if name in self.guesses]
        if own:
            guesses = np.array([self.guesses[name] for name in own]) / self._forecasts(own)
            x = np.array([names.index(name) for name in own]) + 0.2
            marks.append(live.Mark("your number", x, _shown(guesses), "points"))
        held = sum(self.outcomes[name].conclusion == "held" for name in done)
        open_ = sum(self.outcomes[name].disturbed for name in done)
        return live.picture(
            live.Plot(
                live.Axis("part", -0.5, len(names) - 0.5, names=[str(i + 1) for i in range(6)]),
                live.Axis("time over forecast", 1 / SCALE, SCALE, scale="log"),
                [live.Mark("equal", [-0.5, len(names) - 0.5], [1, 1], "dashed"), *marks],
                says=f"{held} of {len(done)} forecasts held; "
                f"for {open_} the measurement can't tell.",
            ),
            "Forecast against measured in all parts, relative to the forecast",
            "Six pairs of points with error bars on a logarithmic axis: each part's forecast at 1 "
            "and the measured time relative to it",
        )

    def worst(self) -> live.Display:
        """Say which forecast missed most, among the parts whose measurement tells."""
        told = {name: outcome for name, outcome in self.outcomes.items() if not outcome.disturbed}
        missed = {
            name: outcome.measured[0] / outcome.forecast[0]
            for name, outcome in told.items()
            if outcome.conclusion != "held"
        }
        if not told:
            return live.says("**No forecast is tested yet**: no measurement tells.")
        if not missed:
            parts = "one part that tells" if len(told) == 1 else f"{len(told)} parts that tell"
            return live.says(f"**No forecast missed** in the {parts}.")
        name = max(missed, key=lambda name: abs(np.log(missed[name])))
        return live.says(
            f"The largest miss is part {list(PARTS).index(name) + 1}, **{PARTS[name].label}**: the "
            f"measured time is {missed[name]:.2f} times the forecast. Which cost did its model get "
            "wrong?"
        )

    def _forecasts(self, names: list[str]) -> Any:
        return np.array([self.outcomes[name].forecast[0] for name in names])

    def _keep(self, part: str) -> str:
        """Write one part to the file; return a message where that failed."""
        assert self.file is not None
        try:
            kept, told = record.read_json(self.file)
            entry = kept.setdefault(part, {})
            if "guess" not in entry:
                entry |= {"guess": self.guesses[part], "committed_at": _now(), "unit": "s"}
            if part in self.outcomes:
                entry["outcome"] = asdict(self.outcomes[part])
            record.write(self.file, kept)
        except OSError as error:
            return f" It could not be kept in {self.file}: {error.strerror}."
        return f" {told}" if told else ""


def sentence(outcome: Outcome, guess: float | None = None, longer: str = "the runs") -> str:
    """Return what an outcome shows, and how close the reader's own number (s) was.

    `longer` names what to raise for a longer measurement.

    >>> sentence(Outcome((1.0, 0.9, 1.2), (1.1, 1.05, 1.15), waited=0.0))
    '**The forecast held.** It was 900 ms to 1.2 s; you measured 1.1 s (1.05 s to 1.15 s).'
    """
    (value, low, high), (measured, least, most) = outcome.forecast, outcome.measured
    ratio = measured / value
    found = {
        "held": f"**The forecast held.** It was {_time(low)} to {_time(high)}; you measured "
        f"{_time(measured)} ({_time(least)} to {_time(most)}).",
        "too low": f"**The forecast was too low.** You measured {_time(measured)}, which is "
        f"{ratio:.2f} times the forecast.",
        "too high": f"**The forecast was too high.** You measured {_time(measured)}, which is "
        f"{ratio:.2f} times the forecast.",
        "busy": "**Can't tell on a busy machine.** A program that only computes had to wait "
        f"{100 * outcome.waited:.0f} % of its time for a core. Close other programs, and run this "
        "cell again.",
        "too wide": "**Can't tell.** The 95 % interval of the measurement is too wide to test a "
        "forecast. Close other programs, and run this cell again. If it stays wide, raise "
        f"{longer} in this cell, to measure for longer.",
    }[outcome.conclusion]
    if guess is None:
        return found
    slip = prefix_slip(guess, measured, ALIKE - 1)
    if outcome.disturbed:
        return found + slip
    if 1 / ALIKE <= guess / measured <= ALIKE:
        return f"{found} Your own number was close: {_time(guess)}."
    side = "high" if guess > measured else "low"
    factor = number(float(f"{max(guess / measured, measured / guess):.2g}"))
    return f"{found} Your own number was too {side}, by a factor of {factor}.{slip}"


def waiting_fraction(threads: int | None = None, seconds: float = 0.1) -> float:
    """Return the fraction of the time that threads which only compute wait for a core.

    By default there are two threads, or one on a machine with one core.

    >>> 0 <= waiting_fraction(1, 0.01) <= 1
    True
    """
    count = min(2, usable_cores()) if threads is None else threads
    data, spent = bytes(1 << 20), []

    def compute() -> None:
        began, used = time.perf_counter(), time.thread_time()
        while time.perf_counter() < began + seconds:
            hashlib.sha256(data).digest()
        spent.append((time.thread_time() - used, time.perf_counter() - began))

    crew = [threading.Thread(target=compute) for _ in range(count)]
    for thread in crew:
        thread.start()
    for thread in crew:
        thread.join()
    used, passed = np.sum(spent, axis=0)
    return float(np.clip(1 - used / passed, 0, 1))


_WORDS = {
    "held": "held",
    "too low": "was too low",
    "too high": "was too high",
    "busy": "can't tell: busy machine",
    "too wide": "can't tell: wide interval",
}


def _outcome(entry: Mapping[str, Any]) -> Outcome:
    value, low, high = map(float, entry["forecast"])
    measured, least, most = map(float, entry["measured"])
    return Outcome(
        (value, low, high), (measured, least, most), float(entry["waited"]), entry["measured_at"]
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _shown(ratios: Any) -> Any:
    return np.clip(ratios, 1 / SCALE, SCALE)


def _time(seconds: float) -> str:
    return prefixed(seconds, "s")


def _range(values: Range) -> str:
    value, low, high = values
    return f"{_time(value)} ({_time(low)} to {_time(high)})"
