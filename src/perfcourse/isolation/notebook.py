"""A student's notebook behind the wall, started again after each crash without what crashed it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from typing import Any

from perfcourse.isolation.session import Session, StoppedError

MOST_RUNS = 12
"""How often one notebook is run; what it hasn't been asked by then is lost."""
STOPPED = "Stopped"
"""Stands where the type of an error stands, for a cell that ended the process."""
TOO_LONG = "The notebook took longer than is allowed and was stopped."
TOO_OFTEN = f"The notebook ended its own process {MOST_RUNS} times; the rest was not asked."
CellError = tuple[int, str, str]
"""A code cell that raised: number (from 1), type of the error, message."""


class Notebook:
    """A student's notebook: it runs when it is first asked for something.

    A cell that ends the process is left out from then on, and a function that does so costs
    nothing but its own question: whatever is asked next finds a fresh process in which every
    other cell has run.

    Parameters
    ----------
    cells : sequence of str
        Its code.
    parameters : dict
        What the student's own questions were drawn as.
    withheld : sequence of str
        Functions that raise while it runs.
    start : callable
        Starts a process; takes the seconds that the submission has used already.
    left_out : dict, optional
        Cells that are known to end the process, by place from 0, with what they did.
    """

    def __init__(
        self,
        cells: Sequence[str],
        parameters: dict[str, Any],
        withheld: Sequence[str],
        start: Callable[[float], AbstractContextManager[Session]],
        left_out: dict[int, str] | None = None,
    ) -> None:
        self._cells = cells
        self._what = parameters, withheld
        self._start = start
        self._began = time.monotonic()
        self._session: Session | None = None
        self._open = ExitStack()
        self._results: dict[int, tuple[str, str]] = {}
        self.left_out = dict(left_out or {})
        self.runs = 0
        self.ended = ""
        """Why it is not asked any more, in a sentence; empty as long as it is."""

    @property
    def errors(self) -> tuple[CellError, ...]:
        """The cells that raised, and those that were left out."""
        stopped = {place: (STOPPED, why) for place, why in self.left_out.items()}
        found = {**self._results, **stopped}
        return tuple((place + 1, *found[place]) for place in sorted(found))

    @property
    def problem(self) -> str:
        """What kept some of it from being graded, in sentences; empty if nothing did."""
        left_out = [
            f"Cell {place + 1} {why}; the rest was run without it."
            for place, why in sorted(self.left_out.items())
        ]
        return " ".join([*left_out, *([self.ended] if self.ended else [])])

    def get(self, name: str) -> dict[str, Any]:
        """Return what the process says of a variable: see `Session.get`."""
        return self._running().get(name)

    def call(self, name: str, arguments: Sequence[Any]) -> dict[str, Any]:
        """Call a student's function: see `Session.call`."""
        return self._running().call(name, arguments)

    def touched(self) -> bool:
        """Whether it called a function that was withheld, or may have before a crash."""
        try:
            return self.runs > 1 or self._running().touched()
        except StoppedError:
            return True

    def _running(self) -> Session:
        """Return a session in which the cells have run.

        Raises
        ------
        StoppedError
            The time is used up, or the notebook has been started too often.
        """
        while self._session is None or self._session.stopped:
            if self.ended:
                raise StoppedError(self.ended)
            self._run()
        return self._session

    def _run(self) -> None:
        if self._session is not None and self._session.over:
            self.ended = TOO_LONG
        elif self.runs >= MOST_RUNS:
            self.ended = TOO_OFTEN
        if self.ended:
            return
        self.runs += 1
        self._open.close()
        self._session = self._open.enter_context(self._start(time.monotonic() - self._began))
        places = [place for place in range(len(self._cells)) if place not in self.left_out]
        try:
            self._session.run([self._cells[place] for place in places], *self._what)
        except StoppedError as stopped:
            if not self._session.over:
                self.left_out[places[len(self._session.finished)]] = str(stopped)
        ran = zip(places, self._session.finished, strict=False)
        self._results = {place: error for place, error in ran if error is not None}

    def __enter__(self) -> Notebook:
        return self

    def __exit__(self, *what: object) -> None:
        self._open.close()
