"""Grade on a Dask cluster: on this machine, at an address, or through a batch system's queue.

Needs the extra `cluster` (dask.distributed; dask-jobqueue for batch systems). Each worker needs the
course installed, the bank's file at the same path, and bubblewrap; submissions travel as bytes. A
submission on a worker that is lost is graded again on another.
"""

from __future__ import annotations

import functools
import importlib
import math
import threading
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from typing import Any

from perfcourse.engine import Grader, Settings
from perfcourse.grading import Graded, as_record, failed, from_record
from perfcourse.intake.submissions import Handin
from perfcourse.isolation.sandbox import cores
from perfcourse.loading import load

TRIES = 3
THREADS = 4
"""Submissions that one process judges at a time: its own work is a fifth of a submission's."""
_ONE_AT_A_TIME = threading.Lock()
QUEUES = ("slurm", "pbs", "sge", "lsf", "oar", "moab")


class LostClusterError(OSError):
    """The scheduler is gone; the message says what to do."""


def grade_on_cluster(
    handins: Iterable[Handin], settings: Settings, where: str, workers: int = 0
) -> Iterator[Graded]:
    """Grade on a cluster; yields as they finish.

    Parameters
    ----------
    handins : iterable
        What was handed in; taken only as fast as it is graded.
    settings : Settings
        The same for every worker.
    where : str
        `local`, a scheduler's address (`tcp://host:8786`), or a batch system that dask-jobqueue
        knows and that its configuration describes (`slurm`, `pbs`, ...).
    workers : int
        Submissions at a time (`local`) or jobs to ask for; one a core, or 8 jobs, where 0.

    Raises
    ------
    LostClusterError
        The scheduler ended, or can't be reached any more, before all were graded.
    """
    distributed = _distributed()
    with ExitStack() as stack:
        client = _client(where, workers, stack)
        pending: dict[str, tuple[Handin, int]] = {}
        source = iter(handins)

        def submit(handin: Handin, tries: int = 1) -> Any:
            future = client.submit(grade_there, settings, handin, pure=False, retries=1)
            pending[future.key] = handin, tries
            return future

        window = 3 * max(1, sum(client.nthreads().values()))
        first = [submit(handin) for _, handin in zip(range(window), source, strict=False)]
        queue = distributed.as_completed(first)
        for future in queue:
            handin, tries = pending.pop(future.key)
            if future.status == "finished":
                yield from_record(future.result())
            elif (
                future.cancelled()
            ):  # not by us: the client gives all up when it loses its scheduler
                raise LostClusterError(
                    f"the scheduler of --cluster {where} is gone. What is graded is kept: give the "
                    "same command again, here or elsewhere, and only the rest is graded."
                )
            elif tries < TRIES:
                queue.add(submit(handin, tries + 1))
                continue
            else:
                yield failed(handin, load(settings.bank), str(future.exception()))
            queue.update([submit(handin) for _, handin in zip(range(1), source, strict=False)])


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
        return stack.enter_context(distributed.Client(stack.enter_context(_queue(where, workers))))
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


def _queue(system: str, jobs: int) -> Any:
    try:
        import dask_jobqueue
    except ImportError as error:
        raise ValueError(f"--cluster {system} needs: pip install dask-jobqueue") from error
    cluster = getattr(dask_jobqueue, f"{system.upper()}Cluster")()
    cluster.scale(jobs=jobs or 8)
    return cluster
