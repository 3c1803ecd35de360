"""Which sandbox works on this machine, tried out; the outcome is kept until something changes.

What is kept says which sandbox to start, and nothing else: every part of the wall is built again
for each submission, and where one part fails, so does the start. No run falls back to less than
was found before: it stops and says so.
"""

from __future__ import annotations

import errno
import functools
import os
import shutil
import subprocess
import time

import numpy as np

from perfcourse.isolation import sandbox_cache
from perfcourse.isolation.sandbox import (
    NOT_INSTALLED,
    WRITABLE,
    Sandbox,
    bwrap_command,
    kept_parts,
    python,
)

TRIES = 3
PAUSE = 0.3
"""Seconds between two tries of what fails for want of something."""
_REFUSALS = (
    errno.EPERM,
    errno.EACCES,
    errno.EINVAL,
    errno.ENOSYS,
    errno.EOPNOTSUPP,
    errno.ENOENT,
    errno.ENOTDIR,
    errno.EROFS,
)
_LASTING = *map(os.strerror, _REFUSALS), "No permissions", "not allowed", "no line matching"
"""What is said, by the kernel, bubblewrap, newuidmap or unshare, where something is refused for
good. Whatever else goes wrong may work a moment later: a want of memory, processes, namespaces or
time, a disk that doesn't answer, a kill."""


@functools.cache
def find_sandbox() -> Sandbox:
    """Return the best sandbox that works on this machine: as it was found last, or tried now.

    What was found last stays, until `try_again` is asked for. What was found only because
    something better failed for want of memory, processes or time isn't kept.
    """
    bwrap = shutil.which("bwrap")
    key = sandbox_cache.key(bwrap) if bwrap else ""
    stored = sandbox_cache.read(key) if key else None
    for sandbox in possible(bwrap) if bwrap else ():
        if kind_of(sandbox) == stored:
            return sandbox
    found, sure = _tried()
    if found.bwrap and key and sure:
        sandbox_cache.write(key, kind_of(found))
    return found


def try_again() -> Sandbox:
    """Forget what was found, and find out again."""
    sandbox_cache.forget()
    find_sandbox.cache_clear()
    return find_sandbox()


def _tried() -> tuple[Sandbox, bool]:
    """Return the best sandbox that works now, and whether it is the best for certain."""
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        return Sandbox(problem=NOT_INSTALLED), True
    problem, sure = "", True
    for sandbox in possible(bwrap):
        # unshare's helper waits for ever where user namespaces are refused: see first if they are
        problem = _lasting_trouble(Sandbox(bwrap)) if sandbox.subordinate else ""
        problem = problem or _lasting_trouble(sandbox)
        if not problem:
            return sandbox, sure
        sure = sure and not _momentary(problem)
    return Sandbox(problem=problem), sure


def _lasting_trouble(sandbox: Sandbox) -> str:
    """Return what went wrong each time, of several where it may pass; empty if nothing did."""
    for _ in range(TRIES):
        problem = trouble(sandbox)
        if not _momentary(problem):
            break
        time.sleep(PAUSE)
    return problem


def _momentary(problem: str) -> bool:
    return bool(problem) and not any(words in problem for words in _LASTING)


def possible(bwrap: str) -> list[Sandbox]:
    """Return what may work, the best first."""
    if os.geteuid() == 0:
        ways = [Sandbox(bwrap, own_uids=True), Sandbox(bwrap, nobody=True)]
    elif shutil.which("newuidmap") and shutil.which("unshare"):
        ways = [Sandbox(bwrap, own_uids=True, subordinate=True)]
    else:
        ways = []
    return [*ways, Sandbox(bwrap)]


def kind_of(sandbox: Sandbox) -> sandbox_cache.SandboxKind:
    """Return the kind of a sandbox: which users and user namespaces it has."""
    return sandbox.own_uids, sandbox.nobody, sandbox.subordinate


def trouble(sandbox: Sandbox) -> str:
    """Start a sandbox with one submission in it; return what went wrong, empty if nothing did.

    The submission, as whoever it runs, must be able to read Python and the libraries.
    """
    test = (
        "import sys; sys.path.insert(0, '/course'); import os; "
        "from perfcourse.kernel import isolate; "
        f"pid = isolate.fork_apart({sandbox.last_uid if sandbox.own_uids else None}); "
        f"pid or (isolate.shut_in(isolate.Limits(), {WRITABLE}, {kept_parts()}), "
        f"__import__('colorsys'), open({np.__file__!r}).close(), "
        "open('/course/perfmodel/__init__.py').close(), os._exit(7)); "
        "sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))"
    )
    command = [*bwrap_command(sandbox), python(), "-I", "-c", test]
    try:
        done = subprocess.run(command, capture_output=True, timeout=30, check=False, env={})
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    text = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return "" if done.returncode == 7 else (text or [f"exit {done.returncode}"])[-1][:200]
