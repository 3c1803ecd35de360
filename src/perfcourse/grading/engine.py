"""Where the grading runs: the cores of this machine, or a Dask cluster, behind one function.

Every worker process keeps one `Grader`: the question bank on this side of the wall and one warm
parent to fork students' processes from. A submission's result depends on the submission, the bank
and the secret only, so every engine gives the same grades.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from pathlib import Path

from perfcourse.bank.loader import load
from perfcourse.grading.interrupts import stop_signal
from perfcourse.grading.preload import below
from perfcourse.grading.submission import failed, grade
from perfcourse.intake.submissions import Handin
from perfcourse.isolation.sandbox import PRELOAD, Sandbox, cores
from perfcourse.isolation.session import BrokenError, Session, Times
from perfcourse.isolation.trial import find_sandbox
from perfcourse.isolation.warm import Warm
from perfcourse.judge.result import Graded
from perfcourse.kernel.blocked_functions import home
from perfcourse.kernel.isolate import Limits

TRIES = 5
LOOK_EVERY = 0.1
"""Seconds between two looks at whether the process is asked to end."""
PAUSE = 0.1
"""Seconds before the second try; doubled before each further one."""
CPU_FOR_TIME = 1.5
"""Seconds of CPU time that a submission may use for each second that it may take, so that a
notebook that keeps the time is never stopped for using the processor."""


@dataclass(frozen=True)
class Settings:
    """What a worker must know to grade."""

    bank: str
    """Path of the bank's file."""
    secret: str
    unsafe: bool = False
    """Grade without a sandbox."""
    times: Times = field(default_factory=Times)
    limits: Limits = field(default_factory=Limits)
    preload: tuple[str, ...] = PRELOAD
    """What to load in advance; a parent that loads only what is needed is up much faster."""

    @property
    def limits_of_all(self) -> Limits:
        """What one submission may use, with the CPU time that goes with its time."""
        cpu = max(self.limits.cpu, math.ceil(CPU_FOR_TIME * self.times.whole))
        return replace(self.limits, cpu=cpu)

    def sandbox(self) -> Sandbox:
        """Return the sandbox to use on the machine where this runs."""
        return Sandbox() if self.unsafe else find_sandbox()

    def safe_sandbox(self) -> Sandbox:
        """Return the same; a `NoSandboxError` where it is missing, and must not."""
        sandbox = self.sandbox()
        if not sandbox.bwrap and not self.unsafe:
            raise NoSandboxError(
                f"no sandbox here: {sandbox.problem}.\nOthers' notebooks can do anything that you "
                "can. Run perfcourse doctor, or give --unsafe-no-sandbox for notebooks of your own."
            )
        return sandbox


class NoSandboxError(BrokenError):
    """There is no sandbox here; the message says why, and what can be done."""


class Grader:
    """One process's grader; safe to use from several threads.

    `at_once` is how many submissions run, for which processes are forked in advance; see `Warm`.
    """

    def __init__(self, settings: Settings, at_once: int = 0) -> None:
        self._settings, self._at_once = settings, at_once
        self._bank = load(Path(settings.bank), try_models=True)
        self._lock = threading.Lock()
        self._closed = False
        self._sandbox = settings.safe_sandbox()
        self._warm = self._started()

    def grade(self, handin: Handin) -> Graded:
        """Grade one submission; a failure of the grader's own is tried again, then reported.

        A call dies with the warm parent that ran it, as if it had ended itself: what was graded
        meanwhile is graded again, too.
        """
        why, graded = "", None
        for tried in range(TRIES):
            try:
                self._replace_dead_parent()
                warm = self._warm
                graded = grade(handin, self._bank, self._settings.secret, self._session)
                if warm.process.poll() is None:
                    return graded
            except BrokenError as error:
                why = str(error)
                if self._closed:
                    break
                self._pause(tried)
            except Exception as error:
                why = f"{type(error).__name__}: {error}"
        return graded or failed(handin, self._bank, why)

    def _started(self) -> Warm:
        """Start the warm parent and one process in it, again if somebody kills it meanwhile.

        A `NoSandboxError` says that the protection that was found here before doesn't start any
        more.
        """
        for tried in range(TRIES - 1):
            try:
                return self._tried_out()
            except BrokenError:
                self._pause(tried)
        try:
            return self._tried_out()
        except BrokenError as error:
            if self._settings.unsafe:
                raise
            raise NoSandboxError(
                f"{error}.\nThis protection worked here before, and no submission is graded with "
                "less. Free memory or processes and give the same command again; if the machine "
                "has changed, run perfcourse doctor, which finds out what works now."
            ) from error

    def _tried_out(self) -> Warm:
        warm = self._start()
        try:
            warm.session(self._settings.times).close()
        except BrokenError:
            warm.close()
            raise
        return warm

    def _start(self) -> Warm:
        settings, questions = self._settings, self._bank.questions
        built = {name for question in questions for name in question.builds}
        homes = sorted({home(name) for name in built} - {""})
        needed = sorted(name.rpartition(".")[0] for name in built)
        preload = dict.fromkeys([*settings.preload, *needed, *below(homes)])
        files = {file.name: file.path(hidden=True) for file in self._bank.files}
        limits = settings.limits_of_all
        return Warm(self._sandbox, limits, list(preload), files, homes, self._at_once)

    def _session(self, hide: bool, spent: float) -> Session:
        return self._warm.session(self._settings.times, hide, spent)

    def _pause(self, tried: int) -> None:
        """Wait a moment, longer each time, for memory or processes that this machine lacks."""
        time.sleep(PAUSE * 2**tried)

    def _replace_dead_parent(self) -> None:
        with self._lock:
            if self._closed:
                raise BrokenError("the grader was stopped")
            if self._warm.process.poll() is not None:
                self._warm.close()
                self._warm = self._start()

    def close(self) -> None:
        """Stop the warm parent, and with it what is being graded."""
        self._closed = True
        with self._lock:
            self._warm.close()


def grade_here(handins: Iterable[Handin], settings: Settings, workers: int = 0) -> Iterator[Graded]:
    """Grade on this machine, `workers` at a time (one a core where 0); yields as they finish.

    Once the process is asked to end, what is finished is yielded and the rest is stopped.
    """
    workers = workers or cores()
    grader = Grader(settings, workers)
    pool = ThreadPoolExecutor(workers)
    waiting: set[Future[Graded]] = set()
    try:
        for handin in handins:
            if stop_signal():
                break
            waiting.add(pool.submit(grader.grade, handin))
            if len(waiting) > 2 * workers:
                done, waiting = _some(waiting)
                yield from (future.result() for future in done)
        while waiting and not stop_signal():
            done, waiting = _some(waiting)
            yield from (future.result() for future in done)
        done = {future for future in waiting if future.done()}
        yield from (graded for future in done if not (graded := future.result()).broken)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        grader.close()
        pool.shutdown()


def _some(waiting: set[Future[Graded]]) -> tuple[set[Future[Graded]], set[Future[Graded]]]:
    """Wait until some are done or the process is asked to end; return those, and the others."""
    done: set[Future[Graded]] = set()
    while not done and not stop_signal():
        done, waiting = wait(waiting, LOOK_EVERY, FIRST_COMPLETED)
    return done, waiting
