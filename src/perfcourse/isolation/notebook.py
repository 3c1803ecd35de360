"""A student's notebook behind the wall, started again after each crash without what crashed it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from typing import Any

from perfcourse.isolation.session import BrokenError, Session, StoppedError

MOST_RUNS = 12
"""How often one notebook is run; what it hasn't been asked by then is lost."""
STOPPED = "Stopped"
"""Stands where the type of an error stands, for a cell that ended the process."""
TOO_LONG = (
    "The notebook took longer than is allowed and was stopped. Answers that were still to come "
    "earn nothing. Make the slow cells faster and hand in again."
)
TOO_OFTEN = (
    f"The notebook ended its own process {MOST_RUNS} times, and was not started again. Answers "
    "that were still to come earn nothing. Remove what ends it and hand in again."
)
LEFT_RUNNING = "left something running that ended the process"
CellError = tuple[int, str, str]
"""A code cell that raised: number (from 1), type of the error, message."""


@dataclass(frozen=True)
class _Crash:
    place: int
    why: str


class Notebook:
    """A student's notebook: it runs when it is first asked for something.

    A cell that ends the process is left out from then on, and a function that does so costs nothing
    but its own question: whatever is asked next finds a fresh process in which every other cell has
    run.

    A thread or a process that one cell has left running may end the process while another cell runs
    or a function is called. So where something was left, that cell is suspected first: if all goes
    well without it, it's the one that is left out.

    The functions `withheld` raise while it runs; `start` takes the seconds that the submission has
    used already.
    """

    def __init__(
        self,
        cells: Sequence[str],
        parameters: dict[str, Any],
        withheld: Sequence[str],
        start: Callable[[float], AbstractContextManager[Session]],
    ) -> None:
        self._cells = cells
        self._what = parameters, withheld
        self._start = start
        self._began = time.monotonic()
        self._session: Session | None = None
        self._open = ExitStack()
        self._results: dict[int, tuple[str, str]] = {}
        self.left_out: dict[int, str] = {}
        """Cells that end the process, by place from 0, with what they did."""
        self.runs = 0
        self._left: list[int] = []
        self._cleared: set[int] = set()
        """Cells that left something running in this process, and those that did no harm by it."""
        self._without = -1
        """A cell that this process has not run, to see what happens."""
        self.ended = ""
        """Why it is not asked any more, in a sentence; empty as long as it is."""
        self.broken: BrokenError | None = None
        """How the machinery failed in a call; kept since a judge may have caught the exception."""

    @property
    def errors(self) -> tuple[CellError, ...]:
        """The cells that raised, and those that were left out."""
        stopped = {cell: (STOPPED, why) for cell, why in self.left_out.items()}
        errors = {**self._results, **stopped}
        return tuple((cell + 1, *errors[cell]) for cell in sorted(errors))

    @property
    def problem(self) -> str:
        """What kept some of it from being graded, in sentences; empty if nothing did."""
        left_out = [
            f"Cell {cell + 1} {why}; the rest was run without it."
            for cell, why in sorted(self.left_out.items())
        ]
        return " ".join([*left_out, *([self.ended] if self.ended else [])])

    def get(self, name: str, as_figure: bool = False) -> dict[str, Any]:
        """Return what the process says of a variable: see `Session.get`."""
        return self._asked(lambda session: session.get(name, as_figure))

    def calls(self, name: str, *calls: Sequence[Any]) -> list[dict[str, Any]]:
        """Call a student's function with each of several arguments: see `Session.calls`.

        Where a process ends meanwhile and another goes on, that one is asked for what is left.
        """
        replies: list[dict[str, Any]] = []
        coming: dict[Session, Iterator[dict[str, Any]]] = {}

        def following(session: Session) -> dict[str, Any]:
            remaining = calls[len(replies) :]
            return next(coming.setdefault(session, session.calls(name, *remaining)))

        try:
            while len(replies) < len(calls):
                replies.append(self._asked(following))
        except BrokenError as error:
            self.broken = error
            raise
        return replies

    def touched(self) -> bool:
        """Whether it called a function that was withheld, or may have before a crash."""
        try:
            return self.runs > 1 or self._running().touched()
        except StoppedError:
            return True

    def _running(self) -> Session:
        """Return a session in which the cells have run.

        A `StoppedError` says that the time is used up, or the notebook was started too often.
        """
        while self._session is None or self._session.stopped or self._without >= 0:
            if self.ended:
                raise StoppedError(self.ended)
            self._run()
        return self._session

    def _run(self) -> None:
        """Run the cells in a fresh process; where it ends, leave out the cell that is to blame."""
        if self._session is not None and self._session.over:
            self.ended = TOO_LONG
        elif self.runs >= MOST_RUNS:
            self.ended = TOO_OFTEN
        if self.ended:
            return
        session, crash = self._started()
        if crash is None:
            return
        for suspect in self._suspects(session):
            session, again = self._started(without=suspect)
            past = not session.over and (again is None or again.place > crash.place)
            if past and crash.place not in self._results:
                self._blame(suspect)
                return
            self._cleared.add(suspect)
        self.left_out[crash.place] = crash.why

    def _blame(self, suspect: int) -> None:
        self.left_out[suspect], self._without = LEFT_RUNNING, -1

    def _asked(self, question: Callable[[Session], dict[str, Any]]) -> dict[str, Any]:
        """Ask; where the process ends meanwhile, see whether that is a cell's doing."""
        session = self._running()
        try:
            return question(session)
        except StoppedError as stopped:
            for suspect in self._suspects(session):
                if answer := self._answer_without(suspect, question):
                    self._blame(suspect)
                    return answer
                self._cleared.add(suspect)
            raise StoppedError(str(stopped)) from stopped

    def _answer_without(
        self, suspect: int, question: Callable[[Session], dict[str, Any]]
    ) -> dict[str, Any]:
        """Return a process's answer that has run without one cell; empty where it has none."""
        session, crash = self._started(without=suspect)
        if crash is not None or session.over:
            return {}
        try:
            answer = question(session)
        except StoppedError:
            return {}
        return {} if {"error", "missing"} & set(answer) else answer

    def _suspects(self, session: Session) -> Iterator[int]:
        """Return cells that left something running, the last first, as long as there is time."""
        if session.late:
            return
        for place in reversed(self._left):
            if place not in self._cleared and self.runs < MOST_RUNS and not session.over:
                yield place

    def _started(self, without: int = -1) -> tuple[Session, _Crash | None]:
        """Run the cells in a fresh process; return it, and where it ended while they ran."""
        self.runs += 1
        self._without = without
        self._open.close()
        spent = time.monotonic() - self._began
        session = self._session = self._open.enter_context(self._start(spent))
        out = {without, *self.left_out}
        places = [cell for cell in range(len(self._cells)) if cell not in out]
        crash = None
        try:
            session.run([self._cells[cell] for cell in places], *self._what)
        except StoppedError as stopped:
            if not session.over:
                crash = _Crash(places[len(session.finished)], str(stopped))
        ran = zip(places, session.finished, strict=False)
        self._results = {cell: error for cell, error in ran if error is not None}
        self._left = [places[number] for number in session.left]
        return session, crash

    def __enter__(self) -> Notebook:
        return self

    def __exit__(self, *what: object) -> None:
        self._open.close()
