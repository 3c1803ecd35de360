"""Grade on a Dask cluster: on this machine, at an address, or through a batch system's queue.

Needs the extra `cluster` (dask.distributed; dask-jobqueue for batch systems). Each worker needs the
course installed, the bank's file at the same path, and bubblewrap; submissions travel as bytes. A
submission on a worker that is lost is graded again on another.
"""

from __future__ import annotations

import functools
import importlib
import itertools
import math
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from typing import Any

from perfcourse.bank.loader import load
from perfcourse.grading.engine import Grader, Settings
from perfcourse.grading.interrupts import stop_signal
from perfcourse.grading.submission import failed
from perfcourse.intake.submissions import Handin
from perfcourse.isolation.sandbox import cores
from perfcourse.judge.result import Graded, as_record, from_record

LOOK_EVERY = 0.02
"""Seconds between two looks at what is finished."""
TRIES = 3
AHEAD = 3
"""Submissions that are sent for each that can be graded at a time."""
THREADS = 4
"""Submissions that one process judges at a time: its own work is a fifth of a submission's."""
_ONE_AT_A_TIME = threading.Lock()
JOBS = 8
"""Jobs to ask a batch system for."""
QUEUES = ("slurm", "pbs", "sge", "lsf", "oar", "moab")


class LostClusterError(OSError):
    """The scheduler is gone; the message says what to do."""

    def __init__(self, where: str) -> None:
        super().__init__(
            f"the scheduler of --cluster {where} is gone. What is graded is kept: give the same "
            "command again, here or elsewhere, and only the rest is graded."
        )


def grade_on_cluster(
    handins: Iterable[Handin], settings: Settings, where: str, workers: int = 0
) -> Iterator[Graded]:
    """Grade on a cluster; yields as they finish, takes hand-ins only as fast as they are graded.

    `where` is `local`, a scheduler's address (`tcp://host:8786`), or a batch system that
    dask-jobqueue knows and that its configuration describes (`slurm`, `pbs`, ...). `workers` are
    submissions at a time (`local`) or jobs to ask for; one a core, or 8 jobs, where 0. A
    `LostClusterError` says that the scheduler can't be reached any more.
    """
    distributed = _distributed()
    with ExitStack() as stack:
        client = _client(where, workers, stack)
        sender = _Sender(where, client, settings, iter(handins))
        queue = distributed.as_completed(sender.more())
        for future in _until_asked_to_end(queue):
            handin, tries = sender.pending.pop(future.key)
            if future.status == "finished":
                yield from_record(future.result())
            elif future.cancelled():  # by a client that has lost its scheduler
                raise LostClusterError(where)
            elif tries < TRIES:
                queue.add(sender.submit(handin, tries + 1))
                continue
            else:
                yield failed(handin, load(settings.bank), str(future.exception()))
            queue.update(sender.more())


def _until_asked_to_end(queue: Any) -> Iterator[Any]:
    """Yield what is finished, and once the process is asked to end what is finished by then."""
    while not queue.is_empty():
        if queue.has_ready():
            yield next(queue)
        elif stop_signal():
            return
        else:
            time.sleep(LOOK_EVERY)


@dataclass
class _Sender:
    """Sends submissions to the workers, and knows which are on their way."""

    where: str
    client: Any
    settings: Settings
    source: Iterator[Handin]
    pending: dict[str, tuple[Handin, int]] = field(default_factory=dict)
    """By key, each with how often it has been sent."""

    def submit(self, handin: Handin, tries: int = 1) -> Any:
        """Send one submission."""
        future = self.client.submit(grade_there, self.settings, handin, pure=False, retries=1)
        self.pending[future.key] = handin, tries
        return future

    def more(self) -> list[Any]:
        """Send as many as keep the workers busy, of which some may have come only now."""
        if stop_signal():
            return []
        try:
            window = AHEAD * max(1, sum(self.client.nthreads().values()))
        except OSError as error:
            raise LostClusterError(self.where) from error
        ahead = max(0, window - len(self.pending))
        return [self.submit(handin) for handin in itertools.islice(self.source, ahead)]


def grade_there(settings: Settings, handin: Handin) -> dict[str, Any]:
    """Grade in a worker's process, which keeps its grader for the next one."""
    return as_record(_grader(settings).grade(handin))


def _grader(settings: Settings) -> Grader:
    with _ONE_AT_A_TIME:
        return _kept_grader(settings)


@functools.lru_cache(maxsize=1)
def _kept_grader(settings: Settings) -> Grader:
    return Grader(settings)


def _client(where: str, workers: int, stack: ExitStack) -> Any:
    distributed = _distributed()
    if where == "local":
        at_once = workers or cores()
        processes = math.ceil(at_once / THREADS)
        cluster = distributed.LocalCluster(
            n_workers=processes,
            threads_per_worker=math.ceil(at_once / processes),
            processes=True,
            dashboard_address=None,
        )
        return stack.enter_context(distributed.Client(stack.enter_context(cluster)))
    if where in QUEUES:
        return stack.enter_context(distributed.Client(_queue(where, workers or JOBS, stack)))
    if "://" not in where:
        raise ValueError(
            f"--cluster must be local, an address such as tcp://host:8786, or one of "
            f"{', '.join(QUEUES)}, got {where!r}"
        )
    return stack.enter_context(distributed.Client(where, timeout="30s"))


def _distributed() -> Any:
    try:
        return importlib.import_module("distributed")
    except ImportError as error:
        raise ValueError("--cluster needs: pip install 'perfmodel[course,cluster]'") from error


def _queue(system: str, jobs: int, stack: ExitStack) -> Any:
    """Return a cluster whose jobs stand in the queue of a batch system."""
    try:
        import dask_jobqueue
    except ImportError as error:
        raise ValueError(
            f"--cluster {system} needs: pip install 'perfmodel[course,cluster]'"
        ) from error
    try:
        cluster = getattr(dask_jobqueue, f"{system.upper()}Cluster")()
        stack.callback(_closed, cluster)
        for _ in range(jobs):
            cluster.worker_spec.update(cluster.new_worker_spec())
        cluster.sync(_submitted, cluster)  # not cluster.scale, which tells nobody of a refusal
    except RuntimeError as error:
        why = " ".join(str(error).partition("stderr:")[2].split()) or str(error)
        raise ValueError(f"--cluster {system} got no jobs: {why}") from error
    return cluster


async def _submitted(cluster: Any) -> None:
    await cluster


def _closed(cluster: Any) -> None:
    with suppress(AssertionError):  # it stumbles over jobs that were refused
        cluster.close()
