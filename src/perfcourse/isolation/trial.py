"""Which sandbox works on this machine, tried out; the outcome is kept until something changes.

What is kept says which sandbox to start first, and nothing else: every part of the wall is built
anew for each submission, and where one part fails, so does the start. Then all is tried again.
"""

from __future__ import annotations

import functools
import os
import shutil
import subprocess

import numpy as np

from perfcourse.isolation import outcome
from perfcourse.isolation.sandbox import (
    NOT_INSTALLED,
    WRITABLE,
    Sandbox,
    bwrap_command,
    kept_parts,
    python,
)


@functools.cache
def find_sandbox() -> Sandbox:
    """Return the best sandbox that works on this machine: as it was found last, or tried now."""
    bwrap = shutil.which("bwrap")
    key = outcome.key(bwrap) if bwrap else ""
    kept = outcome.read(key) if key else None
    for sandbox in possible(bwrap) if bwrap else ():
        if how(sandbox) == kept:
            return sandbox
    found = tried()
    if found.bwrap and key:
        outcome.write(key, how(found))
    return found


def try_again() -> None:
    """Forget what was found: it did not start."""
    outcome.forget()
    find_sandbox.cache_clear()


def tried() -> Sandbox:
    """Return the best sandbox that works on this machine, tried now."""
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        return Sandbox(problem=NOT_INSTALLED)
    problem = ""
    for sandbox in possible(bwrap):
        # unshare's helper waits for ever where user namespaces are refused: see first if they are
        problem = trouble(Sandbox(bwrap)) if sandbox.subordinate else ""
        problem = problem or trouble(sandbox)
        if not problem:
            return sandbox
    return Sandbox(problem=problem)


def possible(bwrap: str) -> list[Sandbox]:
    """Return what may work, the best first."""
    if os.geteuid() == 0:
        ways = [Sandbox(bwrap, own_uids=True), Sandbox(bwrap, nobody=True)]
    elif shutil.which("newuidmap") and shutil.which("unshare"):
        ways = [Sandbox(bwrap, own_uids=True, subordinate=True)]
    else:
        ways = []
    return [*ways, Sandbox(bwrap)]


def how(sandbox: Sandbox) -> outcome.How:
    """Return what tells one sandbox of this machine from another."""
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
